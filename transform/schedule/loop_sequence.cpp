// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/loop_sequence.h"

#include "ir/core/walk_with.h"
#include "ir/tir/op.h"

namespace mlc::transform {

Stmt parent_with(const SRefNode& child, const Stmt& next) {
  return rewrite_below(child.parent->stmt, [&](const Stmt& s, Rewriter& on) {
    if (s.same_as(child.stmt)) return next;
    auto* realize = as<SBlockRealizeNode>(s);
    if (realize && realize->block.same_as(child.stmt)) return next;
    return realize || s->kind == StmtKind::kFor ? s : on.rewrite_children(s);
  });
}

std::vector<Expr> likely_conjuncts(const Expr& e) {
  std::vector<Expr> parts;
  for (const Expr& part : conjuncts(e)) {
    auto* likely = as_call_to(part, "tirx.likely");
    parts.push_back(likely ? likely->args[0] : part);
  }
  return parts;
}

}  // namespace mlc::transform
