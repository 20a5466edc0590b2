// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/relax/bind.h"
#include "transform/graph/dead_code.h"
#include "transform/graph/signatures.h"
#include "transform/graph/symbolic_uses.h"

namespace mlc::transform::pass_remove_unused_parameters {
namespace {

constexpr char doc[] = R"(RemoveUnusedParameters(): private functions take only what they use.

    @R.function(private=True)                    @R.function(private=True)
    def f(x, y):                                 def f(x):
        return R.exp(x)                  =>          return R.exp(x)
    gv = cls.f(a, b)                             gv = cls.f(a)
needs: nothing. Functions that are exported, or that are values, keep their parameters.
keeps: values. A symbolic dimension that only a removed parameter defines comes as a shape, `param_n: R.Shape([n])`.
When a parameter goes, bindings that nothing uses go, too, in all functions.)";

struct Analysis {
  std::vector<bool> kept;
  std::vector<Var> dims;  // that come as shapes
};

// What a call says about the symbolic variables of its callee.
ir::VarMap dims_of_call(const Array<Var>& params, const CallNode* call) {
  ir::VarMap values;
  for (size_t i = 0; i < call->args.size() && i < params.size(); ++i) {
    if (is_prim(params[i])) values[params[i].get()] = call->args[i];
    match_dims(params[i]->ty, call->args[i]->ty, values);
  }
  return values;
}
// A call within the function passes the same variable on.
bool says(const ir::VarMap& values, const Array<Var>& params, const CallNode* call, const Var& dim) {
  if (values.count(dim.get()) != 0) return true;
  for (size_t i = 0; i < call->args.size() && i < params.size(); ++i) {
    auto defined = definable_vars(params[i]->ty);
    auto given = definable_vars(call->args[i]->ty);
    auto is_dim = [&](const Var& var) { return var.same_as(dim); };
    if (std::any_of(defined.begin(), defined.end(), is_dim) &&
        std::any_of(given.begin(), given.end(), is_dim))
      return true;
  }
  return false;
}

std::optional<Analysis> analyze(const Function& fn, const std::vector<Call>& calls) {
  std::unordered_set<const VarNode*> used;
  for (const Var& var : relax::free_vars(fn->body)) used.insert(var.get());
  std::vector<Var> dims = symbolic_uses(fn->body);
  for (const Var& var : symbolic_vars(fn->ret_ty)) {
    if (std::none_of(dims.begin(), dims.end(), [&](const Var& known) { return known.same_as(var); }))
      dims.push_back(var);
  }
  for (const Var& dim : dims) used.insert(dim.get());
  Analysis result;
  for (const Var& param : fn->params) result.kept.push_back(used.count(param.get()) != 0);
  // What is left to pass, for the parameters that stay.
  std::unordered_set<const VarNode*> defined;
  auto define = [&](const Var& param) {
    defined.insert(param.get());
    for (const Var& var : definable_vars(param->ty)) defined.insert(var.get());
  };
  for (size_t i = 0; i < fn->params.size(); ++i) {
    if (result.kept[i]) define(fn->params[i]);
  }
  for (const Var& dim : dims) {
    if (defined.count(dim.get()) != 0) continue;
    bool known = std::all_of(calls.begin(), calls.end(), [&](const Call& call) {
      return says(dims_of_call(fn->params, call.get()), fn->params, call.get(), dim);
    });
    if (known) {
      result.dims.push_back(dim);
      continue;
    }
    // Some call does not say the dimension: the parameter that tells it at run time stays.
    for (size_t i = 0; i < fn->params.size(); ++i) {
      auto own = definable_vars(fn->params[i]->ty);
      if (std::none_of(own.begin(), own.end(), [&](const Var& var) { return var.same_as(dim); })) continue;
      result.kept[i] = true;
      define(fn->params[i]);
      break;
    }
  }
  if (std::all_of(result.kept.begin(), result.kept.end(), [](bool kept) { return kept; }))
    return std::nullopt;
  auto defined_after_all = [&](const Var& dim) { return defined.count(dim.get()) != 0; };
  std::erase_if(result.dims, defined_after_all);
  std::reverse(result.dims.begin(), result.dims.end());  // as TVM orders them
  return result;
}

ChangedSignature reduced(const Function& fn, const Analysis& analysis) {
  Array<Var> params;
  for (size_t i = 0; i < fn->params.size(); ++i) {
    if (analysis.kept[i]) params.push_back(fn->params[i]);
  }
  for (const Var& dim : analysis.dims) {
    Type shape = make<ShapeTypeNode>(Array<Expr>{dim});
    params.push_back(make<VarNode>(String(fmt::format("param_{}", text(dim->name))), shape));
  }
  auto arguments = [analysis, old = fn->params](const CallNode* call) {
    Array<Expr> args;
    for (size_t i = 0; i < call->args.size(); ++i) {
      if (analysis.kept[i]) args.push_back(call->args[i]);
    }
    ir::VarMap values = dims_of_call(old, call);
    for (const Var& dim : analysis.dims) {
      auto found = values.find(dim.get());
      Expr value = found == values.end() ? Expr(dim) : found->second;
      args.push_back(make<ShapeExprNode>(Array<Expr>{value}));
    }
    return args;
  };
  Function next = make<FunctionNode>(params, fn->body, fn->ret_ty, fn->is_pure, fn->attrs, fn->span);
  return {next, arguments};
}

IRModule apply(const IRModule& mod, const PassOptions& options) {
  FunctionUses uses(mod);
  std::map<std::string, ChangedSignature> changed;
  for (const auto& [global, fn] : internal_functions(mod, uses)) {
    std::string name(text(global->name_hint));
    if (auto analysis = analyze(fn, uses.calls[name])) changed.emplace(name, reduced(fn, *analysis));
  }
  if (changed.empty()) return mod;
  return map_functions(change_signatures(mod, changed, *options.host),
                       [](const GlobalVar&, const Function& fn) { return without_unused_bindings(fn); });
}

}  // namespace

extern const Pass remove_unused_parameters =
    graph_module_pass("RemoveUnusedParameters", "RemoveUnusedParameters()", doc, apply);

}  // namespace mlc::transform::pass_remove_unused_parameters
