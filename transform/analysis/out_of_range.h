// SPDX-License-Identifier: Apache-2.0
// Accesses that leave their buffer for certain: each with an iteration that is reached and makes it.
//
// Nothing is claimed on the strength of bounds alone: iterations are tried, all of a small loop, the first and the
// last of a large one, and every condition around must be a number there. What depends on memory, on arguments or on
// what may end a loop early is left out. So what is found is wrong, and what is wrong may not be found.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ir/core/module.h"

namespace mlc::transform {

struct OutOfRange {
  ir::Buffer buffer;
  size_t dimension = 0;
  int64_t index = 0, extent = 0;
  std::vector<std::pair<std::string, int64_t>> when;  // the loops that decide, outermost first
  ir::Span span;
};
// In order of the text; of one access the first dimension that is left.
std::vector<OutOfRange> accesses_out_of_range(const ir::PrimFunc& fn);

}  // namespace mlc::transform
