// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/tir/arith_ops.h"

namespace mlc::ir {

// Is an integer known to be 0 or more, by its form? `facts` says what its surroundings know:
// is_nonnegative(var), and is_exact(e) of a sum, a product or a conversion: its value is the mathematical one,
// nothing wraps.
template <class Facts>
bool is_nonnegative(const Expr& e, const Facts& facts) {
  if (!e->dtype().is_integral()) return false;
  if (e->dtype().is_uint()) return true;
  if (auto value = const_int(e)) return *value >= 0;
  if (auto* var = as<VarNode>(e)) return facts.is_nonnegative(var);
  auto known = [&](const Expr& part) { return is_nonnegative(part, facts); };
  if (auto* ramp = as<RampNode>(e)) return known(ramp->base) && known(ramp->stride);
  if (auto* broadcast = as<BroadcastNode>(e)) return known(broadcast->value);
  if (auto* cast = as<CastNode>(e)) return facts.is_exact(e) && known(cast->value);
  const BinaryNode* binary = as_binary(e);
  if (binary == nullptr) return false;
  switch (e->kind) {
    case ExprKind::kAdd:
    case ExprKind::kMul:
      return facts.is_exact(e) && known(binary->a) && known(binary->b);
    case ExprKind::kDiv:
    case ExprKind::kFloorDiv:
    case ExprKind::kMod:
    case ExprKind::kMin:
      return known(binary->a) && known(binary->b);
    case ExprKind::kFloorMod:
      return known(binary->b);
    case ExprKind::kMax:
      return known(binary->a) || known(binary->b);
    default:
      return false;
  }
}

}  // namespace mlc::ir
