// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/loop_sequence.h"

#include "ir/tir/op.h"

namespace mlc::transform {

Stmt parent_with(const SRefNode& child, const Stmt& next) {
  struct Insert final : Rewriter {
    const StmtNode* at;
    const Stmt& next;
    Insert(const StmtNode* at, const Stmt& next) : at(at), next(next) {}
    using Rewriter::rewrite;
    Expr rewrite(const Expr& e) override { return e; }
    Stmt rewrite(const Stmt& s) override {
      if (s.get() == at) return next;
      auto* realize = as<SBlockRealizeNode>(s);
      if (realize && realize->block.get() == at) return next;
      return realize || s->kind == StmtKind::kFor ? s : rewrite_children(s);
    }
  };
  return Insert(child.stmt.get(), next).rewrite_children(child.parent->stmt);
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
