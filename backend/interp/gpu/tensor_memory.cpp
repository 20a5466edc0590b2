// SPDX-License-Identifier: Apache-2.0
#include "backend/interp/gpu/tensor_memory.h"

#include <bit>

#include "backend/interp/gpu/cluster.h"
#include "ir/core/refusal.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "tensor-memory-alone",
         .message = "{} allocates tensor memory {} time{}, and the other block of its pair {} time{}",
         .meaning =
             "With `cta_group::2` a warp of each of the two blocks allocates, and each waits for the other."},
        {.name = "tensor-memory-columns",
         .message = "{} columns of tensor memory are asked for: a power of two from 32 to 512"},
        {.name = "tensor-memory-exhausted",
         .message = "{} columns of tensor memory are asked for, and {} of the 512 are taken"},
        {.name = "tensor-memory-not-allocated",
         .message = "{} uses lane {}, column {} of tensor memory{}, which is not allocated",
         .meaning = "A warp allocates columns, `T.ptx.tcgen05.alloc`, and says to the others where, in "
                    "shared memory."},
        {.name = "tensor-memory-not-freed",
         .message = "{} columns of tensor memory are not freed when the block ends",
         .help = "the warp that has allocated them: `T.ptx.tcgen05.dealloc`"},
    }};
MLC_REFUSALS(gpu_tensor_memory, refusals);

int TensorMemory::allocate(Heap& heap, int rank, int64_t columns, const AccessPoint& point) {
  if (columns < 32 || columns > kColumns || !std::has_single_bit(static_cast<uint64_t>(columns)))
    throw ir::refuse(refusals["tensor-memory-columns"], columns).at(point.span);
  if (!memory_) {
    memory_ = heap.allocate(size_t{kLanes} * kColumns * 4, true);
    memory_->scope = Block::Scope::kTensor;
    memory_->granule = 4;
    memory_->home = rank;
  }
  auto count = static_cast<size_t>(columns);
  for (size_t first = 0; first + count <= kColumns; first += count) {
    bool free = true;
    for (size_t c = first; c < first + count; ++c) free = free && !used_[c];
    if (!free) continue;
    for (size_t c = first; c < first + count; ++c) used_[c] = true;
    allocated_ = &point;
    ++allocations_;
    return static_cast<int>(first);
  }
  throw ir::refuse(refusals["tensor-memory-exhausted"], columns, used_.count()).at(point.span);
}

// Whoever still reads or writes them has to be waited for, as at a write.
void TensorMemory::release(Thread& thread, int64_t address, int64_t columns, const AccessPoint& point) {
  for (int64_t c = address & 0xFFFF; c < (address & 0xFFFF) + columns; ++c) {
    char* first = at(thread, 0, c, point.span);
    thread.touch(*memory_, first, 4L * kLanes, Touch::kWrite, point);
    memory_->mark(first, 4L * kLanes, false);
    used_[static_cast<size_t>(c)] = false;
  }
}

char* TensorMemory::at(const Thread& thread, int64_t lane, int64_t column, ir::Span span, int rank) const {
  if (lane < 0 || lane >= kLanes || column < 0 || column >= kColumns || !used_[static_cast<size_t>(column)]) {
    bool elsewhere = rank >= 0 && rank != thread.block.rank;
    throw ir::refuse(refusals["tensor-memory-not-allocated"], thread.name(), lane, column,
                     elsewhere ? " of " + thread.block.cluster.at(rank).name() : "")
        .at(span);
  }
  return memory_->begin + (column * kLanes + lane) * 4;
}

void TensorMemory::check_freed() const {
  if (used_.any()) throw ir::refuse(refusals["tensor-memory-not-freed"], used_.count()).at(allocated_->span);
}

void TensorMemory::check_pair(const TensorMemory& other, const std::string& block) const {
  if (allocations_ <= other.allocations_) return;
  throw ir::refuse(refusals["tensor-memory-alone"], block, allocations_, allocations_ == 1 ? "" : "s",
                   other.allocations_, other.allocations_ == 1 ? "" : "s")
      .at(allocated_->span);
}

}  // namespace mlc::interp
