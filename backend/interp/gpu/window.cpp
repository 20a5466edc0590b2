// SPDX-License-Identifier: Apache-2.0
// Shared memory of a cluster in the windows of 32 bits that instructions of PTX use, and addresses of all
// kinds.
#include "backend/interp/gpu/cluster.h"
#include "ir/core/refusal.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "address-out-of-bounds",
         .kind = "IndexError",
         .message = "{} has a pointer to no known memory of {} bytes"},
        {.name = "not-shared-memory",
         .message =
             "{} asks where an address is in another block of its cluster, and it is none of shared memory"},
    }};
MLC_REFUSALS(gpu_window, refusals);

size_t Cluster::place_of(const VarNode* buffer, int64_t bytes, int granule) {
  for (size_t i = 0; i < places.size(); ++i)
    if (places[i].buffer == buffer && places[i].bytes >= bytes) return i;
  constexpr int64_t kBegin = 1024, kAlign = 1024;  // swizzles are of addresses
  int64_t end = places.empty() ? kBegin : places.back().first + places.back().bytes;
  places.push_back({buffer, (end + kAlign - 1) / kAlign * kAlign, bytes, granule});
  return places.size() - 1;
}

ThreadBlock* owner_of(const ThreadBlock& block, const Block& memory) {
  return memory.home < 0 ? nullptr : &block.cluster.at(memory.home);
}

const std::shared_ptr<Block>& ThreadBlock::shared_at(size_t place) {
  if (window.size() <= place) window.resize(place + 1);
  std::shared_ptr<Block>& found = window[place];
  if (!found) {
    const Cluster::Allocation& what = cluster.places[place];
    found = kernel.program.heap.allocate(static_cast<size_t>(what.bytes), true);
    found->buffer = what.buffer;
    found->scope = Block::Scope::kShared;
    found->granule = what.granule;
    found->home = rank;
  }
  return found;
}

int64_t ThreadBlock::window_address(const char* address) const {
  auto in_block = [&](const ThreadBlock& block) -> int64_t {
    for (size_t i = 0; i < block.window.size(); ++i) {
      const auto& memory = block.window[i];
      if (memory && address >= memory->begin && address <= memory->end)
        return block.rank * Cluster::kWindow + cluster.places[i].first + (address - memory->begin);
    }
    return -1;
  };
  int64_t found = in_block(*this);
  for (int other = 0; found < 0 && other < cluster.size(); ++other) found = in_block(cluster.at(other));
  return found < 0 ? reinterpret_cast<int64_t>(address) : found;
}

std::pair<std::shared_ptr<Block>, char*> Thread::memory_at(int64_t address, int64_t bytes, Span span) const {
  auto* to = reinterpret_cast<char*>(address);
  std::shared_ptr<Block> memory;
  Cluster& cluster = block.cluster;
  if (address >= 0 && address < Cluster::kWindow * cluster.size()) {
    int64_t offset = address % Cluster::kWindow;
    for (size_t i = 0; i < cluster.places.size() && !memory; ++i) {
      const Cluster::Allocation& place = cluster.places[i];
      if (offset < place.first || offset >= place.first + place.bytes) continue;
      memory = cluster.at(address >> Cluster::kWindowBits).shared_at(i);
      to = memory->begin + (offset - place.first);
    }
  }
  if (!memory && address > 0 && address <= 0xFFFFFFFF) {
    for (int rank = 0; rank < cluster.size(); ++rank) {
      for (const auto& known : cluster.at(rank).window) {
        if (!known) continue;
        int64_t offset = (address - reinterpret_cast<int64_t>(known->begin)) & 0xFFFFFFFF;
        if (offset >= known->end - known->begin) continue;
        memory = known;
        to = known->begin + offset;
      }
    }
  }
  if (!memory) memory = block.kernel.program.heap.find(to);
  if (!memory || to + bytes > memory->end)
    throw ir::refuse(refusals["address-out-of-bounds"], name(), bytes).at(span);
  return {memory, to};
}

// Of another block's pointers the lower halves are known, too: `mapa` of a pointer and a cast to 32 bits.
int64_t Thread::address_in(int64_t address, int64_t rank, Span span) const {
  check_rank(*this, rank, span);
  auto [memory, at] = memory_at(address, 0, span);
  if (memory->home < 0) throw ir::refuse(refusals["not-shared-memory"], name()).at(span);
  int64_t mapped = block.window_address(at) % Cluster::kWindow + rank * Cluster::kWindow;
  if (reinterpret_cast<int64_t>(at) != address) return mapped;
  return reinterpret_cast<int64_t>(memory_at(mapped, 0, span).second);  // a pointer stays one
}

}  // namespace mlc::interp
