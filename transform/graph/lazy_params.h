// SPDX-License-Identifier: Apache-2.0
// Parameters of a function that is called with its inputs and later with its weights.
#pragma once

#include "transform/pass/graph_pass.h"

namespace mlc::transform {

// The attribute `num_input`: how many of the first parameters change from run to run; the others are weights.
// Nothing where the function has no such attribute. Error num-input.
std::optional<int64_t> number_of_inputs(const Function& fn);

}  // namespace mlc::transform
