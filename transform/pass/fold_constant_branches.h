// SPDX-License-Identifier: Apache-2.0
// Branches and choices whose condition has become a constant.
#pragma once

#include <optional>

#include "ir/tir/op.h"
#include "transform/pass/pass.h"

namespace mlc::transform {

// What is left of a branch or a choice under this condition: one of the two where the condition is a
// constant.
template <class T>
std::optional<T> fold_choice(const Expr& condition, const T& yes, const T& no) {
  auto* likely = as_call_to(condition, "tirx.likely");
  const Expr& bare = likely ? likely->args[0] : condition;
  if (is_const_int(bare, 1)) return yes;
  if (is_const_int(bare, 0)) return no;
  return std::nullopt;
}
// As above, of the arms of a statement: no second one is nothing to do.
inline std::optional<Stmt> fold_branch(const Expr& condition, const Stmt& yes, const Stmt& no) {
  return fold_choice<Stmt>(condition, yes, no ? no : no_op());
}

// T.Select or T.if_then_else.
struct Choice {
  Expr condition, yes, no;
};
inline std::optional<Choice> as_choice(const Expr& e) {
  if (auto* select = as<SelectNode>(e))
    return Choice{select->condition, select->true_value, select->false_value};
  auto* call = as_call_to(e, "tirx.if_then_else");
  return call ? std::optional(Choice{call->args[0], call->args[1], call->args[2]}) : std::nullopt;
}
// The expression, or what is left of it where it is a choice whose condition is a constant.
inline Expr fold_constant_branch(const Expr& e) {
  auto choice = as_choice(e);
  return choice ? fold_choice(choice->condition, choice->yes, choice->no).value_or(e) : e;
}
inline Stmt fold_constant_branch(const Stmt& s) {
  auto* branch = as<IfThenElseNode>(s);
  return branch ? fold_branch(branch->condition, branch->then_case, branch->else_case).value_or(s) : s;
}

}  // namespace mlc::transform
