// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transform/pass/graph_pass.h"

namespace mlc::transform {

// Symbolic variables that the body of a function uses, in shapes, types and primitive expressions, and does
// not define, in order of first use.
std::vector<Var> symbolic_uses(const Expr& body);

}  // namespace mlc::transform
