// SPDX-License-Identifier: Apache-2.0
// What code generators need of the shapes of buffers.
#pragma once

#include <optional>

#include "ir/core/expr.h"

namespace mlc::backend {

// The offset of an element of a buffer from its data pointer, in elements: row-major
// ((i0 * d1 + i1) * d2 + i2) ..., or the sum of index * stride; and the buffer's own offset.
ir::Expr flat_index(const ir::Buffer& buffer, const ir::Array<ir::Expr>& indices);

// May it have more elements than int32 counts?
bool is_long(const ir::BufferTypeNode* type);

// What a function allocates lives on its stack up to this size.
constexpr int64_t kStackBytes = 16384;
// The largest value of an extent, none of whose parts is negative, where its form bounds it: what is cut out
// of a loop over n is min(n, 6) long.
std::optional<int64_t> at_most(const ir::Expr& e);
// An extent is computed before the loops around what is stored there are known to run: one that divides by
// the size of a loop that makes no steps, as those of fused loops do, must not stop the process.
ir::Expr without_zero_divisors(const ir::Expr& e);

}  // namespace mlc::backend
