// SPDX-License-Identifier: Apache-2.0
#include "backend/interp/gpu/cluster.h"

#include <algorithm>
#include <random>

#include "backend/interp/gpu/traffic.h"
#include "ir/core/interrupt.h"
#include "ir/core/refusal.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "cluster-barrier-diverged",
         .message =
             "lanes of one warp arrive at the barrier of their cluster by different statements: {} and {}",
         .help = "behind the branch, by one `T.cuda.cluster_sync()`; or without `aligned`: "
                 "`T.ptx.barrier.cluster.arrive()`",
         .meaning = "`barrier.cluster` with `aligned`, as `T.cuda.cluster_sync()` has it, is one instruction "
                    "of a whole warp."},
        {.name = "cluster-barrier-misused",
         .message = "{} {} at the barrier of its cluster, and has not {}",
         .meaning = "Every thread of a cluster arrives at its barrier and then waits, in turn: "
                    "`T.ptx.barrier.cluster.arrive()` and `T.ptx.barrier.cluster.wait()`, or both at once, "
                    "`T.cuda.cluster_sync()`."},
        {.name = "cluster-barrier-not-reached",
         .message =
             "{} of the {} threads of a cluster that have not ended have arrived at `{}`, and the others do "
             "not come",
         .meaning =
             "The barrier of a cluster is for all threads of all its blocks, but for those that have ended."},
        {.name = "cluster-block-ended",
         .message = "{} {} {}, which may have ended by then",
         .help = "let the blocks wait for each other before they end: `T.cuda.cluster_sync()`",
         .meaning = "The shared memory of a block is gone when all its threads have ended: somebody of it "
                    "has to wait "
                    "for those of other blocks that still reach it."},
        {.name = "cluster-block-not-begun",
         .message = "{} {} {}, which may not have begun",
         .help = "let the blocks wait for each other first: `T.cuda.cluster_sync()`",
         .meaning =
             "The blocks of a cluster begin at different times: the shared memory of another block is there "
             "when it is known that one of its threads runs."},
        {.name = "cluster-rank",
         .kind = "ValueError",
         .message = "{} asks for block {} of its cluster, which has {} block{}"},
        {.name = "no-pair-of-blocks",
         .kind = "ValueError",
         .message = "`{}` is of a pair of blocks, and {} has none: its cluster has {} block{}",
         .help = "launch clusters of an even number of blocks: `T.cta_id_in_cluster([2])`"},
    }};
MLC_REFUSALS(gpu_cluster, refusals);

Cluster::Cluster(Kernel& kernel, int index)
    : kernel(kernel), index(index), agents(static_cast<int>(kernel.threads() * kernel.cluster_size())) {
  for (int rank = 0; rank < kernel.cluster_size(); ++rank)
    blocks.push_back(std::unique_ptr<ThreadBlock>(
        new ThreadBlock{kernel, *this, agents, rank, kernel.block_at(index, rank)}));
}

void check_rank(const Thread& thread, int64_t rank, Span span) {
  int blocks = thread.block.cluster.size();
  if (rank < 0 || rank >= blocks)
    throw ir::refuse(refusals["cluster-rank"], thread.name(), rank, blocks, blocks == 1 ? "" : "s").at(span);
}

std::vector<int> ranks_of_mask(const Thread& thread, int64_t mask, Span span) {
  std::vector<int> ranks;
  for (int rank = 0; rank < 32; ++rank) {
    if ((mask >> rank & 1) == 0) continue;
    check_rank(thread, rank, span);
    ranks.push_back(rank);
  }
  return ranks;
}

std::array<ThreadBlock*, 2> pair_of(const ThreadBlock& block, std::string_view what, Span span) {
  int blocks = block.cluster.size();
  if (blocks % 2 != 0)
    throw ir::refuse(refusals["no-pair-of-blocks"], what, block.name(), blocks, blocks == 1 ? "" : "s")
        .at(span);
  return {&block.cluster.at(block.rank & ~1), &block.cluster.at(block.rank | 1)};
}

namespace {

std::string name_of_agent(const Thread& thread, const Epoch& done) {
  const Agents& agents = thread.block.agents;
  return agents.is_agent(done.agent) ? fmt::format("{} of {}", agents.at(done.agent).name, thread.name())
                                     : thread.name();
}

ir::Error ended(const ThreadBlock& block, const std::string& who, const char* verb, const std::string& what,
                const AccessPoint& point) {
  ir::Error error = ir::refuse(refusals["cluster-block-ended"], who, verb, what).at(point.span);
  if (block.last_barrier != nullptr && block.last_barrier->span)
    std::move(error).note(block.name() + " ends behind this barrier, the last one that it has passed",
                          block.last_barrier->span);
  return error;
}

}  // namespace

