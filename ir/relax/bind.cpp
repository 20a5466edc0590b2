// SPDX-License-Identifier: Apache-2.0
#include "ir/relax/bind.h"

#include "ir/core/refusal.h"
#include "ir/relax/infer.h"
#include "ir/relax/normalize.h"

namespace mlc::relax {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
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
        {.name = "undefined-dimension",
         .kind = "InternalError+ValueError",
         .message = "the value of `{}` uses `{}`, which the function does not define"},
    }};
MLC_REFUSALS(relax_bind, refusals);

namespace {

// Puts values in the place of variables, in types too, and infers again.
class Bind final : public Mutator {
 public:
  Bind(ir::Host& host, const IRModule& mod, const ir::VarMap& values)
      : Mutator(host, mod), values_(values), context_(host) {}
  Expr rewrite(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) {
      auto found = values_.find(var);
      return found == values_.end() ? rewrite_children(e) : found->second;
    }
    auto* call = as<CallNode>(e);
    bool graph =
        ir::is_graph_kind(e->kind) || e->kind == ExprKind::kTupleGetItem || (call && !is_tensor_code(call));
    if (is_prim(e) && !graph) return ir::substitute(e, values_);
    if (auto* shape = as<ShapeExprNode>(e)) {
      Expr next = rewrite_children(e);
      if (next.same_as(e)) return e;
      Array<Expr> dims;
      for (const Expr& dim : as<ShapeExprNode>(next)->values) dims.push_back(context_.simplify(dim));
      return make<ShapeExprNode>(dims, shape->span);
    }
    return rewrite_children(e);
  }
  Type rewrite_type(const Type& type) override { return substitute(type, values_, context_); }
  Var rewrite_def(const Var& var) override {
    Type type = rewrite_type(var->ty);
    return type.same_as(var->ty) || ir::structural_equal(Any(type), Any(var->ty)) ? var : copy_var(var, type);
  }

 private:
  const ir::VarMap& values_;
  InferContext context_;
};

// A constant takes the type of the variable.
Expr dimension_value(const Expr& value, const Var& var) {
  if (auto known = ir::const_int(value)) return ir::int_imm(var->dtype(), *known);
  return value;
}

// Of `vars`, by a name or itself.
Var find_variable(const std::vector<Var>& vars, const Any& key, std::string_view refusal, Span span) {
  std::string name;
  if (auto* var = key.as<VarNode>()) {
    for (const Var& each : vars) {
      if (each.get() == var) return each;
    }
    name = view(var->name);
  } else {
    name = key.cast<std::string>();
    Var found;
    int count = 0;
    for (const Var& each : vars) {
      if (view(each->name) != name) continue;
      found = each;
      ++count;
    }
    if (count == 1) return found;
    if (count > 1) throw ir::refuse(refusals["ambiguous-name"], count, name).at(span);
  }
  std::vector<std::string> names;
  for (const Var& each : vars) names.emplace_back(view(each->name));
  auto error = refusal == "no-such-parameter" ? ir::refuse(refusals["no-such-parameter"], name)
                                              : ir::refuse(refusals["no-such-dimension"], name);
  throw std::move(error).at(span).help(ir::did_you_mean(name, names));
}

// Variables in order, each once.
struct Distinct {
  std::vector<Var> all;
  std::unordered_set<const VarNode*> seen;
  void add(const Var& var) {
    if (seen.insert(var.get()).second) all.push_back(var);
  }
  void add(const std::vector<Var>& vars) {
    for (const Var& var : vars) add(var);
  }
};

}  // namespace

std::vector<Var> defined_symbolic_vars(const Function& fn) {
  struct Casts final : Visitor {
    Distinct& vars;
    explicit Casts(Distinct& vars) : vars(vars) {}
    void visit_binding(const Binding& binding) override {
      if (const MatchCastNode* cast = as_match_cast(binding)) vars.add(definable_vars(cast->ty));
      walk_binding(binding);
    }
  };
  Distinct vars;
  for (const Var& param : fn->params) {
    if (is_prim(param)) vars.add(param);
    vars.add(definable_vars(param->ty));
  }
  Casts(vars).visit(fn->body);
  return vars.all;
}

