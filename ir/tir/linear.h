// SPDX-License-Identifier: Apache-2.0
// Integer expressions as sums of atoms with constant factors: enough algebra to compare and subtract bounds
// without the simplifier. Overflow is not considered: these are indices.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "ir/core/expr.h"

namespace mlc::ir {

// Does a comparison of numbers hold? nullopt for other operations.
template <class Number>
std::optional<bool> comparison_holds(ExprKind comparison, Number a, Number b);
// The operation on whole numbers, truths as 0 and 1; nullopt for division by 0, overflow and what is none.
std::optional<int64_t> reckoned(ExprKind operation, int64_t a, int64_t b);
// Is it a number of that type?
bool fits(DataType dtype, int64_t value);

inline int64_t floor_div(int64_t a, int64_t b) { return a / b - ((a % b != 0) && ((a < 0) != (b < 0))); }

// sum(atom * factor) + constant. Atoms are variables and everything that is not linear; equal atoms are one
// term.
struct LinearForm {
  std::vector<std::pair<Expr, int64_t>> terms;  // factors are not 0; in order of first appearance
  int64_t constant = 0;
  DataType dtype = DataType::Int(32);

  static LinearForm of(const Expr& e);
  void add(const LinearForm& other, int64_t times);
  void add_term(const Expr& atom, int64_t factor);
  void scale(int64_t by);
  bool is_constant() const { return terms.empty(); }
  // The expression: terms with larger factors first, what is subtracted last: `vj * 2 + vi + 5 - n`.
  Expr expr() const;
};

// The canonical spelling of an integer expression; other expressions come back as they are.
Expr simplify_linear(const Expr& e);
// a - b in canonical spelling.
Expr difference(const Expr& a, const Expr& b);
// a - b when it is a constant.
std::optional<int64_t> constant_difference(const Expr& a, const Expr& b);

}  // namespace mlc::ir
