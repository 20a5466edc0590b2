// SPDX-License-Identifier: Apache-2.0
// Reductions of tensor expressions: what te.sum, te.max and tirx.max make.
#pragma once

#include "ir/core/expr.h"

namespace mlc::ir {

using Combine = Expr (*)(Expr, Expr, Span);

// Refuses axes that are none of reductions. Error: te-not-a-reduce-axis.
void expect_reduce_axis(const IterVar& axis, Span span);
// `combine` over all points of the axes where `condition` holds, from `neutral` on, or from `init` where it
// is not empty.
Expr reduce_over(Combine combine, const Expr& neutral, const Expr& source, const Array<IterVar>& axes,
                 const Expr& condition, const Array<Expr>& init, Span span);

}  // namespace mlc::ir
