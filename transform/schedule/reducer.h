// SPDX-License-Identifier: Apache-2.0
// Reductions that can be regrouped: which associative and commutative operation a reduction block computes.
#pragma once

#include "transform/schedule/primitive.h"

namespace mlc::transform {

// An operation on tuples: result = combine(lhs, rhs), and the tuple that changes nothing.
struct Reducer {
  size_t arity;
  std::vector<Expr> (*combine)(const std::vector<Expr>& x, const std::vector<Expr>& y);
  std::vector<Expr> (*identity)(const std::vector<DataType>& types);
};

// What a reduction block does, read from its init and body: buffers[i][indices] = combine(.., rhs)[i].
struct Reduction {
  const Reducer* reducer;
  std::vector<Buffer> buffers;
  Array<Expr> indices;
  std::vector<Expr> identity;
  std::vector<Expr> rhs;
};

// Errors: reduction-not-stores, reduction-without-reducer.
Reduction reduction_of(const SRefNode& block, Span span);

}  // namespace mlc::transform
