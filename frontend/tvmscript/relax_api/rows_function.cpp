// SPDX-License-Identifier: Apache-2.0
// Functions of the graph language: made by hand, with other attributes, with values for parameters and
// symbolic dimensions.
#include <algorithm>
#include <functional>
#include <unordered_set>

#include "frontend/tvmscript/relax_api/rows.h"
#include "ir/core/ndarray.h"
#include "ir/core/refusal.h"
#include "ir/relax/bind.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "result-type-unknown",
         .kind = "InternalError+ValueError",
         .message = "the result of the function has no type yet",
         .help = "give `ret_ty`, or normalize the body: `BlockBuilder().normalize(body)`"},
    }};
MLC_REFUSALS(relax_api_rows_function, refusals);

namespace {

using relax::Function;
using relax::FunctionNode;
using relax::SeqExpr;
using relax::SeqExprNode;

constexpr std::string_view kFunction = "mlc.relax.expr.Function";
constexpr std::string_view kExtern = "mlc.relax.expr.ExternFunc";

bool is_inferred(const Type& type) {
  if (!type || type->kind == ir::TypeKind::kOpaque) return false;
  auto* tuple = relax::as_type<ir::TupleTypeNode>(type);
  return !tuple || std::all_of(tuple->elements.begin(), tuple->elements.end(), is_inferred);
}

// The result as callers may know it: dimensions that no parameter defines are forgotten.
Type result_type(const Array<Var>& params, const Expr& body, const ApiCall& call) {
  if (!is_inferred(body->ty)) throw ir::refuse(refusals["result-type-unknown"]).at(call.span);
  std::unordered_set<const ir::VarNode*> known;
  for (const Var& param : params) {
    for (const Var& var : relax::definable_vars(param->ty)) known.insert(var.get());
  }
  return relax::erase_to_defined(
      body->ty, [&](const ir::VarNode* var) { return known.count(var) != 0; },
      relax::InferContext(call.host));
}

// Function(params, body, ret_ty=None, is_pure=True, attrs=None, span=None)
Any make_function(ApiCall& call) {
  auto params = node_list<ir::VarNode>(call, 0, "a list of variables");
  Expr body = graph_arg(call, 1);
  Type ret = is_given(call, 2) ? type_arg(call, 2) : Type();
  // What the body tells more precisely is said, as in texts.
  if (!ret ||
      (is_inferred(body->ty) && relax::fits(ret, body->ty, relax::InferContext(call.host)) == relax::Fit::kAlways))
    ret = result_type(params, body, call);
  auto* seq = ir::as<SeqExprNode>(body);
  SeqExpr whole = seq ? ir::ref(seq) : ir::make<SeqExprNode>(Array<relax::BindingBlock>{}, body, body->span);
  bool pure = !is_given(call, 3) || bool_arg(call, 3);
  return Expr(ir::make<FunctionNode>(params, whole, ret, pure, attributes_arg(call, 4), call.span));
}

// A function of this signature whose body is yet to be written: what stands in for it calls a function that
// nobody has registered.
// create_empty(params, ret_ty, is_pure=True, attrs=None, span=None)
Any create_empty(ApiCall& call) {
  auto params = node_list<ir::VarNode>(call, 0, "a list of variables");
  Type ret = type_arg(call, 1);
  Expr callee = ir::make<relax::ExternFuncNode>(String("_dummy_function"), Type(), Map<String, Any>{});
  Expr value = ir::make<ir::CallNode>(ret, callee, Array<Expr>{});
  Var output(ir::make<ir::VarNode>(String("output"), ret));
  Array<relax::Binding> bindings{relax::Binding(ir::make<relax::VarBindingNode>(output, value))};
  SeqExpr body = ir::make<SeqExprNode>(
      Array<relax::BindingBlock>{ir::make<relax::BindingBlockNode>(bindings)}, output, call.span);
  bool pure = !is_given(call, 2) || bool_arg(call, 2);
  return Expr(ir::make<FunctionNode>(params, body, ret, pure, attributes_arg(call, 3), call.span));
}

Any make_extern(ApiCall& call) {
  Type type = is_given(call, 1) ? type_arg(call, 1) : Type();
  return Expr(ir::make<relax::ExternFuncNode>(str_arg(call, 0), type, Map<String, Any>{}, call.span));
}

// ---- attributes ----

Function self_of(const ApiCall& call) { return call.args[0].cast<Function>(); }

Any with_attrs(ApiCall& call) {
  Function fn = self_of(call);
  for (const auto& [key, value] : attributes_arg(call, 1)) fn = relax::with_attr(fn, key, value);
  return fn;
}
Any with_attr(ApiCall& call) {
  if (!script::is_str(call.args[1])) return with_attrs(call);
  return relax::with_attr(self_of(call), str_arg(call, 1), attribute_value(call.args[2], call.span_of(2)));
}
Any without_attr(ApiCall& call) { return relax::without_attr(self_of(call), str_arg(call, 1)); }
Any has_attr(ApiCall& call) { return self_of(call)->attrs.count(str_arg(call, 1)) != 0; }

// An external function has attributes, too.
relax::ExternFunc extern_of(const ApiCall& call) { return call.args[0].cast<relax::ExternFunc>(); }
Any with_extern_attrs(const relax::ExternFunc& fn, Map<String, Any> attrs) {
  return Expr(ir::make<relax::ExternFuncNode>(fn->global_symbol, fn->ty, std::move(attrs), fn->span));
}
Any extern_with_attrs(ApiCall& call) {
  Map<String, Any> attrs = extern_of(call)->attrs;
  for (const auto& [key, value] : attributes_arg(call, 1)) attrs.Set(key, value);
  return with_extern_attrs(extern_of(call), attrs);
}
Any extern_with_attr(ApiCall& call) {
  if (!script::is_str(call.args[1])) return extern_with_attrs(call);
  Map<String, Any> attrs = extern_of(call)->attrs;
  attrs.Set(str_arg(call, 1), attribute_value(call.args[2], call.span_of(2)));
  return with_extern_attrs(extern_of(call), attrs);
}
Any extern_without_attr(ApiCall& call) {
  Map<String, Any> attrs = extern_of(call)->attrs;
  attrs.erase(str_arg(call, 1));
  return with_extern_attrs(extern_of(call), attrs);
}

// ---- values for variables ----

const ffi::DictObj* dict_of(const ApiCall& call, size_t i) {
  if (!script::as<ffi::DictObj>(call.args[i])) ir::wrong_argument(call, i, "dict");
  return script::as<ffi::DictObj>(call.args[i]);
}

// The variables or names in a dictionary, each with its value as `to_expr` has it.
relax::Bindings bindings_arg(const ApiCall& call, const std::function<Expr(const Any&)>& to_expr) {
  dict_of(call, 1);
  relax::Bindings all;
  for (const auto& [key, value] : call.args[1].cast<script::Dict>()) {
    if (key.as<ir::VarNode>()) {
      all.emplace_back(key, to_expr(value));
    } else if (script::is_str(key)) {
      all.emplace_back(Any(String(std::string(script::text_of(key)))), to_expr(value));
    } else {
      ir::wrong_argument(call, 1, "a dict with names or variables as keys");
    }
  }
  return all;
}

Any bind_symbolic_vars(ApiCall& call) {
  auto dimension = [&](const Any& value) {
    return script::as_expr(value, call.span_of(1), "the value of a dimension");
  };
  return relax::bind_symbolic_vars(self_of(call), bindings_arg(call, dimension), call.host, call.span_of(1));
}

// Those of its parameters, as values of the types have them.
Any with_sizes_of(ApiCall& call) {
  Function fn = self_of(call);
  Array<Any> types = call.args[1].cast<Array<Any>>();
  ir::VarMap values;
  for (size_t i = 0; i < fn->params.size() && i < types.size(); ++i)
    relax::match_dims(fn->params[i]->ty, types[i].cast<ir::Type>(), values);
  for (const Var& param : fn->params) values.erase(param.get());
  return relax::with_values(fn, values, call.host);
}

// A tensor or an array is a constant.
Any bind_params(ApiCall& call) {
  auto constant = [&](const Any& value) -> Expr {
    if (auto* array = value.as<ir::NDArrayNode>())
      return ir::make<relax::GenericConstNode>(Any(array->tensor), call.span_of(1));
    if (value.as<ffi::Tensor>()) return ir::make<relax::GenericConstNode>(value, call.span_of(1));
    return script::as_expr(value, call.span_of(1), "the value of a parameter");
  };
  return relax::bind_params(self_of(call), bindings_arg(call, constant), call.host, call.span_of(1));
}

#define METHOD(signature, doc, body) \
  { ir::ApiKind::kMethod, kFunction, signature, doc, body }
#define EXTERN_METHOD(signature, doc, body) \
  { ir::ApiKind::kMethod, kExtern, signature, doc, body }
constexpr ir::ApiRow relax_function_table[] = {
    {ir::ApiKind::kClass, kRelax, "Function(params, body, ret_ty=None, is_pure=True, attrs=None, span=None)",
     "A function of the graph language.", make_function, kFunction, "tvm.relax.expr.Function"},
    {ir::ApiKind::kFunction, "tvm.relax.Function",
     "create_empty(params, ret_ty, is_pure=True, attrs=None, span=None)",
     "A function of this signature, whose body stands for one that is yet to be written.", create_empty},
    {ir::ApiKind::kClass, kRelax, "ExternFunc(global_symbol, ty=None, span=None)",
     "A function that the program that runs this has registered.", make_extern, "mlc.relax.expr.ExternFunc",
     "tvm.relax.expr.ExternFunc"},
    {ir::ApiKind::kFunction, kRelax, "extern(name, ty=None, span=None)",
     "A function that the program that runs this has registered.", make_extern},
    METHOD("with_attr(attr_key_or_dict, attr_value=None)", "The function with more attributes.", with_attr),
    METHOD("with_attrs(attr_map)", "The function with more attributes.", with_attrs),
    METHOD("without_attr(attr_key)", "The function without an attribute.", without_attr),
    METHOD("has_attr(attr_key)", "Does it have this attribute?", has_attr),
    METHOD("bind_symbolic_vars(binding_map)", "The function with values for symbolic dimensions.",
           bind_symbolic_vars),
    {ir::ApiKind::kFunction, kRelaxNatives, "with_sizes_of(func, types)",
     "The function with the symbolic sizes that parameters of these types have.", with_sizes_of},
    METHOD("bind_params(binding_map)", "The function with values for parameters.", bind_params),
    EXTERN_METHOD("with_attr(attr_key_or_dict, attr_value=None)", "The function with more attributes.",
                  extern_with_attr),
    EXTERN_METHOD("with_attrs(attr_map)", "The function with more attributes.", extern_with_attrs),
    EXTERN_METHOD("without_attr(attr_key)", "The function without an attribute.", extern_without_attr),
};
#undef METHOD
#undef EXTERN_METHOD

}  // namespace

std::span<const ir::ApiRow> relax_function_rows() { return relax_function_table; }

}  // namespace mlc::tvmscript
