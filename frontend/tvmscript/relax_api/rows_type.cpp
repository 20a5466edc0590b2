// SPDX-License-Identifier: Apache-2.0
// Types of the graph language, and their relations.
#include "frontend/tvmscript/relax_api/rows.h"
#include "ir/core/global_info.h"
#include "ir/core/refusal.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "rank-and-shape",
         .message = "the shape has {} dimensions, and `ndim` is given, too: {}",
         .help = "leave `ndim` out"},
        {.name = "negative-rank",
         .kind = "InternalError",
         .message = "`ndim` is {}; -1 stands for any number of dimensions"},
        {.name = "result-and-rule",
         .message = "an opaque function has a result type or a rule that derives it, not both"},
    }};
MLC_REFUSALS(relax_api_rows_type, refusals);

relax::Type type_arg(const ApiCall& call, size_t i) {
  if (!is_given(call, i)) ir::wrong_argument(call, i, "a type");
  return type_from(call.args[i], call.span_of(i));
}

namespace {

using relax::FuncTypeNode;
using relax::ShapeTypeNode;
using relax::TensorTypeNode;

Array<Type> type_list(const ApiCall& call, size_t i) {
  Array<Type> types;
  for (const Any& one : items(call.args[i], call.span_of(i)))
    types.push_back(type_from(one, call.span_of(i)));
  return types;
}

// "cuda:0:global", as R.Tensor takes it; without a module only a device object names one.
ir::VDevice vdevice_arg(const ApiCall& call, size_t i) {
  if (!is_given(call, i)) return {};
  return node_arg<ir::VDeviceNode>(call, i, "VDevice");
}

void check_rank(const ApiCall& call, size_t i) {
  if (int64_t ndim = int_arg(call, i); ndim < relax::kUnknownNDim)
    throw ir::refuse(refusals["negative-rank"], ndim).at(call.span_of(i));
}

// TensorType(shape=None, dtype="float32", vdevice=None, ndim=-1, span=None)
Any make_tensor_type(ApiCall& call) {
  bool no_dtype =
      !is_given(call, 1) || (script::is_str(call.args[1]) && script::text_of(call.args[1]).empty());
  DataType dtype = no_dtype ? DataType::Void() : dtype_arg(call, 1);
  ir::VDevice vdevice = vdevice_arg(call, 2);
  int64_t ndim = int_arg(call, 3);
  check_rank(call, 3);
  if (!is_given(call, 0)) return Type(ir::make<TensorTypeNode>(dtype, ndim, vdevice));
  Expr shape = relax::shape_arg(call, 0);
  auto made = ir::make<TensorTypeNode>(shape, dtype, vdevice);
  if (ndim != relax::kUnknownNDim)
    throw ir::refuse(refusals["rank-and-shape"], made->ndim, ndim).at(call.span_of(3));
  return Type(made);
}
// ShapeType(values=None, ndim=-1, span=None)
Any make_shape_type(ApiCall& call) {
  int64_t ndim = int_arg(call, 1);
  check_rank(call, 1);
  if (!is_given(call, 0)) return Type(ir::make<ShapeTypeNode>(ndim));
  Expr shape = relax::shape_arg(call, 0);
  auto* known = ir::as<relax::ShapeExprNode>(shape);
  if (!known) ir::wrong_argument(call, 0, "a list of dimensions");
  auto made = ir::make<ShapeTypeNode>(known->values);
  if (ndim != relax::kUnknownNDim)
    throw ir::refuse(refusals["rank-and-shape"], made->ndim, ndim).at(call.span_of(1));
  return Type(made);
}
Any make_func_type(ApiCall& call) {
  return Type(ir::make<FuncTypeNode>(ffi::Optional<Array<Type>>(type_list(call, 0)), type_arg(call, 1),
                                     bool_arg(call, 2)));
}
Any opaque_func(ApiCall& call) {
  bool purity = bool_arg(call, 2);
  Type ret = is_given(call, 0) ? type_arg(call, 0) : relax::any_type();
  if (!is_given(call, 1)) return Type(relax::opaque_function(ret, purity));
  if (is_given(call, 0)) throw ir::refuse(refusals["result-and-rule"]).at(call.span);
  return Type(relax::opaque_function(ret, purity, str_arg(call, 1)));
}

// ---- relations ----

relax::InferContext context_of(const ApiCall& call) { return relax::InferContext(call.host); }

Any base_check(ApiCall& call) {
  return static_cast<int64_t>(relax::fits(type_arg(call, 0), type_arg(call, 1), context_of(call)));
}
Any is_base_of(ApiCall& call) {
  return relax::fits(type_arg(call, 0), type_arg(call, 1), context_of(call)) == relax::Fit::kAlways;
}
Any lca(ApiCall& call) { return relax::common_type(type_arg(call, 0), type_arg(call, 1), context_of(call)); }

Any symbolic_vars(ApiCall& call) { return array_of(relax::symbolic_vars(type_arg(call, 0))); }
Any definable_vars(ApiCall& call) { return array_of(relax::definable_vars(type_arg(call, 0))); }

// Dimensions forgotten, ranks kept.
Type static_type(const Type& type) {
  if (auto* tensor = relax::as_type<TensorTypeNode>(type))
    return ir::make<TensorTypeNode>(tensor->data_type(), tensor->ndim, tensor->vdevice);
  if (auto* shape = relax::as_type<ShapeTypeNode>(type)) return ir::make<ShapeTypeNode>(shape->ndim);
  if (auto* tuple = relax::as_type<ir::TupleTypeNode>(type)) {
    Array<Type> fields;
    for (const Type& field : tuple->elements) fields.push_back(static_type(field));
    return ir::make<ir::TupleTypeNode>(fields);
  }
  if (auto* fn = relax::as_type<FuncTypeNode>(type)) {
    if (fn->is_opaque()) return ir::make<relax::PackedFuncTypeNode>();
    Array<Type> params;
    for (const Type& param : fn->params.value()) params.push_back(static_type(param));
    return ir::make<FuncTypeNode>(params, static_type(fn->ret), fn->purity);
  }
  return type;
}
Any get_static_type(ApiCall& call) { return static_type(type_arg(call, 0)); }

ir::VarMap values_arg(const ApiCall& call, size_t i) {
  ir::VarMap values;
  if (!is_given(call, i)) return values;
  auto dict = call.args[i].as<script::Dict>();
  if (!dict) ir::wrong_argument(call, i, "a dict of variables");
  for (const auto& [key, value] : *dict) {
    auto* var = key.as<ir::VarNode>();
    if (!var) ir::wrong_argument(call, i, "a dict with variables as keys");
    Expr given = script::as_expr(value, call.span_of(i), "the value of a variable");
    if (!script::is_object(value) && relax::is_prim(ir::ref(var)))
      given = ir::int_imm(var->dtype(), script::raw_int(value));
    values[var] = given;
  }
  return values;
}
// Variables that the maps name are replaced, all others forgotten. Those of a function's type are its own.
Type well_defined(const Type& type, const ir::VarMap& values, const relax::InferContext& context) {
  if (relax::as_type<FuncTypeNode>(type)) return type;
  if (auto* tuple = relax::as_type<ir::TupleTypeNode>(type)) {
    Array<Type> fields;
    for (const Type& field : tuple->elements) fields.push_back(well_defined(field, values, context));
    return ir::make<ir::TupleTypeNode>(fields);
  }
  Type kept = relax::erase_to_defined(
      type, [&](const ir::VarNode* var) { return values.count(var) != 0; }, context);
  return relax::substitute(kept, values, context);
}
Any erase_to_well_defined(ApiCall& call) {
  ir::VarMap values = values_arg(call, 1);
  for (const auto& [var, value] : values_arg(call, 2)) values[var] = value;
  return well_defined(type_arg(call, 0), values, context_of(call));
}

#define TYPE(name, params, doc, body) \
  { ir::ApiKind::kClass, kRelax, name params, doc, body, "mlc.relax." name, "tvm.relax.type." name }
#define FUNCTION(owner, signature, doc, body) \
  { ir::ApiKind::kFunction, owner, signature, doc, body }
constexpr ir::ApiRow relax_type_table[] = {
    TYPE("TensorType", "(shape=None, dtype=\"float32\", vdevice=None, ndim=-1, span=None)", "A tensor.",
         make_tensor_type),
    TYPE("ShapeType", "(values=None, ndim=-1, span=None)", "A shape as a value.", make_shape_type),
    TYPE("FuncType", "(params, ret, purity=True, span=None)", "A function.", make_func_type),
    TYPE(
        "AnyType", "(span=None)", "Any value.", +[](ApiCall&) -> Any { return relax::any_type(); }),
    TYPE(
        "PackedFuncType", "(span=None)", "A packed function about which nothing is said.",
        +[](ApiCall&) -> Any { return Type(ir::make<relax::PackedFuncTypeNode>()); }),
    FUNCTION("tvm.relax.FuncType", "opaque_func(*, ret=None, derive_func=None, purity=False, span=None)",
             "A function of any arguments.", opaque_func),
    {ir::ApiKind::kProperty, "mlc.relax.TensorType", "dtype", "The type of an element, or None.",
     +[](ApiCall& call) -> Any {
       DataType dtype = call.args[0].as<TensorTypeNode>()->data_type();
       return dtype.is_void() ? Any(nullptr) : Any(Type(ir::prim_type(dtype)));
     }},
    {ir::ApiKind::kMethod, "mlc.ir.Type", "is_base_of(derived)",
     "Is every value of the other type one of this?", is_base_of},
    FUNCTION("tvm.relax.analysis", "type_lca(lhs, rhs)", "The most special type that both are of.", lca),
    FUNCTION("tvm.relax.analysis", "tir_vars_in_type(ty)", "Symbolic variables that the type uses.",
             symbolic_vars),
    FUNCTION("tvm.relax.analysis", "definable_tir_vars_in_type(ty)",
             "Symbolic variables that a parameter of this type defines.", definable_vars),
    FUNCTION("tvm.relax.analysis", "get_static_type(ty)", "The type without its dimensions.",
             get_static_type),
    FUNCTION("tvm.relax.analysis", "erase_to_well_defined(ty, shape_var_map=None, var_map=None)",
             "The type with variables that the maps do not name forgotten.", erase_to_well_defined),
    FUNCTION(kRelaxNatives, "TypeBaseCheck(base, derived)", "How far the types are known to agree: 0 to 3.",
             base_check),
};
#undef TYPE
#undef FUNCTION

}  // namespace

std::span<const ir::ApiRow> relax_type_rows() { return relax_type_table; }

}  // namespace mlc::tvmscript
