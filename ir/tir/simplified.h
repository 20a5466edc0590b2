// SPDX-License-Identifier: Apache-2.0
// Simplification for rooms below the analyzer.
#pragma once

#include "ir/core/expr.h"
#include "ir/core/module.h"

namespace mlc::ir {

// By the simplifier that was set for regions (set_region_simplifier) where there are divisions, bounds or
// choices in `e`, else by linear arithmetic.
Expr simplified(const Expr& e);

// By that simplifier, whatever there is in `e`.
Expr simplified_throughout(const Expr& e);

// The same, and quotients by which remainders are completed: (c // b) * b + c % b is c. What indices of rows
// and columns make of the place of an element.
Expr merge_remainders(const Expr& e);

// The module as its text would read: extents of loops are simplified then, as TVM's are. Loops of one T.grid,
// which stay as written, too, so that it serves to compare.
IRModule with_simplified_bounds(const IRModule& mod);

}  // namespace mlc::ir
