// SPDX-License-Identifier: Apache-2.0
// Functions of the graph language: made by hand, with other attributes, with values for parameters and
// symbolic dimensions.
#include <unordered_set>

#include "frontend/tvmscript/relax_api/rows.h"
#include "ir/core/ndarray.h"
#include "ir/core/refusal.h"
#include "ir/relax/normalize.h"
#include "ir/relax/visit.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "result-type-unknown",
         .kind = "InternalError+ValueError",
         .message = "the result of the function has no type yet",
         .help = "give `ret_ty`, or normalize the body: `BlockBuilder().normalize(body)`"},
        {.name = "no-such-parameter",
         .kind = "InternalError+ValueError",
         .message = "the function has no parameter `{}`"},
        {.name = "no-such-dimension",
         .kind = "InternalError+ValueError",
         .message = "the function has no symbolic variable `{}`"},
        {.name = "ambiguous-name",
         .kind = "InternalError+ValueError",
         .message = "{} variables are called `{}`",
         .help = "name the variable itself"},
        {.name = "argument-does-not-fit",
         .kind = "InternalError+ValueError",
         .message = "parameter `{}` is a {} that the value cannot be"},
    }};
MLC_REFUSALS(relax_api_rows_function, refusals);

namespace {

using relax::Function;
using relax::FunctionNode;
using relax::SeqExpr;
using relax::SeqExprNode;

constexpr std::string_view kFunction = "mlc.relax.expr.Function";

// The result as callers may know it: dimensions that no parameter defines are forgotten.
Type result_type(const Array<Var>& params, const Expr& body, const ApiCall& call) {
  if (!body->ty || body->ty->kind == ir::TypeKind::kOpaque)
    throw ir::refuse(refusals["result-type-unknown"]).at(call.span);
  std::unordered_set<const ir::VarNode*> known;
  for (const Var& param : params) {
    if (relax::is_prim(param)) known.insert(param.get());
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
  Type ret = is_given(call, 2) ? type_arg(call, 2) : result_type(params, body, call);
  auto* seq = ir::as<SeqExprNode>(body);
  SeqExpr whole = seq ? ir::ref(seq) : ir::make<SeqExprNode>(Array<relax::BindingBlock>{}, body, body->span);
  bool pure = !is_given(call, 3) || bool_arg(call, 3);
  return Expr(ir::make<FunctionNode>(params, whole, ret, pure, attributes_arg(call, 4), call.span));
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

// ---- values for variables ----

// Puts values in the place of variables, in types too, and infers again.
class Bind final : public relax::Mutator {
 public:
  Bind(ir::Host& host, const ir::VarMap& values) : Mutator(host, {}), values_(values), context_(host) {}
  Expr rewrite(const Expr& e) override {
    if (auto* var = ir::as<ir::VarNode>(e)) {
      auto found = values_.find(var);
      return found == values_.end() ? rewrite_children(e) : found->second;
    }
    bool graph = ir::is_graph_kind(e->kind) || e->kind == ir::ExprKind::kTupleGetItem;
    if (relax::is_prim(e) && !graph) return ir::substitute(e, values_);
    return rewrite_children(e);
  }
  Type rewrite_type(const Type& type) override { return relax::substitute(type, values_, context_); }
  Var rewrite_def(const Var& var) override {
    Type type = rewrite_type(var->ty);
    return type.same_as(var->ty) || ir::structural_equal(Any(type), Any(var->ty))
               ? var
               : relax::copy_var(var, type);
  }

 private:
  const ir::VarMap& values_;
  relax::InferContext context_;
};

// The function with `values` in its body and types, less the parameters that have one.
Function bound(const Function& fn, const ir::VarMap& values, const ApiCall& call) {
  if (values.empty()) return fn;
  Array<Var> params;
  for (const Var& param : fn->params) {
    if (values.count(param.get()) == 0) params.push_back(param);
  }
  Function rest = ir::with(fn, [&](FunctionNode& n) { n.params = params; });
  Function next = Bind(call.host, values).rewrite_function(rest);
  // The type of the function follows from its parameters.
  return ir::make<FunctionNode>(next->params, next->body, next->ret_ty, next->is_pure, next->attrs,
                                next->span);
}

const ffi::DictObj* dict_of(const ApiCall& call, size_t i) {
  if (!script::as<ffi::DictObj>(call.args[i])) ir::wrong_argument(call, i, "dict");
  return script::as<ffi::DictObj>(call.args[i]);
}

Var variable_named(const std::vector<Var>& vars, const Any& key, const ApiCall& call, bool parameter) {
  std::string name;
  if (auto* var = key.as<ir::VarNode>()) {
    for (const Var& each : vars) {
      if (each.get() == var) return each;
    }
    name = view(var->name);
  } else if (script::is_str(key)) {
    name = script::text_of(key);
    Var found;
    int count = 0;
    for (const Var& each : vars) {
      if (view(each->name) != name) continue;
      found = each;
      ++count;
    }
    if (count == 1) return found;
    if (count > 1) throw ir::refuse(refusals["ambiguous-name"], count, name).at(call.span_of(1));
  } else {
    ir::wrong_argument(call, 1, "a dict with names or variables as keys");
  }
  std::vector<std::string> names;
  for (const Var& each : vars) names.emplace_back(view(each->name));
  auto error = parameter ? ir::refuse(refusals["no-such-parameter"], name)
                         : ir::refuse(refusals["no-such-dimension"], name);
  throw std::move(error).at(call.span_of(1)).help(ir::did_you_mean(name, names));
}

// Symbolic variables of the signature, in order.
std::vector<Var> signature_vars(const Function& fn) {
  std::vector<Var> all;
  std::unordered_set<const ir::VarNode*> seen;
  auto add = [&](const Var& var) {
    if (seen.insert(var.get()).second) all.push_back(var);
  };
  for (const Var& param : fn->params) {
    if (relax::is_prim(param)) add(param);
    for (const Var& var : relax::symbolic_vars(param->ty)) add(var);
  }
  for (const Var& var : relax::symbolic_vars(fn->ret_ty)) add(var);
  return all;
}

Expr dimension_value(const Any& value, const Var& var, const ApiCall& call) {
  Expr e = script::as_expr(value, call.span_of(1), "the value of a dimension");
  if (auto known = ir::const_int(e)) return ir::int_imm(var->dtype(), *known);
  return e;
}

Any bind_symbolic_vars(ApiCall& call) {
  Function fn = self_of(call);
  std::vector<Var> vars = signature_vars(fn);
  ir::VarMap values;
  dict_of(call, 1);
  for (const auto& [key, value] : call.args[1].cast<script::Dict>()) {
    Var var = variable_named(vars, key, call, false);
    values[var.get()] = dimension_value(value, var, call);
  }
  return bound(fn, values, call);
}

// Symbolic variables of `type` whose value is seen in `given`.
void match_dims(const Type& type, const Type& given, ir::VarMap& values) {
  auto match = [&](const ffi::Optional<Array<Expr>>& want, const ffi::Optional<Array<Expr>>& have) {
    if (!want.has_value() || !have.has_value() || want.value().size() != have.value().size()) return;
    for (size_t i = 0; i < want.value().size(); ++i) {
      auto* var = ir::as<ir::VarNode>(want.value()[i]);
      if (var && !want.value()[i].same_as(have.value()[i])) values.emplace(var, have.value()[i]);
    }
  };
  auto as_optional = [](std::optional<Array<Expr>> dims) {
    return dims ? ffi::Optional<Array<Expr>>(*dims) : ffi::Optional<Array<Expr>>();
  };
  if (auto* tensor = relax::as_type<relax::TensorTypeNode>(type)) {
    if (auto* other = relax::as_type<relax::TensorTypeNode>(given))
      match(as_optional(tensor->dims()), as_optional(other->dims()));
  } else if (auto* shape = relax::as_type<relax::ShapeTypeNode>(type)) {
    if (auto* other = relax::as_type<relax::ShapeTypeNode>(given)) match(shape->values, other->values);
  } else if (auto* tuple = relax::as_type<ir::TupleTypeNode>(type)) {
    auto* other = relax::as_type<ir::TupleTypeNode>(given);
    for (size_t i = 0; other && i < tuple->elements.size() && i < other->elements.size(); ++i)
      match_dims(tuple->elements[static_cast<int64_t>(i)], other->elements[static_cast<int64_t>(i)], values);
  }
}

// A tensor or an array is a constant.
Expr parameter_value(const Any& value, const ApiCall& call) {
  if (auto* array = value.as<ir::NDArrayNode>())
    return ir::make<relax::GenericConstNode>(Any(array->tensor), call.span_of(1));
  if (value.as<ffi::Tensor>()) return ir::make<relax::GenericConstNode>(value, call.span_of(1));
  return script::as_expr(value, call.span_of(1), "the value of a parameter");
}

Any bind_params(ApiCall& call) {
  Function fn = self_of(call);
  dict_of(call, 1);
  std::vector<Var> params(fn->params.begin(), fn->params.end());
  ir::VarMap values;
  relax::InferContext context(call.host);
  for (const auto& [key, value] : call.args[1].cast<script::Dict>()) {
    Var param = variable_named(params, key, call, true);
    Expr given = relax::is_prim(param) ? dimension_value(value, param, call) : parameter_value(value, call);
    if (relax::fits(param->ty, given->ty, context) == relax::Fit::kNever) {
      throw ir::refuse(refusals["argument-does-not-fit"], view(param->name), relax::kind_name(param->ty))
          .at(call.span_of(1));
    }
    values[param.get()] = given;
    match_dims(param->ty, given->ty, values);
  }
  return bound(fn, values, call);
}

#define METHOD(signature, doc, body) \
  { ir::ApiKind::kMethod, kFunction, signature, doc, body }
constexpr ir::ApiRow relax_function_table[] = {
    {ir::ApiKind::kClass, kRelax, "Function(params, body, ret_ty=None, is_pure=True, attrs=None, span=None)",
     "A function of the graph language.", make_function, kFunction, "tvm.relax.expr.Function"},
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
    METHOD("bind_params(binding_map)", "The function with values for parameters.", bind_params),
};
#undef METHOD

}  // namespace

std::span<const ir::ApiRow> relax_function_rows() { return relax_function_table; }

}  // namespace mlc::tvmscript
