// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/local_functions.h"
#include "transform/graph/signatures.h"

namespace mlc::transform::pass_lambda_lift {
namespace {

constexpr char doc[] = R"(LambdaLift(): make functions of the module of local ones.

    def main(x, y):                          def main_inner(a, y):          # private
        @R.function                              return R.add(a, y)
        def inner(a):                        def main(x, y):
            return R.add(a, y)       =>          inner = R.make_closure(cls.main_inner, (y,))
        c = inner(x)                             c = R.invoke_pure_closure(inner, (x,), ty_args=(...))
needs: nothing.
keeps: values. A local function that uses nothing of what is around it is called as a function of the module; the
symbolic dimensions that one uses come with what it captures.
The virtual machine knows functions of the module only.)";

class Lift final : public Mutator {
 public:
  Lift(Host& host, const IRModule& mod, const LocalFunctions& locals)
      : Mutator(host, mod), locals_(locals), result_(mod) {}

  IRModule run(const IRModule& mod) {
    for (const auto& [name, fn] : mod->functions) {
      auto* graph = Any(fn).as<FunctionNode>();
      if (!graph) continue;
      Function next = rewrite_function(ref(graph));
      if (!next.same_as(fn)) result_ = with_function(result_, name, next);
    }
    return result_;
  }

  void rewrite_binding(const Binding& binding) override {
    auto* fn = as_match_cast(binding) ? nullptr : as<FunctionNode>(binding->value);
    if (!fn) return Mutator::rewrite_binding(binding);
    const LocalFunction& local = locals_.at(fn);
    GlobalVar global = lift(local, fn);
    if (local.is_closure()) {
      bind(binding, closure(global, captured_values(local)));
    } else {
      map_var(binding->var, global);
    }
  }

  Type rewrite_type(const Type& type) override {
    return mapped_.empty() || !type ? type : relax::substitute(type, mapped_, builder_->context());
  }
  Expr rewrite(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) {
      // Itself, as a value in its own body.
      auto self = inside_.find(var);
      if (self != inside_.end()) return closure(self->second.global, captured_values(*self->second.local));
      return rewrite_children(e);
    }
    auto* call = as<CallNode>(e);
    auto* callee = call ? as<VarNode>(call->op) : nullptr;
    auto self = inside_.find(callee);
    bool itself = callee && self != inside_.end();
    if (!callee || (!itself && !locals_.is_closure(call->op))) return rewrite_children(e);
    Array<Expr> args;
    for (const Expr& arg : call->args) args.push_back(rewrite(arg));
    if (itself) {
      for (const Expr& value : captured_values(*self->second.local)) args.push_back(value);
      return make<CallNode>(Type(nullptr), Expr(self->second.global), args, call->attrs, call->span,
                            call->ty_args);
    }
    const auto* type = as_type<FuncTypeNode>(call->op->ty);
    bool pure = type == nullptr || type->purity;
    return make_call(pure ? "relax.invoke_pure_closure" : "relax.invoke_closure",
                     {rewrite(call->op), Expr(make<TupleNode>(args))}, {}, {call->ty}, call->span);
  }

 private:
  static Expr closure(const GlobalVar& global, const Array<Expr>& captured) {
    return make_call("relax.make_closure", {Expr(global), Expr(make<TupleNode>(captured))});
  }
  // What the function captures, by the names that it has here.
  Array<Expr> captured_values(const LocalFunction& local) {
    Array<Expr> values;
    for (const Var& var : local.captured) values.push_back(rewrite(var));
    return values;
  }

  // Adds the function to the module, with what it captures as parameters behind its own.
  GlobalVar lift(const LocalFunction& local, const FunctionNode* fn) {
    Array<Var> params = fn->params;
    std::vector<std::pair<const VarNode*, Expr>> outer;
    for (const Var& var : local.captured) {
      Expr value = rewrite(var);
      Var param = relax::make_var(false, var->name, value->ty, var->span);
      auto known = mapped_.find(var.get());
      outer.emplace_back(var.get(), known == mapped_.end() ? Expr(nullptr) : known->second);
      params.push_back(param);
    }
    for (size_t i = 0; i < outer.size(); ++i) map_var(local.captured[i], params[fn->params.size() + i]);
    Function open = make<FunctionNode>(params, fn->body, fn->ret_ty, fn->is_pure, fn->attrs, fn->span);
    GlobalVar global = make<GlobalVarNode>(String(local.name), open->ty);
    if (local.is_closure()) {
      inside_[local.itself.get()] = {global, &local};
    } else {
      map_var(local.itself, global);
    }
    Function lifted = with_new_vars(with_result(rewrite_function(open), local, fn->body->body->ty));
    inside_.erase(local.itself.get());
    for (const auto& [var, value] : outer) {
      if (value) {
        mapped_[var] = value;
      } else {
        mapped_.erase(var);
      }
    }
    result_ = with_function(result_, global, lifted);
    builder_->set_module(result_);
    return global;
  }

  // Captured numbers are values: what types of parameters define keeps the names that it has there.
  Function with_result(const Function& lifted, const LocalFunction& local, const Type& before) {
    Function next = with_result_of_body(lifted, builder_->context());
    if (std::none_of(local.captured.begin(), local.captured.end(),
                     [](const Var& var) { return relax::is_prim(var); }))
      return next;
    std::unordered_set<const VarNode*> known;
    for (const Var& param : lifted->params)
      for (const Var& var : relax::definable_vars(param->ty)) known.insert(var.get());
    Type result = relax::erase_to_defined(
        before, [&](const VarNode* var) { return known.count(var) != 0; }, builder_->context());
    return make<FunctionNode>(next->params, next->body, result, next->is_pure, next->attrs, next->span);
  }

  const LocalFunctions& locals_;
  IRModule result_;
  struct Closure {
    GlobalVar global;
    const LocalFunction* local;
  };
  std::unordered_map<const VarNode*, Closure> inside_;  // those whose bodies are at work
};

IRModule apply(const IRModule& mod, const PassOptions& options) {
  LocalFunctions locals(mod);
  return locals.empty() ? mod : Lift(*options.host, mod, locals).run(mod);
}

}  // namespace

extern const Pass lambda_lift = of_first_level(graph_module_pass("LambdaLift", "LambdaLift()", doc, apply));

}  // namespace mlc::transform::pass_lambda_lift
