// SPDX-License-Identifier: Apache-2.0
#include "backend/interp/gpu/traffic.h"

#include <algorithm>
#include <set>

#include "backend/interp/gpu/kernel.h"

namespace mlc::interp {

namespace {

constexpr int64_t kSector = 32;  // bytes of global memory that move together
constexpr int64_t kBanks = 32;
constexpr int64_t kBankBytes = 4;

// Sectors that the lanes touch, and those that as many bytes fill.
std::pair<int64_t, int64_t> sectors(std::span<const int64_t> at, std::span<const int64_t> bytes) {
  std::set<int64_t> touched, distinct;
  for (size_t lane = 0; lane < at.size(); ++lane) {
    if (at[lane] < 0) continue;
    for (int64_t byte = at[lane]; byte < at[lane] + bytes[lane]; ++byte) distinct.insert(byte);
    for (int64_t s = at[lane] / kSector; s <= (at[lane] + bytes[lane] - 1) / kSector; ++s) touched.insert(s);
  }
  return {static_cast<int64_t>(touched.size()),
          (static_cast<int64_t>(distinct.size()) + kSector - 1) / kSector};
}

// Passes over the banks: lanes of 128 bytes together are served at once, unless two words of one bank are
// among them.
std::pair<int64_t, int64_t> passes(std::span<const int64_t> at, std::span<const int64_t> bytes) {
  int64_t widest = *std::max_element(bytes.begin(), bytes.end());
  auto group = static_cast<size_t>(std::max<int64_t>(1, kBanks * kBankBytes / std::max(widest, kBankBytes)));
  int64_t taken = 0, least = 0;
  for (size_t first = 0; first < at.size(); first += group) {
    std::array<std::set<int64_t>, kBanks> words;
    for (size_t lane = first; lane < std::min(first + group, at.size()); ++lane) {
      if (at[lane] < 0) continue;
      for (int64_t w = at[lane] / kBankBytes; w <= (at[lane] + bytes[lane] - 1) / kBankBytes; ++w)
        words[static_cast<size_t>(w % kBanks)].insert(w);
    }
    size_t most = 0;
    for (const auto& bank : words) most = std::max(most, bank.size());
    taken += static_cast<int64_t>(most);
    least += most > 0 ? 1 : 0;
  }
  return {taken, least};
}

}  // namespace

void Traffic::launch(const std::array<int64_t, 6>& extents, int64_t cluster, ir::Span span, int64_t blocks,
                     int64_t run) {
  kernels.push_back(
      {.extents = extents, .cluster = cluster, .span = span, .blocks_run = run, .blocks = blocks});
  totals_.clear();
  shared_.clear();
  streams_.clear();
}

void Traffic::add(Stream& stream, int lane, int64_t at, int64_t bytes) {
  size_t n = stream.next[static_cast<size_t>(lane)]++;
  if (n == stream.requests.size()) {
    stream.requests.emplace_back();
    stream.requests.back().at.fill(-1);
    stream.requests.back().bytes.fill(0);
  }
  stream.requests[n].at[static_cast<size_t>(lane)] = at;
  stream.requests[n].bytes[static_cast<size_t>(lane)] = bytes;
}

Requests& Traffic::total(const AccessPoint& point, const Block& memory, bool stores, bool elsewhere) {
  auto [found, fresh] =
      totals_.try_emplace({&point, memory.buffer, stores, elsewhere}, kernels.back().requests.size());
  if (fresh) {
    kernels.back().requests.push_back({.span = point.span,
                                       .buffer = memory.buffer == nullptr ? "" : memory.buffer->name.c_str(),
                                       .scope = memory.scope == Block::Scope::kGlobal ? "global"
                                                : elsewhere                           ? "cluster"
                                                                                      : "shared",
                                       .stores = stores});
  }
  return kernels.back().requests[found->second];
}

void Traffic::access(const Thread& thread, const Block& memory, const char* begin, int64_t bytes, Touch touch,
                     const AccessPoint& point) {
  if (memory.scope != Block::Scope::kGlobal && memory.scope != Block::Scope::kShared) return;
  bool stores = !is_read(touch), elsewhere = memory.home >= 0 && memory.home != thread.block.rank;
  total(point, memory, stores, elsewhere).bytes += bytes;
  add(stream({thread.warp_of_cluster(), &point, &memory, stores}), thread.lane(), begin - memory.begin,
      bytes);
}

void Traffic::bulk(const Block& memory, const char* begin, int64_t bytes, bool stores, bool elsewhere,
                   const AccessPoint& point) {
  Requests& sum = total(point, memory, stores, elsewhere);
  bool global = memory.scope == Block::Scope::kGlobal;
  int64_t unit = global ? kSector : kBanks * kBankBytes;
  int64_t first = global ? (begin - memory.begin) % unit : 0;
  ++sum.requests;
  sum.bytes += bytes;
  sum.units += (first + bytes + unit - 1) / unit;
  sum.least += (bytes + unit - 1) / unit;
}

void Traffic::branch(const Thread& thread, const void* statement, bool taken) {
  add(stream({thread.warp_of_cluster(), statement, nullptr, false}), thread.lane(), taken ? 1 : 0, 0);
}

void Traffic::shared_memory(const ir::VarNode* buffer, size_t bytes) {
  size_t& known = shared_[buffer];
  if (bytes <= known) return;
  kernels.back().shared_bytes += static_cast<int64_t>(bytes - known);
  known = bytes;
}

void Traffic::barrier(const ThreadBlock& block, bool ends) {
  KernelCost& cost = kernels.back();
  cost.barriers += ends ? 0 : 1;
  auto warps = static_cast<int>(block.of_warp.size());
  std::erase_if(streams_, [&](auto& each) {
    auto& [key, stream] = each;
    if (key.warp / warps != block.rank) return false;
    for (const Lanes& lanes : stream.requests) {
      if (key.memory == nullptr) {
        bool yes = std::find(lanes.at.begin(), lanes.at.end(), 1) != lanes.at.end();
        bool no = std::find(lanes.at.begin(), lanes.at.end(), 0) != lanes.at.end();
        ++cost.branches;
        cost.divergent += yes && no ? 1 : 0;
        continue;
      }
      bool elsewhere = key.memory->home >= 0 && key.memory->home != block.rank;
      Requests& sum =
          total(*static_cast<const AccessPoint*>(key.statement), *key.memory, key.stores, elsewhere);
      auto [units, least] = key.memory->scope == Block::Scope::kGlobal ? sectors(lanes.at, lanes.bytes)
                                                                       : passes(lanes.at, lanes.bytes);
      ++sum.requests;
      sum.units += units;
      sum.least += least;
    }
    return true;
  });
}

}  // namespace mlc::interp
