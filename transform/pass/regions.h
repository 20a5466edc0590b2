// SPDX-License-Identifier: Apache-2.0
// What part of a buffer a statement touches: index expressions as intervals over the loops inside it.
#pragma once

#include "transform/arith/analyzer.h"

namespace mlc::transform {

// All values from min to max, both included; null ends mean that nothing is known.
struct Interval {
  Expr min;
  Expr max;
  explicit operator bool() const { return min && max; }
};
using Domain = std::unordered_map<const VarNode*, Interval>;

// The values of `e` while the variables of `domain` run through their intervals; other variables stay
// symbolic. A superset where variables are correlated; without ends for what memory decides.
Interval interval_of(const Expr& e, const Domain& domain, Analyzer& analyzer);
// The values of all points of a range.
Interval interval_of(const Range& range, const Domain& domain, Analyzer& analyzer);
Interval unite(const Interval& a, const Interval& b, Analyzer& analyzer);

}  // namespace mlc::transform
