// SPDX-License-Identifier: Apache-2.0
// Numbers in graphs: dimensions of shapes, and what is computed of them.
#pragma once

#include <vector>

#include "ir/relax/visit.h"

namespace mlc::relax {

// A number made of others, and no call of a graph.
bool is_arithmetic(const Expr& e);
// The variables that shapes and arithmetic at and below `e` use, as often as they do.
std::vector<Var> vars_of_numbers(const Expr& e);

}  // namespace mlc::relax
