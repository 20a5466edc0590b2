// SPDX-License-Identifier: Apache-2.0
// Elements that a new layout of a buffer has room for and the old one had not: who writes them.
#pragma once

#include "ir/tir/index_map.h"
#include "transform/arith/index_map.h"
#include "transform/schedule/primitive.h"

namespace mlc::transform {

// A buffer that gets another shape, inside the block that allocates it (or the root block).
struct Relayout {
  Buffer from, to;
  IndexMap map;        // old indices to new ones
  PaddedInverse back;  // new indices to old ones, and which new ones have no old one
  IndexMap fill;       // new indices to the value of those
};

// Where a block writes the whole buffer, each element in a loop nest of its own: the same block over the new
// elements, which writes the padding as well. Null where it is not like that.
struct RewrittenWriter {
  Stmt old_nest, nest;
  SBlock old_block, block;
};
std::optional<RewrittenWriter> writer_with_padding(ScheduleState& state, const SRefNode& writer,
                                                   const Relayout& layout);
// A nest that writes the padding; or, for a buffer that is never written, one that assumes it is there.
Stmt padding_nest(const Relayout& layout);
Stmt assumption_nest(const Relayout& layout);

}  // namespace mlc::transform
