// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/core/expr.h"

namespace mlc::transform {

// By an analyzer that knows nothing of the names in `e`: what rooms below are handed as ir::Simplify.
ir::Expr simplify(const ir::Expr& e);

}  // namespace mlc::transform
