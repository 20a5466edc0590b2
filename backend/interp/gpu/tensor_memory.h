// SPDX-License-Identifier: Apache-2.0
// Tensor memory of a block: 128 lanes of 512 columns of 32 bits, which a warp allocates by columns. An
// address has the lane in its upper half and the column in the lower one.
#pragma once

#include <bitset>
#include <memory>
#include <string>

#include "ir/core/span.h"

namespace mlc::interp {

class Heap;
struct AccessPoint;
struct Block;
struct Thread;

class TensorMemory {
 public:
  static constexpr int kLanes = 128, kColumns = 512;

  // The first of so many columns side by side, for the block of a rank. Error: tensor-memory-columns,
  // tensor-memory-exhausted.
  int allocate(Heap& heap, int rank, int64_t columns, const AccessPoint& point);
  // Error: tensor-memory-not-allocated, race.
  void release(Thread& thread, int64_t address, int64_t columns, const AccessPoint& point);
  // Column `column` from lane `lane` on, which has been allocated; lanes lie side by side.
  char* at(const Thread& thread, int64_t lane, int64_t column, ir::Span span, int rank = -1) const;
  const std::shared_ptr<Block>& memory() const { return memory_; }
  // The end of the block. Error: tensor-memory-not-freed.
  void check_freed() const;
  // The end of a pair of blocks that allocate together. Error: tensor-memory-alone.
  void check_pair(const TensorMemory& other, const std::string& block) const;

 private:
  std::shared_ptr<Block> memory_;
  std::bitset<kColumns> used_;
  const AccessPoint* allocated_ = nullptr;  // last
  int allocations_ = 0;
};

}  // namespace mlc::interp
