// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/core/module.h"

namespace mlc::transform {

// The function with one definition for each variable, what a pass that copies statements ends with.
// Parameters keep their variables.
ir::PrimFunc with_unique_definitions(const ir::PrimFunc& fn);
// The same for all functions of the module together: none shares a variable with another.
ir::IRModule with_unique_definitions(const ir::IRModule& mod);

}  // namespace mlc::transform
