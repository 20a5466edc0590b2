// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/jumps.h"

#include "ir/core/visit.h"
#include "ir/core/walk_with.h"
#include "ir/tir/op.h"

namespace mlc::transform {

using namespace mlc::ir;  // NOLINT

bool is_jump(const Expr& e) { return as_call_to(e, "tirx.break_loop") || as_call_to(e, "tirx.continue_loop"); }
bool is_jump(const Stmt& s) { return as<BreakNode>(s) || as<ContinueNode>(s); }

bool has_jump(const Stmt& body) {
  return any_below(body, [](const auto& part) { return is_jump(part); });
}

bool has_own_jump(const Stmt& body) {
  bool found = false;
  walk_with(body, [&](const auto& part, Walker& on) {
    if constexpr (std::is_same_v<decltype(part), const Stmt&>) {
      if (as<ForNode>(part) || as<WhileNode>(part)) return;
    }
    found = found || is_jump(part);
    if (!found) on.walk_children(part);
  });
  return found;
}

bool has_return(const Stmt& body) {
  return any_below(body, overloaded{[](const Expr& e) { return as_call_to(e, "tirx.ret") != nullptr; },
                                    [](const Stmt& s) { return as<ReturnNode>(s) != nullptr; }});
}

bool leaves_early(const Stmt& body) { return has_jump(body) || has_return(body); }

}  // namespace mlc::transform
