// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/jumps.h"

#include "ir/core/visit.h"
#include "ir/tir/op.h"

namespace mlc::transform {

using namespace mlc::ir;  // NOLINT

bool has_jump(const Stmt& body) {
  bool found = false;
  post_order(
      body,
      [&](const Expr& e) {
        found |= as_call_to(e, "tirx.break_loop") || as_call_to(e, "tirx.continue_loop");
      },
      [&](const Stmt& s) { found |= as<BreakNode>(s) || as<ContinueNode>(s); });
  return found;
}

bool has_own_jump(const Stmt& body) {
  struct Jumps final : Walker {
    bool found = false;
    void visit(const Expr& e) override {
      found = found || as_call_to(e, "tirx.break_loop") || as_call_to(e, "tirx.continue_loop");
    }
    void visit(const Stmt& s) override {
      if (found || as<ForNode>(s) || as<WhileNode>(s)) return;
      found = as<BreakNode>(s) || as<ContinueNode>(s);
      walk_children(s);
    }
  } jumps;
  jumps.visit(body);
  return jumps.found;
}

bool has_return(const Stmt& body) {
  bool found = false;
  post_order(
      body, [&](const Expr& e) { found |= as_call_to(e, "tirx.ret") != nullptr; },
      [&](const Stmt& s) { found |= as<ReturnNode>(s) != nullptr; });
  return found;
}

bool leaves_early(const Stmt& body) { return has_jump(body) || has_return(body); }

}  // namespace mlc::transform
