// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "ir/core/module.h"

namespace mlc::fuzz {

// The module in which an access outside of the regions that the blocks around it declare is one at index -1.
// `confined` counts the accesses below some block.
ir::IRModule with_confined_accesses(const ir::IRModule& mod, const ir::GlobalVar& function, size_t& confined);

}  // namespace mlc::fuzz
