// SPDX-License-Identifier: Apache-2.0
// Values for some parameters of a function.
#pragma once

#include <unordered_map>

#include "ir/core/module.h"

namespace mlc::ir {

// The function with these parameters replaced and removed from its signature. A scalar parameter takes an
// expression; a buffer parameter takes a buffer, whose shape, strides and offset determine the variables
// in the parameter's own. Arithmetic on what became constant is folded.
// Errors: not-a-parameter, specialize-mismatch.
PrimFunc specialize(const PrimFunc& fn, const std::vector<std::pair<Var, Any>>& values, Span span = {});

}  // namespace mlc::ir
