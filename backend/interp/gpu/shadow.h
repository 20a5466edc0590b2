// SPDX-License-Identifier: Apache-2.0
// What is known of each element of memory that threads of a kernel share: who touched it last, and whether a
// copy to it is still on its way. Two accesses of one element, at least one of them a write, are a race
// unless one happens before the other: by program order, by barriers of the block, by synchronisation of the
// warp.
//
// Happens-before is kept as vector clocks (FastTrack, Flanagan and Freund, PLDI 2009): each thread has a
// clock that grows when it synchronises, and the clocks of the other threads up to which it has seen them.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "backend/interp/gpu/ordering.h"
#include "ir/core/expr.h"

namespace mlc::interp {

struct Block;
struct ThreadBlock;

// A place in the program that touches memory. Lives as long as the program.
struct AccessPoint {
  ir::Span span;
  const ir::VarNode* buffer = nullptr;  // null: through a pointer
  bool exchange = false;                // of registers between lanes: no memory
};

// A value that was read before it was written, on its way to where it counts.
struct Unwritten {
  const AccessPoint* point = nullptr;  // null: none
  int64_t element = 0;
  // Memory of a cluster that was read through a pointer, by a thread of this block.
  const Block* memory = nullptr;
  const ThreadBlock* block = nullptr;
};

// Strong reads and writes are single ones, of a scope (ordering.h).
enum class Touch : uint8_t { kRead, kStrongRead, kWrite, kStrongWrite, kAtomic };
inline bool is_read(Touch touch) { return touch == Touch::kRead || touch == Touch::kStrongRead; }
inline bool is_strong(Touch touch) { return touch != Touch::kRead && touch != Touch::kWrite; }
const char* verb_of(Touch touch);  // "reads"

struct Toucher {
  int cluster = -1;  // of the launch, in its linear order; -1: nobody
  int thread = 0;    // of the cluster, in its linear order, or an agent of it
  uint32_t clock = 0;
  Touch touch = Touch::kRead;
  Reaches reaches = Reaches::kAll;  // where it is strong
  const AccessPoint* point = nullptr;
};

// One element.
struct Cell {
  Toucher write;
  Toucher same;  // wrote the value that was there already: no race, and what it reads afterwards is its own
  // Reads that no later one comes after. Of many only two clusters, of one cluster only two warps, of a warp
  // two threads are kept: whoever writes without waiting for all of them meets one of these.
  std::array<Toucher, 4> reads;
  const AccessPoint* in_flight = nullptr;  // an asynchronous copy to it has not been waited for
};

// Cells by address, made as they are touched.
class Shadow {
 public:
  explicit Shadow(size_t bytes, int granule)
      : granule_(granule), pages_((bytes / static_cast<size_t>(granule)) / kPage + 1) {}
  // Bytes that one cell stands for.
  int granule() const { return granule_; }
  // Cells of smaller elements than so far.
  void refine(int granule, size_t bytes);
  Cell& at(size_t index) {
    auto& page = pages_[index / kPage];
    if (!page) page = std::make_unique<std::array<Cell, kPage>>();
    return (*page)[index % kPage];
  }
  void clear() {
    for (auto& page : pages_) page.reset();
  }

 private:
  static constexpr size_t kPage = 32;
  int granule_;
  std::vector<std::unique_ptr<std::array<Cell, kPage>>> pages_;
};

}  // namespace mlc::interp
