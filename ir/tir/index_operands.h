// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/tir/op.h"

namespace mlc::ir {

// An index lies in its buffer, so its sums and products do not overflow. Behind anything else in it (a
// remainder, a clip, a comparison) those of loaded numbers may: is `e`, a part of an index, such a thing?
// `A[B[i] * B[i] % 3]`.
inline bool operands_may_overflow(const BinaryNode* e) {
  bool sums = e->kind == ExprKind::kAdd || e->kind == ExprKind::kSub || e->kind == ExprKind::kMul;
  return !sums && (side_effect(e->a) > Effect::kPure || side_effect(e->b) > Effect::kPure);
}

}  // namespace mlc::ir
