// SPDX-License-Identifier: Apache-2.0
// Types of graphs in scripts: R.Tensor, R.Shape, R.Tuple, R.Callable, ...
#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/module.h"
#include "frontend/tvmscript/builder/rows.h"
#include "frontend/tvmscript/relax/graph_builder.h"
#include "ir/core/refusal.h"
#include "ir/relax/infer.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "bad-dimension",
         .kind = "TypeError",
         .message = "a dimension is a 64-bit integer expression, this is {}",
         .help = "write a number, a variable made by `T.int64()`, or a name in quotes in a signature"},
        {.name = "bad-shape",
         .message = "a shape is a list of dimensions or a value of type `R.Shape`, not `{}`",
         .help = "write `R.Tensor((2, 3), \"float32\")`"},
        {.name = "negative-rank",
         .kind = "InternalError+ValueError",
         .message = "`ndim` is {}; a number of dimensions that is not known is -1"},
        {.name = "rank-mismatch", .message = "a shape of {} dimensions, and `ndim={}`"},
    }};
MLC_REFUSALS(relax_rows_graph_type, refusals);

namespace {

int64_t rank_arg(const ApiCall& call, size_t i) {
  int64_t ndim = int_arg(call, i);
  if (ndim < relax::kUnknownNDim) throw ir::refuse(refusals["negative-rank"], ndim).at(call.span_of(i));
  return ndim;
}

Expr dimension(const ApiCall& call, size_t i, const Any& value) {
  Span span = call.span_of(i);
  if (script::is_int(value)) return ir::int_imm(DataType::Int(64), script::raw_int(value));
  if (script::is_str(value)) {
    GraphBuilder* builder = GraphBuilder::current_or_null();
    if (!builder) throw ir::refuse(refusals["bad-dimension"], "a string outside of a function").at(span);
    return dimension(call, i, Any(builder->quoted_dimension(script::text_of(value), span)));
  }
  auto e = script::to_expr(value, span);
  if (!e || !relax::is_prim(*e)) throw ir::refuse(refusals["bad-dimension"], fmt::format("`{}`", ir::type_name(value))).at(span);
  if ((*e)->dtype() == DataType::Int(64)) return *e;
  if (auto constant = ir::const_int(*e); constant && (*e)->dtype().is_int()) return ir::int_imm(DataType::Int(64), *constant);
  throw ir::refuse(refusals["bad-dimension"], fmt::format("`{}`", (*e)->dtype().str())).at(span);
}

Array<Expr> dimensions(const ApiCall& call, size_t i) {
  Array<Expr> dims;
  for (const Any& each : script::elements(call.args[i])) dims.push_back(dimension(call, i, each));
  return dims;
}

// "llvm", "cuda:0", "vdevice:1": the device of the module of that kind and number.
ir::VDevice device_arg(const ApiCall& call, size_t i) {
  if (!is_given(call, i)) return {};
  if (auto* device = call.args[i].as<ir::VDeviceNode>()) return ir::ref(device);
  return module_device(call, str_arg(call, i), call.span_of(i));
}

// None, or the empty name of TVM for the same.
bool is_unknown(const Any& dtype) {
  auto text = dtype.as<String>();
  return script::is_none(dtype) || (text && text->empty());
}

Any tensor(ApiCall& call) {
  Any shape = call.args[0];
  Any dtype_given = call.args[1];
  if (script::is_str(shape) && script::is_none(dtype_given)) {
    dtype_given = shape;
    shape = nullptr;
  }
  DataType dtype = is_unknown(dtype_given) ? DataType::Void() : dtype_from(dtype_given, call.span_of(1));
  ir::VDevice device = device_arg(call, 2);
  int64_t ndim = rank_arg(call, 3);
  if (script::is_none(shape)) return Type(ir::make<relax::TensorTypeNode>(dtype, ndim, device));
  Expr known;
  if (auto* e = shape.as<ir::ExprNode>()) {
    known = ir::ref(e);
    bool fits = known->kind == ir::ExprKind::kShapeExpr ||
                (known->kind == ir::ExprKind::kVar && relax::type_as<relax::ShapeTypeNode>(known));
    if (!fits) throw ir::refuse(refusals["bad-shape"], ir::type_name(shape)).at(call.span_of(0));
  } else if (is_list(shape)) {
    known = ir::make<relax::ShapeExprNode>(dimensions(call, 0));
  } else {
    throw ir::refuse(refusals["bad-shape"], ir::type_name(shape)).at(call.span_of(0));
  }
  auto type = ir::make<relax::TensorTypeNode>(known, dtype, device);
  if (ndim != relax::kUnknownNDim && type->ndim != ndim)
    throw ir::refuse(refusals["rank-mismatch"], type->ndim, ndim).at(call.span_of(3));
  return Type(type);
}

Any shape(ApiCall& call) {
  int64_t ndim = rank_arg(call, 1);
  if (!is_given(call, 0)) return Type(ir::make<relax::ShapeTypeNode>(ndim));
  if (!is_list(call.args[0])) throw ir::refuse(refusals["bad-shape"], ir::type_name(call.args[0])).at(call.span_of(0));
  return Type(ir::make<relax::ShapeTypeNode>(dimensions(call, 0)));
}

Array<Type> types_of(const ApiCall& call, size_t i, const Any& value) {
  Array<Type> types;
  for (const Any& each : one_or_all(value)) types.push_back(type_from(call.host, each, call.span_of(i)));
  return types;
}

Any tuple(ApiCall& call) {
  std::span<const Any> fields = script::elements(call.args[0]);
  if (fields.size() == 1 && is_list(fields[0])) return Type(ir::make<ir::TupleTypeNode>(types_of(call, 0, fields[0])));
  return Type(ir::make<ir::TupleTypeNode>(types_of(call, 0, call.args[0])));
}

Any callable(ApiCall& call) {
  Type result = is_given(call, 1) ? type_from(call.host, call.args[1], call.span_of(1)) : relax::any_type();
  bool opaque = !is_given(call, 0);
  bool pure = is_given(call, 2) ? bool_arg(call, 2) : !opaque;
  if (opaque) {
    ffi::Optional<String> derive;
    if (is_given(call, 3)) derive = str_arg(call, 3);
    return Type(relax::opaque_function(result, pure, derive));
  }
  return Type(ir::make<relax::FuncTypeNode>(ffi::Optional<Array<Type>>(types_of(call, 0, call.args[0])), result, pure));
}

Any prim(ApiCall& call) { return Type(ir::prim_type(dtype_arg(call, 0))); }
Any anything(ApiCall&) { return relax::any_type(); }

constexpr std::string_view kR = "tvm.script.relax";
#define FUNCTION(signature, doc, body) \
  { ir::ApiKind::kFunction, kR, signature, doc, body }
constexpr ir::ApiRow graph_type_table[] = {
    FUNCTION("Tensor(shape=None, dtype=None, vdevice=None, ndim=-1)",
             "The type of a tensor: of a shape, a data type and a device, as far as they are known.", tensor),
    FUNCTION("Shape(values=None, ndim=-1)", "The type of a shape.", shape),
    FUNCTION("Tuple(*fields)", "The type of a tuple.", tuple),
    FUNCTION("Callable(params=None, ret=None, purity=None, derive_func=None)", "The type of a function.", callable),
    FUNCTION("Prim(dtype)", "The type of a primitive value.", prim),
    FUNCTION("Any()", "The type of any value.", anything),
    FUNCTION("Object()", "The type of any value (older name of `R.Any`).", anything),
};
#undef FUNCTION

}  // namespace

std::span<const ir::ApiRow> graph_type_rows() { return graph_type_table; }

}  // namespace mlc::tvmscript