void match_dims(const Type& type, const Type& given, ir::VarMap& values) {
  auto match = [&](const std::optional<Array<Expr>>& want, const std::optional<Array<Expr>>& have) {
    if (!want || !have || want->size() != have->size()) return;
    for (size_t i = 0; i < want->size(); ++i) {
      const Expr& dim = (*want)[i];
      auto* var = as<VarNode>(dim);
      if (var && !dim.same_as((*have)[i])) values.emplace(var, (*have)[i]);
    }
  };
  auto dims_of = [](const ShapeTypeNode* shape) {
    return shape->values.has_value() ? std::optional(shape->values.value()) : std::nullopt;
  };
  if (auto* tensor = as_type<TensorTypeNode>(type)) {
    if (auto* other = as_type<TensorTypeNode>(given)) match(tensor->dims(), other->dims());
  } else if (auto* shape = as_type<ShapeTypeNode>(type)) {
    if (auto* other = as_type<ShapeTypeNode>(given)) match(dims_of(shape), dims_of(other));
  } else if (auto* tuple = as_type<TupleTypeNode>(type)) {
    auto* other = as_type<TupleTypeNode>(given);
    for (size_t i = 0; other && i < tuple->elements.size() && i < other->elements.size(); ++i)
      match_dims(tuple->elements[i], other->elements[i], values);
  }
}

Function with_values(const Function& fn, const ir::VarMap& values, ir::Host& host, const IRModule& mod) {
  if (values.empty()) return fn;
  Array<Var> params;
  for (const Var& param : fn->params) {
    if (values.count(param.get()) == 0) params.push_back(param);
  }
  Function rest = ir::with(fn, [&](FunctionNode& n) { n.params = params; });
  Function next = Bind(host, mod, values).rewrite_function(rest);
  // The type of the function follows from its parameters.
  return make<FunctionNode>(next->params, next->body, next->ret_ty, next->is_pure, next->attrs, next->span);
}

Function bind_symbolic_vars(const Function& fn, const Bindings& bindings, ir::Host& host, Span span,
                            const IRModule& mod) {
  std::vector<Var> vars = defined_symbolic_vars(fn);
  ir::VarMap values;
  for (const auto& [key, value] : bindings) {
    Var var = find_variable(vars, key, "no-such-dimension", span);
    values[var.get()] = dimension_value(value, var);
  }
  Function next = with_values(fn, values, host, mod);
  std::unordered_set<const VarNode*> defined;
  for (const Var& var : defined_symbolic_vars(next)) defined.insert(var.get());
  for (const auto& [var, value] : values) {
    ir::post_order(value, [&, var = var](const Expr& e) {
      auto* used = as<VarNode>(e);
      if (used && defined.count(used) == 0)
        throw ir::refuse(refusals["undefined-dimension"], view(var->name), view(used->name)).at(span);
    });
  }
  return next;
}

Function bind_params(const Function& fn, const Bindings& bindings, ir::Host& host, Span span,
                     const IRModule& mod) {
  std::vector<Var> params(fn->params.begin(), fn->params.end());
  ir::VarMap values;
  InferContext context(host);
  for (const auto& [key, value] : bindings) {
    Var param = find_variable(params, key, "no-such-parameter", span);
    Expr given = is_prim(param) ? dimension_value(value, param) : value;
    if (fits(param->ty, given->ty, context) == Fit::kNever)
      throw ir::refuse(refusals["argument-does-not-fit"], view(param->name), kind_name(param->ty)).at(span);
    values[param.get()] = given;
    match_dims(param->ty, given->ty, values);
  }
  return with_values(fn, values, host, mod);
}

}  // namespace mlc::relax
