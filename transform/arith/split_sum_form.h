// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transform/arith/analyzer.h"

namespace mlc::transform {

// Quotients and remainders of sums by constants, split where that is exact. Longer than what `simplify`
// returns, but two ways to count the digits of an index come out alike:
//   (x * 8 + y) % 16    =>    x % 2 * 8 + y              where 0 <= y < 8
//   (x * 8 + y) // 16   =>    x // 2                     where 0 <= y < 8
//   (x + 15) // 6       =>    x // 6 + (x % 6 + 15) // 6
Expr split_sum_form(const Expr& e, Analyzer& analyzer);

}  // namespace mlc::transform
