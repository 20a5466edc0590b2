// SPDX-License-Identifier: Apache-2.0
// What differs between two loop nests of one function, as a schedule's reader would say it: loops split, fused, reordered,
// with another kind; blocks moved, added, inlined; buffers added and removed.
//
// Nothing is asked of the steps that led from one to the other. Blocks are the same by name; the loops of two nests that
// the same iterators of a block are made of correspond, so a split is seen whatever its parts are called.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "transform/analysis/loop_tree.h"

namespace mlc::transform {

struct TreeChange {
  std::string verb;                 // "split", "fused", "reordered", "loop", "block", "buffer", ...
  std::string what;                 // "i (128) -> i_0 (4), i_1 (32)"
  std::vector<std::string> blocks;  // that it is around, or about; empty for buffers
  enum class Sense : uint8_t { kChanged, kAdded, kRemoved } sense = Sense::kChanged;
};

// Empty where the nests, accesses and buffers are the same. `text` prints expressions.
std::vector<TreeChange> tree_diff(const LoopTree& before, const LoopTree& after,
                                  const std::function<std::string(const ir::Any&)>& text);

}  // namespace mlc::transform
