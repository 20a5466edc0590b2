// SPDX-License-Identifier: Apache-2.0
// A loop that becomes several statements: its parent takes them all.
#pragma once

#include "transform/schedule/primitive.h"

namespace mlc::transform {

// The loop or block around `child` with `next` instead of `child`; flattened where `next` is a sequence.
Stmt parent_with(const SRefNode& child, const Stmt& next);

// `e` as a conjunction without `likely`, from left to right.
std::vector<Expr> likely_conjuncts(const Expr& e);

}  // namespace mlc::transform
