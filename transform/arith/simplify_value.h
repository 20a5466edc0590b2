// SPDX-License-Identifier: Apache-2.0
// Simplification of what a program computes, as opposed to where it computes it. Indices are taken not to
// overflow; integers that come from memory are any numbers of their type, and sums of them wrap.
#pragma once

#include "transform/arith/analyzer.h"

namespace mlc::transform {

// analyzer.simplify(e), but no rule that takes integer arithmetic not to overflow (terms moved across a
// comparison, quotients of sums, extremes of sums, sums under casts) sees into a sum or product of loaded
// values, unless bounds show that it stays within its type. Indices of loads are simplified as indices.
Expr simplify_value(const Expr& e, Analyzer& analyzer);
// The same for an index of a buffer: its own sums and products do not overflow, those of loaded values behind
// a remainder, a clip or a comparison may: `A[B[i] * 3 % 3]`.
Expr simplify_index(const Expr& e, Analyzer& analyzer);

// Tells the analyzer of all names in a tree (Analyzer::bind_name).
void bind_names(const Stmt& body, Analyzer& analyzer);
// And of the parameters that are any number: those of a function that returns one, but for sizes and places,
// which stand in extents of loops, shapes and indices.
void bind_names(const PrimFunc& fn, Analyzer& analyzer);
void bind_parameters(const PrimFunc& fn, Analyzer& analyzer);

}  // namespace mlc::transform
