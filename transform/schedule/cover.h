// SPDX-License-Identifier: Apache-2.0
// Would a change leave a block reading what nothing has written yet?
#pragma once

#include "transform/schedule/analysis.h"

namespace mlc::transform {

// A block and a buffer that it reads.
struct ReadBuffer {
  SRefNode* block;
  Buffer buffer;
};
// What each of the blocks reads and is proved to be written before.
std::vector<ReadBuffer> covered_by_producers(ScheduleState& state, const std::vector<SRefNode*>& blocks);
// The first of these reads that is not, once `at` has become `next`; tried on a copy of the state.
std::optional<ReadBuffer> first_uncovered(const ScheduleState& state, const SRefNode& at, const Stmt& next,
                                          const BlockReuse& reuse, const std::vector<ReadBuffer>& reads);

}  // namespace mlc::transform
