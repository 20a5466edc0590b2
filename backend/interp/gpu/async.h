// SPDX-License-Identifier: Apache-2.0
// What runs beside the threads of a block: bulk copies, tensor cores. The one place that says who they are
// and when what they do is done.
//
// Each is an agent with a clock of its own in the vector clocks of happens-before (shadow.h). What it does is
// done when something is known to have completed, in an order of its own: the phase of an mbarrier, a group
// of copies, a commit. That order is the agent's clock, so whoever has waited for one has seen all before it,
// and nothing else. An operation comes after all that its thread had seen when it issued it.
//
// The values are there at once: only what is ordered counts, and no run depends on how long a copy takes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mlc::interp {

// By agent: threads of the cluster by their numbers, then what runs beside them. What is not there is 0.
using Clocks = std::vector<uint32_t>;
using SharedClocks = std::shared_ptr<const Clocks>;

uint32_t clock_of(const SharedClocks& clocks, int agent);
void advance(Clocks& clocks, int agent, uint32_t to);
void join(Clocks& clocks, const SharedClocks& others);

enum class AgentKind : uint8_t {
  kBarrierBytes,   // bulk copies that an mbarrier counts, by barrier; its clock: phases
  kBarrierStores,  // likewise, words that threads store and add to other blocks
  kBulkRead,       // bulk copies out of shared memory, by thread: that they have read; its clock: groups
  kBulkWrite,      // ... and that they have written
  kWarpGroup,      // wgmma, by warp; its clock: groups
  kTensorCore,     // tcgen05.mma and cp, by thread; its clock: commits
  kTensorLoad,     // tcgen05.ld, by warp; its clock: waits
  kTensorStore,    // tcgen05.st, by warp; its clock: waits
};

struct Agent {
  AgentKind kind;
  int rank;               // of its block in the cluster: of the mbarrier, of the thread
  std::string name;       // "a bulk copy"
  bool in_order = false;  // an operation comes after those before it
  bool is_of_barrier() const { return kind == AgentKind::kBarrierBytes || kind == AgentKind::kBarrierStores; }
};

class Agents {
 public:
  explicit Agents(int threads) : threads_(threads) {}
  // The number of the agent of that kind for a thread or a warp of the cluster, or a barrier.
  int of(AgentKind kind, int64_t whose, int rank);
  bool is_agent(int number) const { return number >= threads_; }
  const Agent& at(int number) const { return agents_[static_cast<size_t>(number - threads_)]; }

 private:
  int threads_;
  std::vector<Agent> agents_;
  std::map<std::pair<AgentKind, int64_t>, int> known_;
};

// An operation of an agent: what it does is done when the agent's clock is seen to have come so far.
struct Epoch {
  int agent;
  uint32_t clock;
};

}  // namespace mlc::interp
