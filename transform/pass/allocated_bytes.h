// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ir/core/module.h"

namespace mlc::transform {

// The most bytes that are allocated at the same time, by scope. An allocation lives to the end of its body;
// one of unknown size is not counted.
std::vector<std::pair<std::string, int64_t>> allocated_bytes(const ir::PrimFunc& fn);

}  // namespace mlc::transform
