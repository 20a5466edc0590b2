// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/fresh_binders.h"
#include "transform/pass/pass.h"

namespace mlc::transform {
namespace {

constexpr char doc[] =
    R"(HoistIfThenElse(variant=None): a condition that does not depend on the loop is asked before it.

    for j in range(m):                      if i < n:
        if i < n:                   =>          for j in range(m):
            S                                       S
needs: the branch is the whole body of the loop; its condition reads no memory and no name bound in the function.
keeps: the order of statements. A branch inside the branch is asked before the loop as well, and so is one in its
`else`. StmtSimplify and RemoveNoOp follow.
After vectorization (vector loops are gone), before unrolling multiplies the conditions.)";

struct Hoist final : Rewriter {
  std::unordered_set<const VarNode*> bound;

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override { return e; }
  Stmt rewrite(const Stmt& s) override {
    if (auto* bind = as<BindNode>(s)) bound.insert(bind->var.get());
    Stmt next = rewrite_children(s);
    auto* loop = as<ForNode>(next);
    return loop && loop->for_kind != ForKind::kThreadBinding ? around(*loop, loop->body) : next;
  }

 private:
  // The loop with this body, its conditions before it.
  Stmt around(const ForNode& loop, const Stmt& body) {
    auto* branch = as<IfThenElseNode>(body);
    auto is_inside = [&](const VarNode* var) { return var == loop.loop_var.get() || bound.contains(var); };
    if (!branch || side_effect(branch->condition) > Effect::kPure || uses_var(branch->condition, is_inside))
      return body.same_as(loop.body) ? Stmt(ref(&loop))
                                     : with(ref(&loop), [&](ForNode& n) { n.body = body; });
    Stmt otherwise = nullptr;
    if (branch->else_case) otherwise = FreshBinders().rewrite(around(loop, branch->else_case));
    return make<IfThenElseNode>(branch->condition, around(loop, branch->then_case), otherwise, branch->span);
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) { return with_body(fn, Hoist().rewrite(fn->body)); }

constexpr PassPart parts[] = {
    {"s_tir.InsertHoistIfThenElse", apply}, {"s_tir.StmtSimplify"}, {"tirx.RemoveNoOp"}};

}  // namespace

extern const Pass hoist_if_then_else{
    "HoistIfThenElse", "s_tir.transform", "HoistIfThenElse(variant=None)", doc, nullptr, nullptr, parts};

}  // namespace mlc::transform
