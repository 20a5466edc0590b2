// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transform/arith/int_set.h"
#include "transform/arith/iter_map.h"

namespace mlc::transform::sym {

// The values that ranges of constant extent cover while their iterators run, where these are exactly a box:
// dimensions do not depend on each other, and none has holes. nullopt elsewhere.
std::optional<std::vector<IntervalSet>> strict_bound(const Array<Range>& region,
                                                     const std::vector<LoopRange>& iters,
                                                     const Expr& predicate, Analyzer& analyzer);
// The values of a range of constant extent while its iterators run, where its start counts them like digits
// of a number (detect_iter_map) and leaves no holes; null otherwise.
IntervalSet bound_by_digits(const Range& range, const std::vector<LoopRange>& iters, const Expr& predicate,
                            Analyzer& analyzer);

}  // namespace mlc::transform::sym
