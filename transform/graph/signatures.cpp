// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/signatures.h"

#include <algorithm>

namespace mlc::transform {

FunctionUses::FunctionUses(const IRModule& mod) {
  struct Collect final : Visitor {
    FunctionUses& uses;
    explicit Collect(FunctionUses& uses) : uses(uses) {}
    void visit(const Expr& e) override {
      auto* call = as<CallNode>(e);
      if (auto* callee = call ? as<GlobalVarNode>(call->op) : nullptr) {
        uses.calls[std::string(text(callee->name_hint))].push_back(ref(call));
        for (const Expr& arg : call->args) visit(arg);
        return;
      }
      if (auto* global = as<GlobalVarNode>(e)) uses.values.emplace(text(global->name_hint));
      walk_children(e);
    }
  } collect(*this);
  for (const auto& [name, fn] : mod->functions) {
    if (auto* graph = Any(fn).as<FunctionNode>()) collect.visit(ref(graph));
  }
}

std::vector<std::pair<GlobalVar, Function>> internal_functions(const IRModule& mod,
                                                               const FunctionUses& uses) {
  std::vector<std::pair<GlobalVar, Function>> all;
  for (const auto& [name, fn] : mod->functions) {
    auto* graph = Any(fn).as<FunctionNode>();
    if (graph && !ir::attr(fn, "global_symbol") && uses.values.count(std::string(text(name->name_hint))) == 0)
      all.emplace_back(name, ref(graph));
  }
  return all;
}

namespace {

class ChangeCalls final : public Mutator {
 public:
  ChangeCalls(Host& host, const IRModule& mod, const std::map<std::string, ChangedSignature>& changed)
      : Mutator(host, mod), mod_(mod), changed_(changed) {}

  void rewrite_binding(const Binding& binding) override {
    const ChangedSignature* callee = callee_of(binding->value);
    if (callee && !callee->results.empty()) results_[binding->var.get()] = &callee->results;
    Mutator::rewrite_binding(binding);
  }
  Expr rewrite(const Expr& e) override {
    if (auto* item = as<TupleGetItemNode>(e)) {
      auto found = results_.find(as<VarNode>(item->tuple_value));
      if (found != results_.end()) return element(item, *found->second);
    }
    const ChangedSignature* callee = callee_of(e);
    if (!callee) return rewrite_children(e);
    Expr next = rewrite_children(e);
    auto* call = as<CallNode>(next);
    GlobalVar global = mod_->find(text(as<GlobalVarNode>(call->op)->name_hint));
    Array<Expr> args = callee->arguments ? callee->arguments(call) : call->args;
    return make<CallNode>(Type(nullptr), global, args, call->attrs, call->span, call->ty_args);
  }

 private:
  const ChangedSignature* callee_of(const Expr& e) const {
    auto* call = as<CallNode>(e);
    auto* global = call ? as<GlobalVarNode>(call->op) : nullptr;
    auto found = global ? changed_.find(std::string(text(global->name_hint))) : changed_.end();
    return found == changed_.end() ? nullptr : &found->second;
  }
  Expr element(const TupleGetItemNode* item, const std::vector<int64_t>& results) {
    int64_t index = results.at(static_cast<size_t>(item->index));
    MLC_CHECK(index >= 0, "an element of a result that was removed is used");
    auto left = std::count_if(results.begin(), results.end(), [](int64_t each) { return each >= 0; });
    Expr tuple = rewrite(item->tuple_value);
    return left == 1 ? tuple : Expr(make<TupleGetItemNode>(tuple, index, item->span));
  }

  const IRModule& mod_;
  const std::map<std::string, ChangedSignature>& changed_;
  std::unordered_map<const VarNode*, const std::vector<int64_t>*> results_;
};

}  // namespace

IRModule change_signatures(const IRModule& mod, const std::map<std::string, ChangedSignature>& changed,
                           Host& host) {
  Map<GlobalVar, BaseFunc> functions;
  for (const auto& [name, fn] : mod->functions) {
    auto found = changed.find(std::string(text(name->name_hint)));
    if (found == changed.end()) {
      functions.Set(name, fn);
    } else {
      const Function& next = found->second.fn;
      functions.Set(make<GlobalVarNode>(name->name_hint, next->ty, name->span), next);
    }
  }
  IRModule next = with(mod, [&](IRModuleNode& n) { n.functions = functions; });
  IRModule result = next;
  for (const auto& [name, fn] : next->functions) {
    auto* graph = Any(fn).as<FunctionNode>();
    if (!graph) continue;
    Function rewritten = ChangeCalls(host, next, changed).rewrite_function(ref(graph));
    if (!rewritten.same_as(fn)) result = with_function(result, name, rewritten);
  }
  return result;
}

Function with_result_of_body(const Function& fn, const InferContext& context) {
  const Type& type = fn->body->body->ty;
  std::unordered_set<const VarNode*> known;
  for (const Var& param : fn->params)
    for (const Var& var : definable_vars(param->ty)) known.insert(var.get());
  Type result = erase_to_defined(
      type, [&](const VarNode* var) { return known.count(var) != 0; }, context);
  return make<FunctionNode>(fn->params, fn->body, result, fn->is_pure, fn->attrs, fn->span);
}

}  // namespace mlc::transform
