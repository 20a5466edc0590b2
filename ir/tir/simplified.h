// SPDX-License-Identifier: Apache-2.0
// Simplification for rooms below the analyzer, which is handed to them.
#pragma once

#include <functional>

#include "ir/core/expr.h"
#include "ir/core/module.h"

namespace mlc::ir {

// The same value written simpler: Analyzer::simplify, or Host::simplify of whoever is called.
using Simplify = std::function<Expr(const Expr&)>;

// By `simplify` where there are divisions, bounds or choices in `e`, else by linear arithmetic, which is much
// cheaper.
Expr simplified(const Expr& e, const Simplify& simplify);

// Simplified, and quotients by which remainders are completed: (c // b) * b + c % b is c. What indices of
// rows and columns make of the offset of an element.
Expr merge_remainders(const Expr& e, const Simplify& simplify);

// The module as its text would read: extents of loops are simplified then, as TVM's are. Loops of one T.grid,
// which stay as written, too, so that it serves to compare.
IRModule with_simplified_bounds(const IRModule& mod, const Simplify& simplify);

}  // namespace mlc::ir
