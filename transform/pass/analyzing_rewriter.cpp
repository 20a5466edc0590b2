// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/analyzing_rewriter.h"

#include "ir/tir/op.h"
#include "transform/pass/fold_constant_branches.h"

namespace mlc::transform {

template <class T>
T AnalyzingRewriter::where(const Expr& condition, const T& x) {
  auto inside = analyzer.assume(condition);
  return rewrite(x);
}

Expr AnalyzingRewriter::rewrite(const Expr& e) {
  auto choice = as_choice(e);
  if (!choice) return rewrite_children(e);
  bool is_select = as<SelectNode>(e) != nullptr;
  Expr condition = rewrite(choice->condition);
  if (!condition->dtype().is_scalar()) return rewrite_children(e);
  Expr yes = where(condition, choice->yes);
  Expr no = where(analyzer.rewrite_simplify(logical_not(condition)), choice->no);
  if (auto one = fold_choice(condition, yes, no)) return *one;
  if (condition.same_as(choice->condition) && yes.same_as(choice->yes) && no.same_as(choice->no)) return e;
  if (is_select) return make<SelectNode>(condition, yes, no, e->span);
  return with(ref(as<CallNode>(e)), [&](CallNode& n) { n.args = {condition, yes, no}; });
}

Stmt AnalyzingRewriter::rewrite(const Stmt& s) {
  if (auto* loop = as<ForNode>(s)) {
    analyzer.bind(loop->loop_var, make<RangeNode>(loop->min, loop->extent));
    return rewrite_children(s);
  }
  if (auto* branch = as<IfThenElseNode>(s)) {
    Expr condition = rewrite(branch->condition);
    Expr bare = condition;
    if (auto* likely = as_call_to(condition, "tirx.likely")) bare = likely->args[0];
    Stmt yes = where(bare, branch->then_case);
    Stmt no = branch->else_case;
    if (no) no = where(analyzer.rewrite_simplify(logical_not(bare)), no);
    if (auto one = fold_branch(condition, yes, no)) return *one;
    if (condition.same_as(branch->condition) && yes.same_as(branch->then_case) &&
        no.same_as(branch->else_case)) {
      return s;
    }
    return make<IfThenElseNode>(condition, yes, no, s->span);
  }
  if (IterVar thread = opened_thread(s)) {
    const Expr& extent = as<AttrStmtNode>(s)->value;
    analyzer.bind(thread->var, make<RangeNode>(const_like(extent, 0), extent));
  }
  if (auto* bind = as<BindNode>(s)) {
    Expr value = rewrite(bind->value);
    analyzer.bind_name(bind->var, value);
    if (side_effect(value) <= Effect::kPure) analyzer.bind(bind->var, value);
    return value.same_as(bind->value) ? s : Stmt(make<BindNode>(bind->var, value, s->span));
  }
  return rewrite_children(s);
}

}  // namespace mlc::transform
