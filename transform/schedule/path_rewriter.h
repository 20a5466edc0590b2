// SPDX-License-Identifier: Apache-2.0
// Rewriting with the condition in mind under which an expression is evaluated.
#pragma once

#include <utility>

#include "transform/schedule/analysis.h"

namespace mlc::transform {

// What is done under a condition: iterators go through a part of their values.
class PathRewriter : public Rewriter {
 protected:
  template <class Node>
  Node under(const Expr& condition, const Node& node) {
    Expr outside = std::exchange(predicate_, logical_and(predicate_, condition));
    Node next = rewrite(node);
    predicate_ = outside;
    return next;
  }
  // An `if_then_else`, each of its values under its condition.
  Expr rewrite_choice(const Expr& e, const CallNode* choice) {
    Expr condition = rewrite(choice->args[0]);
    Expr a = under(condition, choice->args[1]), b = under(logical_not(condition), choice->args[2]);
    bool same =
        condition.same_as(choice->args[0]) && a.same_as(choice->args[1]) && b.same_as(choice->args[2]);
    return same ? e : if_then_else(condition, a, b);
  }

  Expr predicate_ = bool_imm(true);
};

}  // namespace mlc::transform
