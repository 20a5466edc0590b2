// SPDX-License-Identifier: Apache-2.0
// Simplification of divisions that needs residues and bounds. Each returns null when it does not apply.
#pragma once

#include "transform/arith/analyzer.h"

namespace mlc::transform {

// Before the rows of `//`: vectors, nested divisions, and sums of which a part is a multiple of the divisor.
Expr rewrite_floordiv(const Expr& e, AnalyzerImpl& analyzer);
// Scalars of 32 bits or more without a sign, which have no rows.
Expr rewrite_unsigned_division(const Expr& e, AnalyzerImpl& analyzer);
// Vectors, before the rows of `%`; after those of truncmod, where no lane starts below 0.
Expr rewrite_floormod_lanes(const Expr& e, AnalyzerImpl& analyzer);
// After the rows of `%` and truncmod: remainders known from residues or bounds.
Expr rewrite_remainder(const Expr& e, AnalyzerImpl& analyzer);

}  // namespace mlc::transform
