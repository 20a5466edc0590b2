// SPDX-License-Identifier: Apache-2.0
#include "backend/interp/gpu/async.h"

#include <algorithm>

#include "backend/interp/gpu/kernel.h"

namespace mlc::interp {

uint32_t clock_of(const SharedClocks& clocks, int agent) {
  auto at = static_cast<size_t>(agent);
  return clocks && at < clocks->size() ? (*clocks)[at] : 0;
}

void advance(Clocks& clocks, int agent, uint32_t to) {
  auto at = static_cast<size_t>(agent);
  if (at >= clocks.size()) clocks.resize(at + 1, 0);
  clocks[at] = std::max(clocks[at], to);
}

void join(Clocks& clocks, const SharedClocks& others) {
  if (!others) return;
  if (others->size() > clocks.size()) clocks.resize(others->size(), 0);
  for (size_t i = 0; i < others->size(); ++i) clocks[i] = std::max(clocks[i], (*others)[i]);
}

// Those of both, in a place of their own: others share what was there.
static std::shared_ptr<Clocks> joined(const SharedClocks& a, const SharedClocks& b) {
  auto both = std::make_shared<Clocks>();
  join(*both, a);
  join(*both, b);
  return both;
}

int Agents::of(AgentKind kind, int64_t whose, int rank) {
  auto [found, made] = known_.try_emplace({kind, whose}, 0);
  if (!made) return found->second;
  found->second = threads_ + static_cast<int>(agents_.size());
  switch (kind) {
    case AgentKind::kBarrierBytes:
    case AgentKind::kBulkRead:
    case AgentKind::kBulkWrite:
      agents_.push_back({kind, rank, "a bulk copy"});
      break;
    case AgentKind::kBarrierStores:
      agents_.push_back({kind, rank, "an asynchronous store"});
      break;
    case AgentKind::kWarpGroup:
      agents_.push_back({kind, rank, "a `wgmma`", true});
      break;
    case AgentKind::kTensorCore:
      agents_.push_back({kind, rank, "a `tcgen05` operation", true});
      break;
    case AgentKind::kTensorLoad:
      agents_.push_back({kind, rank, "a `tcgen05.ld`", true});
      break;
    case AgentKind::kTensorStore:
      agents_.push_back({kind, rank, "a `tcgen05.st`", true});
      break;
  }
  return found->second;
}

int Thread::agent(AgentKind kind) const {
  bool of_warp =
      kind == AgentKind::kWarpGroup || kind == AgentKind::kTensorLoad || kind == AgentKind::kTensorStore;
  return block.agents.of(kind, of_warp ? warp_of_cluster() : number(), block.rank);
}

void Thread::acquire(const SharedClocks& clocks, const SharedClocks& visible) {
  seen = joined(seen, clocks);
  if (visible) fenced = joined(fenced, visible);
}

void Thread::release(Clocks& clocks, Clocks& visible) {
  join(clocks, seen);
  advance(clocks, number(), clock++);
  join(visible, fenced);
}

void Thread::release_relaxed(Clocks& clocks, Clocks& visible, bool wide) {
  join(clocks, wide ? before_fence : before_fence_of_block);
  advance(clocks, number(), 1);
  join(visible, fenced);
}

void Thread::see(const Epoch& done) {
  std::shared_ptr<Clocks> now = joined(seen, nullptr);
  advance(*now, done.agent, done.clock);
  seen = std::move(now);
}

// What this thread has written, and all writes that it has seen, asynchronous operations that come after the
// fence see, too.
void Thread::fence_proxy() {
  std::shared_ptr<Clocks> now = joined(fenced, seen);
  advance(*now, number(), clock++);
  fenced = std::move(now);
}

}  // namespace mlc::interp
