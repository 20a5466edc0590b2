// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transform/pass/graph_pass.h"

namespace mlc::transform {

// The function with neighbouring blocks of one kind as one block, and without empty ones, in all its bodies.
Function join_blocks(const Function& fn);
// Does it call what has effects? So does a function whose body does; making a function inside of `value` is no call
// of it.
bool contains_impure_call(const Expr& value);

}  // namespace mlc::transform
