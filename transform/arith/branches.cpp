// SPDX-License-Identifier: Apache-2.0
// What is simplified under a condition: the arms of a choice, the sides of `and` and `or`.
#include <algorithm>
#include <vector>

#include "ir/core/walk_with.h"
#include "ir/tir/op.h"
#include "transform/arith/analyzer_impl.h"
#include "transform/arith/expr_equal.h"

namespace mlc::transform {
namespace {

// What `e` divides and shifts by, where that may have no value, and what it reads.
std::vector<Expr> partial_operations(const Expr& e) {
  std::vector<Expr> all;
  walk_with(e, [&](const Expr& part, Walker& on) {
    bool shift = part->kind == ExprKind::kLShift || part->kind == ExprKind::kRShift;
    bool division = part->kind >= ExprKind::kDiv && part->kind <= ExprKind::kFloorMod;
    auto* two = shift || division ? as_binary(part) : nullptr;
    if (two && (is_undefined(*two) || !is_number(two->b))) all.push_back(two->b);
    if (as<TensorLoadNode>(part)) all.push_back(part);
    on.walk_children(part);
  });
  return all;
}

bool has_other_partial_operations(const Expr& before, const Expr& after) {
  std::vector<Expr> now = partial_operations(after);
  if (now.empty()) return false;
  std::vector<Expr> old = partial_operations(before);
  return !std::ranges::all_of(now, [&](const Expr& one) {
    return std::ranges::any_of(old, [&](const Expr& other) { return same_expr(one, other); });
  });
}

}  // namespace

// `e` under a condition, though it is computed where that does not hold, too: it may not divide by another
// number nor read another element than without the condition. What lies in it is judged with it, so that
// choices in choices take no longer.
Expr AnalyzerImpl::computed_anyway(const Expr& condition, const Expr& e, const Simplified& simplified) {
  if (branches_ == Branches::kPlain) return simplified(e);
  Expr next;
  {
    Setting<Branches> inner(branches_, Branches::kJudgedAround);
    next = under(condition, e, simplified);
  }
  if (branches_ == Branches::kJudgedAround || next.same_as(e) || !has_other_partial_operations(e, next))
    return next;
  Setting<Branches> inner(branches_, Branches::kPlain);
  Expr plain = simplified(e);
  return has_other_partial_operations(plain, next) ? plain : next;
}

Expr AnalyzerImpl::under(const Expr& condition, const Expr& e, const Simplified& simplified) {
  size_t before = mark();
  assume(condition);
  Expr next = simplified(e);
  forget(before);
  return next;
}

Expr AnalyzerImpl::choice(const Expr& e, const Simplified& simplified) {
  auto* select_node = as<SelectNode>(e);
  auto* call = as<CallNode>(e);
  const Expr& old_condition = select_node ? select_node->condition : call->args[0];
  const Expr& old_true = select_node ? select_node->true_value : call->args[1];
  const Expr& old_false = select_node ? select_node->false_value : call->args[2];
  Expr condition = simplified(old_condition);
  if (!condition->dtype().is_scalar()) {
    Expr true_value = simplified(old_true), false_value = simplified(old_false);
    return select_node ? rewrite_node(make<SelectNode>(condition, true_value, false_value, e->span)) : e;
  }
  auto arm = [&](const Expr& holds, const Expr& value) {
    return select_node ? computed_anyway(holds, value, simplified) : under(holds, value, simplified);
  };
  Expr true_value = arm(condition, old_true);
  // As in TVM, where `not` implies no bounds until it is simplified.
  Expr otherwise = select_node ? rewrite(logical_not(condition)) : Expr(make<NotNode>(condition));
  Expr false_value = arm(otherwise, old_false);
  if (auto constant = const_int(condition)) return *constant ? true_value : false_value;
  bool same =
      condition.same_as(old_condition) && true_value.same_as(old_true) && false_value.same_as(old_false);
  if (same && select_node) return rewrite_node(e);
  if (select_node) return rewrite_node(make<SelectNode>(condition, true_value, false_value, e->span));
  // Two conditions before one constant otherwise are one.
  auto* inner = as_call_to(true_value, "tirx.if_then_else");
  if (inner && is_number(inner->args[2]) && same_expr(inner->args[2], false_value)) {
    condition = logical_and(condition, inner->args[0]);
    true_value = inner->args[1];
    same = false;
  }
  if (same) return e;
  return make<CallNode>(e->ty, call->op, Array<Expr>{condition, true_value, false_value}, call->attrs,
                        e->span);
}

// Each side of `and` and `or` under the condition of the other; twice, because a side that changed may imply
// more. The left side is computed whatever the right one says.
Expr AnalyzerImpl::boolean_branches(const BinaryNode& two, Span span) {
  Expr sides[] = {two.a, two.b};
  bool conjunction = two.kind == ExprKind::kAnd;
  const Simplified simplified = [this](const Expr& part) { return visit(part); };
  int unchanged = 0;
  for (int i = 0; i < 4 && unchanged < 2; ++i) {
    Expr& side = sides[i % 2];
    const Expr& other = sides[1 - i % 2];
    Expr holds = rewrite(conjunction ? other : logical_not(other));
    Expr next = i % 2 == 0 ? computed_anyway(holds, side, simplified) : under(holds, side, simplified);
    unchanged = next.same_as(side) ? unchanged + 1 : 0;
    side = next;
  }
  if (sides[0].same_as(two.a) && sides[1].same_as(two.b)) return ref(&two);
  return binary(two.kind, sides[0], sides[1], span);
}

}  // namespace mlc::transform
