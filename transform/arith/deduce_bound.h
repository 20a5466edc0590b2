// SPDX-License-Identifier: Apache-2.0
// The bound that a comparison implies for one of its variables.
#pragma once

#include "transform/arith/int_set.h"

namespace mlc::transform {

inline bool depends_on(const Expr& e, const Var& var) {
  return uses_var(e, [&](const VarNode* one) { return one == var.get(); });
}

// Values of `target` for which `condition` holds, whatever the variables of `relaxed` are within their sets.
// `hints` holds the signs of factors. Nothing when `target` cannot be brought to one side.
IntervalSet deduce_bound(const Var& target, const Expr& condition, const Domains& hints,
                         const Domains& relaxed);

}  // namespace mlc::transform
