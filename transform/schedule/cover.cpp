// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/cover.h"

#include <algorithm>

namespace mlc::transform {

std::vector<ReadBuffer> covered_by_producers(ScheduleState& state, const std::vector<SRefNode*>& blocks) {
  std::vector<ReadBuffer> reads;
  for (SRefNode* block : blocks)
    for (const Buffer& buffer : covered_reads(state, *scope_of(*block), *block))
      reads.push_back({block, buffer});
  return reads;
}

std::optional<ReadBuffer> first_uncovered(const ScheduleState& state, const SRefNode& at, const Stmt& next,
                                          const BlockReuse& reuse, const std::vector<ReadBuffer>& reads) {
  std::unordered_map<const SRefNode*, SRef> twins;
  auto trial = state.copy(twins);
  trial->replace(*twins.at(&at), next, reuse, "");
  for (const ReadBuffer& read : reads) {
    SRefNode& block = *twins.at(read.block);
    std::vector<Buffer> covered = covered_reads(*trial, *scope_of(block), block);
    if (std::find(covered.begin(), covered.end(), read.buffer) == covered.end()) return read;
  }
  return std::nullopt;
}

}  // namespace mlc::transform
