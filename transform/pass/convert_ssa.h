// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/module.h"

namespace mlc::transform {

// The function with one definition for each variable, what a pass that copies statements ends with.
// Parameters keep their variables.
ir::PrimFunc with_unique_definitions(const ir::PrimFunc& fn);

}  // namespace mlc::transform
