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
  if (auto* choice = as<SelectNode>(e)) {
    Expr condition = rewrite(choice->condition);
    if (!condition->dtype().is_scalar()) return rewrite_children(e);
    Expr yes = where(condition, choice->true_value);
    Expr no = where(analyzer.rewrite_simplify(logical_not(condition)), choice->false_value);
    if (auto one = fold_choice(condition, yes, no)) return *one;
    if (condition.same_as(choice->condition) && yes.same_as(choice->true_value) &&
        no.same_as(choice->false_value)) {
      return e;
    }
    return make<SelectNode>(condition, yes, no, e->span);
  }
  if (auto* choice = as_call_to(e, "tirx.if_then_else")) {
    Expr condition = rewrite(choice->args[0]);
    Expr yes = where(condition, choice->args[1]);
    Expr no = where(analyzer.rewrite_simplify(logical_not(condition)), choice->args[2]);
    if (auto one = fold_choice(condition, yes, no)) return *one;
    if (condition.same_as(choice->args[0]) && yes.same_as(choice->args[1]) && no.same_as(choice->args[2]))
      return e;
    return with(ref(choice), [&](CallNode& n) { n.args = {condition, yes, no}; });
  }
  return rewrite_children(e);
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
  if (auto* attr = as<AttrStmtNode>(s)) {
    if (auto iter = attr->node.as<IterVar>();
        iter && (attr->attr_key == "thread_extent" || attr->attr_key == "virtual_thread")) {
      analyzer.bind((*iter)->var, make<RangeNode>(const_like(attr->value, 0), attr->value));
    }
  }
  if (auto* bind = as<BindNode>(s)) {
    Expr value = rewrite(bind->value);
    if (side_effect(value) <= Effect::kPure) analyzer.bind(bind->var, value);
    return value.same_as(bind->value) ? s : Stmt(make<BindNode>(bind->var, value, s->span));
  }
  return rewrite_children(s);
}

}  // namespace mlc::transform
