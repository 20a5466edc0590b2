// SPDX-License-Identifier: Apache-2.0
// Blocks that copy a buffer and fill its border: which iterations copy.
#pragma once

#include "transform/schedule/primitive.h"

namespace mlc::transform {

// B[v] = T.if_then_else(inside, value, constant), with the box of iterators where `inside` can hold.
struct PaddingBlock {
  SBlockRealize realize;
  const BufferStoreNode* store;
  Expr value, constant;
  std::vector<Range> inside;  // per iterator
  Expr predicate;             // of the loops around: inside, and the block's own condition
};

// Errors: loop-not-around-block, not-complete-block, not-padding.
PaddingBlock padding_block(ScheduleState& state, const BlockArg& block, const LoopArg& loop);

}  // namespace mlc::transform
