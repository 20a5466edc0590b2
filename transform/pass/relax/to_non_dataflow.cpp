// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/graph_pass.h"

namespace mlc::transform::pass_to_non_dataflow {
namespace {

constexpr char doc[] = R"(ToNonDataflow(): make dataflow blocks ordinary ones.

    with R.dataflow():               lv = R.exp(x)
        lv = R.exp(x)        =>      gv = R.abs(lv)
        gv = R.abs(lv)
        R.output(gv)
needs: nothing.
keeps: the order of bindings, their names and types.
Before the passes that write out allocations and calls with effects, which a dataflow block may not hold.)";

struct Open final : relax::Rewriter {
  std::unordered_map<const VarNode*, Var> opened;

  Expr rewrite(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) return is_dataflow(var) ? Expr(open(ref(var))) : e;
    Expr next = rewrite_children(e);
    auto* seq = as<SeqExprNode>(next);
    return seq ? joined(ref(seq)) : next;
  }
  // Blocks that are alike now become one.
  static Expr joined(const SeqExpr& seq) {
    if (seq->blocks.size() < 2) return seq;
    Array<Binding> all;
    for (const BindingBlock& block : seq->blocks) {
      for (const Binding& binding : block->bindings) all.push_back(binding);
    }
    BindingBlock block = make<BindingBlockNode>(all, seq->blocks[0]->span);
    return make<SeqExprNode>(Array<BindingBlock>{block}, seq->body, seq->span);
  }
  Var rewrite_def(const Var& var) override { return is_dataflow(var) ? open(var) : var; }
  BindingBlock rewrite_block(const BindingBlock& block) override {
    BindingBlock next = rewrite_block_children(block);
    return is_dataflow(next) ? BindingBlock(make<BindingBlockNode>(next->bindings, next->span)) : next;
  }
  Var open(const Var& var) {
    Var& plain = opened[var.get()];
    if (!plain) plain = relax::make_var(false, var->name, var->ty, var->span);
    return plain;
  }
};

Function apply(const Function& fn, const IRModule&, const PassOptions&) {
  return Open().rewrite(fn).as<Function>().value();
}

}  // namespace

extern const Pass to_non_dataflow = graph_pass("ToNonDataflow", "ToNonDataflow()", doc, apply);

}  // namespace mlc::transform::pass_to_non_dataflow
