// SPDX-License-Identifier: Apache-2.0
// What a kernel costs, counted while it runs: requests of warps to memory, with the sectors of 32 bytes that
// those to global memory touch and the passes over the 32 banks that those to shared memory take; branches
// that a warp takes both ways; bytes, floating-point operations, barriers, shared memory.
//
// Threads run one after the other here. The n-th access of each lane at one statement since the last barrier
// is taken to be one request of the warp, as it is where its lanes go the same way.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "backend/interp/gpu/shadow.h"

namespace mlc::interp {

struct Thread;
struct ThreadBlock;

// Of one statement and one memory.
struct Requests {
  ir::Span span;
  std::string buffer;
  std::string scope = {};  // "global", "shared", "cluster": shared memory of another block
  bool stores = false;
  int64_t requests = 0;  // of warps
  int64_t bytes = 0;     // that threads asked for
  int64_t units = 0;     // sectors of global memory, passes over the banks of shared memory
  int64_t least = 0;     // units that the same bytes need where they lie side by side
};

struct KernelCost {
  std::array<int64_t, 6> extents{};
  int64_t cluster = 1;  // blocks
  ir::Span span;
  int64_t blocks_run = 0, blocks = 0;
  int64_t shared_bytes = 0;  // of a block
  double flops = 0, tensor_flops = 0;
  int64_t barriers = 0;                 // of blocks
  int64_t branches = 0, divergent = 0;  // of warps
  std::vector<Requests> requests = {};  // by statement, in the order of the program
};

class Traffic {
 public:
  std::vector<KernelCost> kernels;  // by launch

  void launch(const std::array<int64_t, 6>& extents, int64_t cluster, ir::Span span, int64_t blocks,
              int64_t run);
  void access(const Thread& thread, const Block& memory, const char* begin, int64_t bytes, Touch touch,
              const AccessPoint& point);
  // A row that a bulk copy reads or writes: one request, of nobody's lanes. `elsewhere`: it goes from block
  // to block.
  void bulk(const Block& memory, const char* begin, int64_t bytes, bool stores, bool elsewhere,
            const AccessPoint& point);
  void branch(const Thread& thread, const void* statement, bool taken);
  void flops(double count) { kernels.back().flops += count; }
  void tensor_flops(double count) { kernels.back().tensor_flops += count; }
  void shared_memory(const ir::VarNode* buffer, size_t bytes);
  // All threads of the block have come to a barrier, or to their end.
  void barrier(const ThreadBlock& block, bool ends);

 private:
  struct Lanes {
    std::array<int64_t, 32> at;  // -1: no access
    std::array<int64_t, 32> bytes;
  };
  struct Stream {
    std::array<size_t, 32> next{};  // of each lane
    std::vector<Lanes> requests;
  };
  struct Key {
    int warp;
    const void* statement;
    const Block* memory;
    bool stores;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      auto mixed = reinterpret_cast<size_t>(key.statement) * 31 + reinterpret_cast<size_t>(key.memory);
      return mixed * 64 + static_cast<size_t>(key.warp) * 2 + (key.stores ? 1 : 0);
    }
  };
  Stream& stream(const Key& key) { return streams_[key]; }
  static void add(Stream& stream, int lane, int64_t at, int64_t bytes);
  Requests& total(const AccessPoint& point, const Block& memory, bool stores, bool elsewhere);

  std::unordered_map<Key, Stream, KeyHash> streams_;
  std::map<std::tuple<const void*, const ir::VarNode*, bool, bool>, size_t> totals_;
  std::unordered_map<const ir::VarNode*, size_t> shared_;
};

}  // namespace mlc::interp
