// SPDX-License-Identifier: Apache-2.0
// Thread blocks that run side by side and reach each other's shared memory. A launch without clusters has one
// block in each.
//
// An access to another block's memory has to come after something that block has done, or it may not have
// begun, and before its end: some thread of it must have seen the access when it ends. Both follow from the
// vector clocks, so they are reported in whatever order the blocks ran. A thread that has ended is not waited
// for at the barrier of the cluster (PTX ISA, `barrier.cluster`).
#pragma once

#include "backend/interp/gpu/kernel.h"

namespace mlc::interp {

struct Cluster {
  Kernel& kernel;
  int index;  // in the launch
  Agents agents;
  std::vector<std::unique_ptr<ThreadBlock>> blocks = {};  // by rank
  // Where what is allocated lies in the window of shared memory, the same in every block. The window of the
  // block of rank r has its addresses in 24 bits, r in those above, as the hardware has it.
  struct Allocation {
    const VarNode* buffer;
    int64_t first, bytes;
    int granule;
  };
  std::vector<Allocation> places = {};
  // The barrier of the cluster: how often it has been passed, what has arrived, and what had arrived then.
  uint32_t phase = 0;
  Clocks arrived = {}, visible = {};
  SharedClocks completed = {}, completed_visible = {};
  // Words that strong operations have written, and how many times that was.
  std::unordered_map<const char*, Released> released = {};
  uint64_t published = 0;
  bool cancelled = false;  // threads unwind

  static constexpr int kWindowBits = 24;
  static constexpr int64_t kWindow = int64_t{1} << kWindowBits;
  static constexpr int64_t kMostBlocks = 16;

  Cluster(Kernel& kernel, int index);
  void run();
  int size() const { return static_cast<int>(blocks.size()); }
  ThreadBlock& at(int64_t rank) { return *blocks[static_cast<size_t>(rank)]; }
  const ThreadBlock& at(int64_t rank) const { return *blocks[static_cast<size_t>(rank)]; }
  size_t place_of(const VarNode* buffer, int64_t bytes, int granule);
  template <class F>
  void each_thread(F&& f) const {
    for (const auto& block : blocks)
      for (const auto& thread : block->threads) f(*thread);
  }

 private:
  bool release();  // somebody goes on?
  bool release_barrier();
  void check_warps_whole() const;  // at the barrier
  [[noreturn]] void stuck();
  [[noreturn]] void fail_stuck_at_cluster();
  void cancel();
};

// The block whose memory it is; null: nobody's.
ThreadBlock* owner_of(const ThreadBlock& block, const Block& memory);

// Is there a block of that rank? Error: cluster-rank.
void check_rank(const Thread& thread, int64_t rank, Span span);
// The ranks whose bits are set. Error: cluster-rank.
std::vector<int> ranks_of_mask(const Thread& thread, int64_t mask, Span span);
// The blocks of the pair of a block, which tensor cores use together. Error: no-pair-of-blocks.
std::array<ThreadBlock*, 2> pair_of(const ThreadBlock& block, std::string_view what, Span span);

}  // namespace mlc::interp
