// SPDX-License-Identifier: Apache-2.0
// Boxes of a buffer whose indices share iterators, as `B[v // 6, v % 6]`, or are sums of some, as
// `B[vi * 6 + vj]`: the iterations that touch them.
#pragma once

#include "transform/schedule/compute_location.h"

namespace mlc::transform {

// The parts of a block's iterators for which `indices` are in `needed`, without bounds to test: exactly these
// iterations, or, where that is not asked for, perhaps more. `shape`: the buffer's; `bound` of a result is
// where it stays in the buffer. nullopt when the indices are no one-to-one map of the iterators, or the
// iterations are no box.
std::optional<std::unordered_map<const VarNode*, IterDomain>> invert_affine_index(
    const Array<IterVar>& iters, const Array<Expr>& indices, const std::vector<Interval>& needed,
    const Array<Expr>& shape, bool exact, Analyzer& analyzer);

}  // namespace mlc::transform
