// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transform/graph/canonicalize.h"
#include "transform/graph/dead_code.h"
#include "transform/graph/signatures.h"

namespace mlc::transform::pass_remove_unused_outputs {
namespace {

constexpr char doc[] = R"(RemoveUnusedOutputs(): private functions return only what their callers use.

    @R.function(private=True)                    @R.function(private=True)
    def f(x):                                    def f(x):
        return (R.exp(x), R.abs(x))      =>          return R.exp(x)
    t = cls.f(a)                                 e = cls.f(a)
    e = t[0]
needs: nothing. Functions that are exported, or that are values, return what they did, and so do those of which the
whole tuple is used somewhere.
keeps: values. Dead code and functions that nothing reaches go.)";

// For functions that return tuples: which elements are used.
struct Usage final : Visitor {
  std::map<std::string, std::vector<bool>> used;
  std::unordered_map<const VarNode*, std::vector<bool>*> results;

  std::vector<bool>* of_call(const Expr& e) {
    auto* call = as<CallNode>(e);
    auto* global = call ? as<GlobalVarNode>(call->op) : nullptr;
    auto found = global ? used.find(std::string(text(global->name_hint))) : used.end();
    return found == used.end() ? nullptr : &found->second;
  }
  void visit_binding(const Binding& binding) override {
    std::vector<bool>* callee = as_match_cast(binding) ? nullptr : of_call(binding->value);
    if (!callee) return walk_binding(binding);
    results[binding->var.get()] = callee;
    walk_children(binding->value);
  }
  void visit(const Expr& e) override {
    if (auto* item = as<TupleGetItemNode>(e)) {
      if (auto found = results.find(as<VarNode>(item->tuple_value)); found != results.end()) {
        found->second->at(static_cast<size_t>(item->index)) = true;
        return;
      }
    }
    if (auto found = results.find(as<VarNode>(e)); found != results.end()) use_all(*found->second);
    if (std::vector<bool>* callee = of_call(e)) use_all(*callee);
    walk_children(e);
  }
  static void use_all(std::vector<bool>& mask) { mask.assign(mask.size(), true); }
};

ChangedSignature reduced(const Function& fn, const std::vector<bool>& used) {
  const Expr& value = fn->body->body;
  const auto* type = as_type<TupleTypeNode>(fn->ret_ty);
  auto* tuple = as<TupleNode>(value);
  ChangedSignature changed;
  Array<Expr> left;
  Array<Type> types;
  for (size_t i = 0; i < used.size(); ++i) {
    changed.results.push_back(used[i] ? static_cast<int64_t>(left.size()) : -1);
    if (!used[i]) continue;
    left.push_back(tuple ? tuple->elements[i] : Expr(make<TupleGetItemNode>(value, static_cast<int64_t>(i))));
    types.push_back(type->elements[i]);
  }
  bool one = left.size() == 1;
  Expr result = one ? left[0] : Expr(make<TupleNode>(left));
  Type result_type = one ? types[0] : Type(make<TupleTypeNode>(types));
  SeqExpr body = make<SeqExprNode>(fn->body->blocks, result, fn->body->span);
  changed.fn = make<FunctionNode>(fn->params, body, result_type, fn->is_pure, fn->attrs, fn->span);
  return changed;
}

IRModule apply(const IRModule& mod, const PassOptions& options) {
  FunctionUses uses(mod);
  auto functions = internal_functions(mod, uses);
  Usage usage;
  for (const auto& [name, fn] : functions) {
    if (const auto* type = as_type<TupleTypeNode>(fn->ret_ty))
      usage.used[std::string(text(name->name_hint))] = std::vector<bool>(type->elements.size(), false);
  }
  for (const auto& [name, fn] : mod->functions) {
    if (auto* graph = Any(fn).as<FunctionNode>()) usage.visit(ref(graph));
  }
  std::map<std::string, ChangedSignature> changed;
  for (const auto& [name, fn] : functions) {
    auto found = usage.used.find(std::string(text(name->name_hint)));
    if (found == usage.used.end()) continue;
    const std::vector<bool>& used = found->second;
    if (std::find(used.begin(), used.end(), false) != used.end())
      changed.emplace(found->first, reduced(fn, used));
  }
  IRModule next = changed.empty() ? mod : change_signatures(mod, changed, *options.host);
  return without_dead_code(canonicalize_bindings(next, *options.host));
}

}  // namespace

extern const Pass remove_unused_outputs =
    graph_module_pass("RemoveUnusedOutputs", "RemoveUnusedOutputs()", doc, apply);

}  // namespace mlc::transform::pass_remove_unused_outputs
