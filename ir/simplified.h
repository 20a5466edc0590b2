// SPDX-License-Identifier: Apache-2.0
// Simplification for rooms below the analyzer.
#pragma once

#include "ir/expr.h"

namespace mlc::ir {

// By the simplifier that was set for regions (set_region_simplifier) where there are divisions, bounds or
// choices in `e`, else by linear arithmetic.
Expr simplified(const Expr& e);

}  // namespace mlc::ir
