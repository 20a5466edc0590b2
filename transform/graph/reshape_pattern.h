// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transform/pass/pass.h"

namespace mlc::transform {

// Does the function copy its first buffer to its last one, element by element in row-major order? Then it is a
// reshape. Whether both have as many elements is not asked.
bool has_reshape_pattern(const PrimFunc& fn);

}  // namespace mlc::transform