void Thread::reach(const Block& memory, const Epoch& done, Touch touch, int64_t byte,
                   const AccessPoint& point) {
  if (memory.home < 0) return;
  if (memory.home == block.rank) {
    // What is done for another block's mbarrier goes on when this one's threads have nothing more to do.
    const Agents& agents = block.agents;
    bool for_other = agents.is_agent(done.agent) && agents.at(done.agent).is_of_barrier() &&
                     agents.at(done.agent).rank != block.rank;
    if (for_other) block.note_reached(done, {0, &point, verb_of(touch), &memory, byte, nullptr});
    return;
  }
  ThreadBlock& other = block.cluster.at(memory.home);
  if ((known_blocks >> other.rank & 1U) == 0) {
    bool begun = false;
    for (const auto& thread : other.threads) begun = begun || clock_of(seen, thread->number()) > 0;
    if (!begun) {
      throw ir::refuse(refusals["cluster-block-not-begun"], name_of_agent(*this, done), verb_of(touch),
                       element_text(block, memory, byte))
          .at(point.span);
    }
    known_blocks |= 1U << other.rank;
  }
  if (other.ended)
    throw ended(other, name_of_agent(*this, done), verb_of(touch), element_text(block, memory, byte), point);
  other.note_reached(done, {0, &point, verb_of(touch), &memory, byte, nullptr});
}

void ThreadBlock::note_reached(const Epoch& done, Reached what) {
  auto& [last, before] = reached[done.agent];
  if (last.clock >= done.clock) return;
  what.clock = done.clock;
  before = std::exchange(last, what);
}

void ThreadBlock::forget_reached(const char* at, const Epoch& write) {
  auto found = reached.find(write.agent);
  if (found == reached.end()) return;
  auto& [last, before] = found->second;
  if (last.memory != nullptr && last.clock == write.clock && last.memory->begin + last.byte == at)
    last = std::exchange(before, {});
}

void Thread::reach_barrier(const MBarrier& barrier, const Epoch& done, const AccessPoint& point) {
  if (barrier.rank == block.rank) return;
  ThreadBlock& other = block.cluster.at(barrier.rank);
  if (other.ended) throw ended(other, name_of_agent(*this, done), "arrives at", barrier.text(block), point);
  other.note_reached(done, {0, &point, "arrives at", nullptr, 0, &barrier});
}

void ThreadBlock::end() {
  ended = true;
  tensor_memory.check_freed();
  if (kernel.traffic != nullptr) kernel.traffic->barrier(*this, true);
  if (reached.empty()) return;
  Clocks seen;
  for (const auto& thread : threads) join(seen, thread->seen);
  for (const auto& [agent, done] : reached) {
    const Reached& last = done.first;
    auto at = static_cast<size_t>(agent);
    if (last.clock == 0 || (at < seen.size() && seen[at] >= last.clock)) continue;
    std::string what =
        last.memory != nullptr ? element_text(*this, *last.memory, last.byte) : last.barrier->text(*this);
    throw interp::ended(*this, name_of({cluster.index, agent}), last.verb, what + " of " + name(),
                        *last.point);
  }
}

void Thread::arrive_at_cluster(bool relaxed, bool aligned, const AccessPoint& point) {
  Cluster& cluster = block.cluster;
  if (at_cluster)
    throw ir::refuse(refusals["cluster-barrier-misused"], name(), "arrives", "waited since it arrived last")
        .at(point.span);
  at_cluster = cluster.phase;
  arrived_at_cluster = aligned ? &point : nullptr;
  if (relaxed) {
    release_relaxed(cluster.arrived, cluster.visible, true);
  } else {
    release(cluster.arrived, cluster.visible);
  }
}

void Thread::wait_for_cluster(const Barrier& at, const AccessPoint& point) {
  Cluster& cluster = block.cluster;
  if (!at_cluster)
    throw ir::refuse(refusals["cluster-barrier-misused"], name(), "waits", "arrived there").at(point.span);
  barrier = &at;
  if (cluster.phase == *at_cluster) {
    state = State::kAtCluster;
    leave();
  }
  at_cluster.reset();
  acquire(cluster.completed, cluster.completed_visible);
  block.last_barrier = &at;
}

bool Cluster::release_barrier() {
  bool all = true, waits = false;
  each_thread([&](const Thread& thread) {
    all = all && (thread.state == Thread::State::kDone || thread.at_cluster == phase);
    waits = waits || thread.state == Thread::State::kAtCluster;
  });
  if (!all || !waits) return false;
  check_warps_whole();
  ++phase;
  completed = std::make_shared<Clocks>(arrived);
  completed_visible = std::make_shared<Clocks>(visible);
  for (const auto& block : blocks) {
    for (const auto& thread : block->threads)
      if (thread->state == Thread::State::kAtCluster) thread->state = Thread::State::kReady;
    if (kernel.traffic != nullptr) kernel.traffic->barrier(*block, false);
  }
  return true;
}

