// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/pass.h"

namespace mlc::transform {
namespace {

constexpr char doc[] =
    R"(HoistIfThenElse(variant=None): a condition that does not depend on the loop is asked before it.

    for j in range(m):                      if i < n:
        if i < n:                   =>          for j in range(m):
            S                                       S
needs: the branch is the whole body of the loop and has no `else`; its condition reads no memory.
keeps: the order of statements.
After vectorization (vector loops are gone), before unrolling multiplies the conditions.)";

struct Hoist final : Rewriter {
  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override { return e; }
  Stmt rewrite(const Stmt& s) override {
    Stmt next = rewrite_children(s);
    auto* loop = as<ForNode>(next);
    if (!loop || loop->for_kind == ForKind::kThreadBinding) return next;
    auto* branch = as<IfThenElseNode>(loop->body);
    if (!branch || branch->else_case || side_effect(branch->condition) > Effect::kPure) return next;
    if (uses_var(branch->condition, [&](const VarNode* var) { return var == loop->loop_var.get(); }))
      return next;
    Stmt inner = with(ref(loop), [&](ForNode& n) { n.body = branch->then_case; });
    return make<IfThenElseNode>(branch->condition, inner, Stmt(nullptr), branch->span);
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) { return with_body(fn, Hoist().rewrite(fn->body)); }

}  // namespace

extern const Pass hoist_if_then_else{"HoistIfThenElse", "s_tir.transform", "HoistIfThenElse(variant=None)",
                                     doc, apply};

}  // namespace mlc::transform
