// SPDX-License-Identifier: Apache-2.0
// The canonical form of index arithmetic: base + sum of (index % upper // lower) * scale.
#pragma once

#include <vector>

#include "ir/tir/arith_ops.h"

namespace mlc::transform {

using namespace mlc::ir;  // NOLINT: the nodes are the language of this folder

// Which pair of division and remainder a term uses. They agree where the index is not negative.
enum class Rounding : uint8_t { kFloor, kTruncate };

// (index % upper // lower) * scale, with 1 <= lower and, unless upper is infinite, upper % lower == 0.
struct LinearTerm {
  static constexpr int64_t kNoUpper = INT64_MAX;
  Expr index;
  int64_t lower = 1;
  int64_t upper = kNoUpper;
  int64_t scale = 1;
  Rounding rounding = Rounding::kFloor;
};

// Terms of one index are adjacent, larger `lower` first.
struct LinearSum {
  DataType dtype = DataType::Int(32);
  std::vector<LinearTerm> terms;
  int64_t base = 0;
  bool summed = false;  // came of + or -: then a lone -2x is written `0 - x * 2`, else `x * -2`

  bool is_const() const { return terms.empty(); }
  // False where a scale or the base is no number of the type any more: then the sum means nothing.
  bool add(LinearTerm term, int64_t factor);
  bool add(const LinearSum& other, int64_t factor);
  bool multiply(int64_t factor);
  // By an exact divisor of base and all scales.
  void divide_exactly(int64_t divisor);
  // The part whose scales (and base) are multiples of `divisor`; the rest stays in `rest`.
  LinearSum divisible_part(int64_t divisor, LinearSum& rest) const;
  // Terms that are adjacent digits of one index joined, the largest scale first.
  void merge();
  Expr expr() const;  // `a * 4 + b - 1`: positive terms first
};

bool same_terms(const LinearSum& a, const LinearSum& b);

}  // namespace mlc::transform
