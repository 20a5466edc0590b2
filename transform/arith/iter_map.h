// SPDX-License-Identifier: Apache-2.0
// Are index expressions a (quasi-)affine map of independent iterators? Each index must be a sum of digits of
// the iterators in mixed radix, every digit used at most once: then block iterators are independent and cover
// their domain, which is what "affine binding" means to schedule primitives.
#pragma once

#include "transform/arith/analyzer.h"

namespace mlc::transform {

struct LoopRange {
  Var var;
  Range range;
};

enum class IterMapCheck : uint8_t {
  kSurjective,  // every value of the indices' box is taken
  kBijective,   // and every iterator is used completely
};

// The indices in their normal form as expressions of the iterators, or nullopt when they are no such map.
// `predicate` restricts the iteration domain (a conjunction of upper bounds such as `i0 * 10 + i1 < 128`).
std::optional<Array<Expr>> normalize_iter_map(const Array<Expr>& indices, const std::vector<LoopRange>& iters,
                                              const Expr& predicate, IterMapCheck check, Analyzer& analyzer,
                                              bool simplify_trivial_iterators = true);

// normalize_iter_map, or the indices as they are when that fails.
Array<Expr> simplify_iter_map(const Array<Expr>& indices, const std::vector<LoopRange>& iters,
                              const Expr& predicate, IterMapCheck check, Analyzer& analyzer,
                              bool simplify_trivial_iterators = true);

// For a bijective map: the iterators in terms of the indices' values, `outputs`; nullopt when it is not one.
// `analyzer` knows the ranges of the outputs.
std::optional<Array<Expr>> invert_iter_map(const Array<Expr>& indices, const std::vector<LoopRange>& iters,
                                           const Array<Var>& outputs, Analyzer& analyzer);

// One more than the largest value of each index; nullopt when the indices are no sums of digits from 0 on.
std::optional<std::vector<Expr>> iter_map_extents(const Array<Expr>& indices,
                                                  const std::vector<LoopRange>& iters, Analyzer& analyzer);

// An index as outer * inner_extent + inner, where `inner` counts from 0 (base aside) through the inner loops.
struct IndexDivision {
  Expr outer, outer_extent;
  Expr inner, inner_extent, inner_base;
};
struct SubspaceDivision {
  std::vector<IndexDivision> indices;
  Expr outer_predicate, inner_predicate;  // of sums that the predicate keeps below their full extent
};
// Cuts the indices between the loops in `inner` and those around them; nullopt when an index mixes both other
// than as inner digits below outer ones.
std::optional<SubspaceDivision> divide_subspace(const Array<Expr>& indices,
                                                const std::vector<LoopRange>& iters,
                                                const std::unordered_set<const VarNode*>& inner,
                                                const Expr& predicate, IterMapCheck check, Analyzer& analyzer,
                                                bool simplify_trivial_iterators = true);

}  // namespace mlc::transform
