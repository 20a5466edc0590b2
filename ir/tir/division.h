// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/core/visit.h"

namespace mlc::ir {

// A quotient or remainder of integers, however it rounds: what stops a process where its divisor is zero.
inline const BinaryNode* as_integer_division(const Expr& e) {
  bool divides = e->kind == ExprKind::kFloorDiv || e->kind == ExprKind::kFloorMod ||
                 e->kind == ExprKind::kDiv || e->kind == ExprKind::kMod;
  return divides && e->dtype().is_integral() ? as_binary(e) : nullptr;
}

}  // namespace mlc::ir
