// SPDX-License-Identifier: Apache-2.0
// mbarriers: objects in shared memory with phases. A phase ends when all arrivals that it counts have come
// and as many bytes of asynchronous copies as were announced; who waits names the parity of the phase. What
// came before the arrivals of a phase comes before what its waiters do next.
#pragma once

#include <string>

#include "backend/interp/gpu/async.h"
#include "backend/interp/gpu/shadow.h"

namespace mlc::interp {

struct Thread;
struct ThreadBlock;

struct MBarrier {
  std::string name;                 // as the program has it: "full[2]"
  int rank = 0;                     // of its block in the cluster
  int64_t count = 0;                // arrivals of a phase
  int64_t pending = 0;              // that have not come yet
  int64_t announced = 0, came = 0;  // bytes of this phase
  uint32_t phase = 0;               // that it is in: how many have ended
  Toucher init;
  int agent = 0, stores = 0;                  // of the copies and the stores that it counts
  Clocks released, visible;                   // of what has arrived so far
  SharedClocks completed, completed_visible;  // of the phases that have ended
  bool valid = true;                          // false: invalidated
  const AccessPoint* last_arrival = nullptr;  // that a thread made
  const AccessPoint* last_bytes = nullptr;    // a copy that has completed there

  // Has the phase of the parity ended: is the one that it is in of the other one?
  bool has_ended(int64_t parity) const { return (phase & 1U) != (static_cast<uint32_t>(parity) & 1U); }
  std::string text(const ThreadBlock& seen_from) const;  // "`full[2]` of block (1, 0, 0)"
  Epoch now() const { return {agent, phase + 1}; }
  Epoch now_of_stores() const { return {stores, phase + 1}; }
  void announce(int64_t bytes) { announced += bytes; }
  // Bytes of a copy that its thread issued when it had seen `before`.
  void complete(int64_t bytes, const SharedClocks& before, const AccessPoint& point);
  // What an agent has done until then; counts as one arrival.
  void arrive(const ThreadBlock& by, const Epoch& done, const SharedClocks& before, const AccessPoint& point);
  // `arrivals` of a thread; relaxed ones order nothing. Error: mbarrier-arrived-too-often.
  void arrive(Thread& thread, int64_t arrivals, bool relaxed, const AccessPoint& point);
  // Fewer arrivals in the phases to come.
  void drop(int64_t arrivals) { count -= arrivals; }
  void settle();  // ends the phase when all is there

 private:
  void take(int64_t arrivals, const ThreadBlock& by, const std::string& who, const AccessPoint& point);
};

// Why nobody can go on, for a thread that waits at one. Error: mbarrier-bytes-differ,
// mbarrier-never-completes.
[[noreturn]] void fail_stuck_at_mbarrier(const Thread& waiting);

}  // namespace mlc::interp