void Cluster::check_warps_whole() const {
  for (const auto& block : blocks) {
    const Thread* first = nullptr;
    for (const auto& thread : block->threads) {
      if (thread->state == Thread::State::kDone || thread->arrived_at_cluster == nullptr) continue;
      if (first == nullptr || first->warp() != thread->warp()) first = thread.get();
      if (first->arrived_at_cluster == thread->arrived_at_cluster) continue;
      throw ir::refuse(refusals["cluster-barrier-diverged"], first->name(), thread->name())
          .at(thread->arrived_at_cluster->span)
          .note(first->name() + " arrives here", first->arrived_at_cluster->span);
    }
  }
}

bool Cluster::release() {
  auto any_of = [&](auto&& releases) {
    bool any = false;
    for (const auto& block : blocks) any |= releases(*block);
    return any;
  };
  return any_of([](ThreadBlock& block) { return block.release_mbarriers(); }) ||
         any_of([](ThreadBlock& block) { return block.release_warps(false); }) ||
         any_of([](ThreadBlock& block) { return block.release_barriers(); }) || release_barrier() ||
         any_of([](ThreadBlock& block) { return block.release_warps(true); }) ||
         any_of([](ThreadBlock& block) { return block.release_tries(); });
}

void Cluster::fail_stuck_at_cluster() {
  size_t arrived = 0, running = 0;
  const Thread *waiting = nullptr, *missing = nullptr;
  each_thread([&](const Thread& thread) {
    if (thread.state == Thread::State::kDone) return;
    ++running;
    if (thread.at_cluster == phase) {
      ++arrived;
      if (thread.state == Thread::State::kAtCluster && waiting == nullptr) waiting = &thread;
    } else if (missing == nullptr) {
      missing = &thread;
    }
  });
  MLC_CHECK(waiting != nullptr, "a cluster is stuck without a thread that waits");
  ir::Error error =
      ir::refuse(refusals["cluster-barrier-not-reached"], arrived, running, waiting->barrier->text)
          .at(waiting->barrier->span);
  if (missing == nullptr) throw std::move(error);
  bool in_warp = missing->state == Thread::State::kInWarp;
  throw std::move(error).note(missing->name() + " " + fate_of(*missing),
                              in_warp ? missing->meeting->span : missing->barrier->span);
}

void Cluster::stuck() {
  each_thread([](const Thread& thread) {
    if (thread.state == Thread::State::kPolling) fail_polling(thread);
  });
  for (auto state : {Thread::State::kAtMbarrier, Thread::State::kInWarp, Thread::State::kAtBarrier})
    for (const auto& block : blocks)
      for (const auto& thread : block->threads)
        if (thread->state == state) block->fail_stuck(state);
  fail_stuck_at_cluster();
}

void Cluster::cancel() {
  cancelled = true;
  each_thread([](Thread& thread) {
    if (thread.begun && thread.state != Thread::State::kDone) thread.fiber->enter();
  });
}

void Cluster::run() {
  for (const auto& block : blocks) block->begin();
  std::vector<Thread*> order;
  each_thread([&](Thread& thread) { order.push_back(&thread); });
  std::mt19937_64 random(kernel.seed * 0x9E3779B97F4A7C15ULL + static_cast<uint64_t>(index));
  // Threads that poll run in each round. Where nobody else can go on, and all that they find stays what it
  // was, some may still count their rounds: so many are waited for.
  constexpr int64_t kRounds = 4096;
  int64_t idle = 0;
  try {
    for (;;) {
      if (kernel.seed != 0) std::shuffle(order.begin(), order.end(), random);
      bool ready = false, moved = false, polling = false;
      uint64_t published_before = published;
      for (Thread* thread : order) {
        bool polls = thread->state == Thread::State::kPolling;
        if (thread->state != Thread::State::kReady && !polls) continue;
        thread->run();
        ready = ready || thread->state == Thread::State::kReady;
        moved = moved || !polls || thread->state != Thread::State::kPolling;
        polling = polling || thread->state == Thread::State::kPolling;
      }
      moved = moved || published != published_before;
      size_t done = 0;
      for (const auto& block : blocks) {
        bool all = std::all_of(block->threads.begin(), block->threads.end(),
                               [](auto& thread) { return thread->state == Thread::State::kDone; });
        if (all && !block->ended) block->end();
        done += all ? 1 : 0;
      }
      if (done == blocks.size()) break;
      if (moved) idle = 0;
      if (ready || (polling && moved)) continue;
      if (release()) {
        idle = 0;
      } else if (!polling || ++idle > kRounds) {
        stuck();
      }
    }
    for (int rank = 0; kernel.cta_group == 2 && rank < size(); ++rank)
      at(rank).tensor_memory.check_pair(at(rank ^ 1).tensor_memory, at(rank).name());
  } catch (...) {
    kernel.program.heap.thread = nullptr;
    cancel();
    throw;
  }
}

}  // namespace mlc::interp
