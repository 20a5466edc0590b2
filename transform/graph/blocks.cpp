// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/blocks.h"

#include "ir/relax/verify.h"

namespace mlc::transform {
namespace {

struct Join final : relax::Rewriter {
  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    auto* seq = as<SeqExprNode>(next);
    return seq ? joined(ref(seq)) : next;
  }
  static Expr joined(const SeqExpr& seq) {
    bool changes = false;
    for (size_t i = 0; i < seq->blocks.size(); ++i) {
      changes = changes || seq->blocks[i]->bindings.empty() ||
                (i > 0 && is_dataflow(seq->blocks[i - 1]) == is_dataflow(seq->blocks[i]));
    }
    if (!changes) return seq;
    std::vector<std::pair<BindingBlock, Array<Binding>>> groups;  // the first block of each, and all bindings
    for (const BindingBlock& block : seq->blocks) {
      if (block->bindings.empty()) continue;
      if (groups.empty() || is_dataflow(groups.back().first) != is_dataflow(block))
        groups.push_back({block, {}});
      for (const Binding& binding : block->bindings) groups.back().second.push_back(binding);
    }
    Array<BindingBlock> blocks;
    for (const auto& [first, bindings] : groups)
      blocks.push_back(bindings.size() == first->bindings.size() ? first : with_bindings(first, bindings));
    return make<SeqExprNode>(blocks, seq->body, seq->span);
  }
};

struct FindImpureCall final : relax::Visitor {
  bool found = false;
  void visit(const Expr& e) override {
    if (found || e->kind == ExprKind::kFunction) return;
    auto* call = as<CallNode>(e);
    found = call && relax::is_impure(call);
    if (!found) walk_children(e);
  }
};

}  // namespace

Function join_blocks(const Function& fn) { return Join().rewrite(fn).as<Function>().value(); }

bool contains_impure_call(const Expr& value) {
  FindImpureCall impure;
  auto* fn = as<FunctionNode>(value);
  impure.visit(fn ? Expr(fn->body) : value);
  return impure.found;
}

}  // namespace mlc::transform
