// SPDX-License-Identifier: Apache-2.0
// Systems of linear inequalities, solved for ranges of single variables.
#pragma once

#include <optional>

#include "transform/arith/iter_map.h"

namespace mlc::transform {

// The comparisons of integers within a conjunction that + - * // % and constants make of variables; others
// are left out.
std::vector<Expr> linear_comparisons(const Expr& condition);

// What the conditions leave of the variables' ranges, by elimination of one variable after the other
// (Fourier and Motzkin), as TVM's solver has it. Nothing where a relation between variables remains that the
// ranges do not imply, or where no value is left.
std::optional<std::vector<LoopRange>> solve_to_ranges(const std::vector<Var>& vars,
                                                      const std::vector<LoopRange>& known,
                                                      const std::vector<Expr>& conditions);

// coefficient * var + rest
struct LinearIn {
  Expr coefficient, rest;
};
// nullopt when `e` is not linear in `var`.
std::optional<LinearIn> linear_in(const Expr& e, const Var& var);

// A comparison of integers as a difference that is at most 0 where it holds, of an equality one that is 0;
// null for other conditions.
Expr difference_of(const Expr& comparison);

}  // namespace mlc::transform
