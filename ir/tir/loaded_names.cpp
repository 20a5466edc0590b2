// SPDX-License-Identifier: Apache-2.0
#include "ir/tir/loaded_names.h"

#include <algorithm>

namespace mlc::ir {

bool returns_any_number(const Expr& e) {
  if (auto* cast = as<CastNode>(e)) return !cast->value->dtype().element().is_integral();
  if (e->kind == ExprKind::kLet) return true;
  if (e->kind != ExprKind::kCall) return false;
  static constexpr std::string_view of_indices[] = {"tirx.if_then_else", "tirx.likely", "tirx.vscale"};
  return std::none_of(std::begin(of_indices), std::end(of_indices),
                      [&](std::string_view name) { return as_call_to(e, name); });
}

bool LoadedNames::operands_may_overflow(const Expr& e) const {
  auto may_overflow = [this](const Expr& part) { return side_effect(part) > Effect::kPure || used_in(part); };
  if (auto* two = as_binary(e)) {
    bool sum = e->kind == ExprKind::kAdd || e->kind == ExprKind::kSub || e->kind == ExprKind::kMul;
    return !sum && (may_overflow(two->a) || may_overflow(two->b));
  }
  if (auto* cast = as<CastNode>(e))
    return cast->dtype().bits() < cast->value->dtype().bits() && may_overflow(cast->value);
  auto* call = as<CallNode>(e);
  if (!call || as_call_to(e, "tirx.if_then_else") || as_call_to(e, "tirx.likely")) return false;
  return std::any_of(call->args.begin(), call->args.end(), may_overflow);
}

}  // namespace mlc::ir
