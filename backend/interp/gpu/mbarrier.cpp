// SPDX-License-Identifier: Apache-2.0
#include "backend/interp/gpu/mbarrier.h"

#include "backend/interp/gpu/cluster.h"
#include "ir/core/refusal.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "mbarrier-arrived-too-often",
         .message = "{} arrives {} times at {}, of whose {} arrivals of a phase only {} are missing",
         .meaning = "More arrivals than an mbarrier was initialised for make its phases end too early, or "
                    "leave a count "
                    "that no phase has."},
        {.name = "mbarrier-bytes-differ",
         .message = "phase {} of {} waits for ever: {} bytes were announced, {} have come",
         .meaning = "The bytes that `expect_tx` announces are those of all copies that complete at the "
                    "barrier in that "
                    "phase, whole boxes, also where parts of them lie outside of the tensor."},
        {.name = "mbarrier-count",
         .message = "{} is initialised for {} arrivals, and an mbarrier counts 1 to 1048575"},
        {.name = "mbarrier-elsewhere",
         .message = "{} {} {}, and only threads of that block can",
         .meaning = "Threads of other blocks of the cluster arrive at an mbarrier and announce bytes there "
                    "(`shared::cluster`); its own block initialises it and waits."},
        {.name = "mbarrier-never-completes",
         .message = "{} waits for phase {} of {}, which does not end: {} of {} arrivals have come",
         .meaning = "A wait names the parity of a phase, 0 for the first one, and ends when that phase has "
                    "ended. With the "
                    "wrong parity it is one that nobody arrives in."},
        {.name = "mbarrier-not-fenced",
         .message = "a bulk copy completes at {}, whose initialisation asynchronous copies may not have seen",
         .help = "between the initialisation and the barrier of the block: "
                 "`T.ptx.fence.mbarrier_init.release.cluster()` or `T.ptx.fence.proxy.async_.shared__cta()`"},
        {.name = "mbarrier-not-initialized", .message = "{} uses {}, where no mbarrier has been initialised"},
        {.name = "mbarrier-used-too-early",
         .message = "{} uses {}, which {} initialises, and nothing orders the two"},
    }};
MLC_REFUSALS(gpu_mbarrier, refusals);

void MBarrier::settle() {
  if (pending > 0 || announced != came) return;
  ++phase;
  pending = count;
  announced = came = 0;
  completed = std::make_shared<Clocks>(released);
  completed_visible = std::make_shared<Clocks>(visible);
}

std::string MBarrier::text(const ThreadBlock& seen_from) const {
  return text_of_block(seen_from, name, rank);
}

void MBarrier::take(int64_t arrivals, const ThreadBlock& by, const std::string& who,
                    const AccessPoint& point) {
  if (arrivals > pending) {
    ir::Error error =
        ir::refuse(refusals["mbarrier-arrived-too-often"], who, arrivals, text(by), count, pending)
            .at(point.span);
    if (last_arrival != nullptr) std::move(error).note("the arrival before it is here", last_arrival->span);
    throw std::move(error).note("it is initialised here", init.point->span);
  }
  pending -= arrivals;
  last_arrival = &point;
}

void MBarrier::complete(int64_t bytes, const SharedClocks& before, const AccessPoint& point) {
  last_bytes = &point;
  join(released, before);
  advance(released, agent, phase + 1);
  advance(released, stores, phase + 1);
  came += bytes;
  settle();
}

void MBarrier::arrive(const ThreadBlock& by, const Epoch& done, const SharedClocks& before,
                      const AccessPoint& point) {
  take(1, by, "a commit", point);
  join(released, before);
  advance(released, done.agent, done.clock);
  settle();
}

void MBarrier::arrive(Thread& thread, int64_t arrivals, bool relaxed, const AccessPoint& point) {
  take(arrivals, thread.block, thread.name(), point);
  thread.reach_barrier(*this, {thread.number(), relaxed ? 1 : thread.clock}, point);
  if (relaxed) {
    thread.release_relaxed(released, visible, thread.block.rank != rank);
  } else {
    thread.release(released, visible);
  }
  settle();
}

MBarrier& ThreadBlock::init_mbarrier(Thread& thread, Block& memory, char* at, int64_t count,
                                     const AccessPoint& point) {
  std::string text = element_text(*this, memory, at - memory.begin);
  if (memory.home >= 0 && memory.home != rank)
    throw ir::refuse(refusals["mbarrier-elsewhere"], thread.name(), "initialises", text).at(point.span);
  if (count < 1 || count >= 1 << 20) throw ir::refuse(refusals["mbarrier-count"], text, count).at(point.span);
  MBarrier made;
  made.name = text.substr(1, text.size() - 2);
  made.rank = rank;
  made.count = made.pending = count;
  made.init = {cluster.index, thread.number(), thread.clock, Touch::kWrite, Reaches::kAll, &point};
  made.agent = agents.of(AgentKind::kBarrierBytes, reinterpret_cast<int64_t>(at), rank);
  made.stores = agents.of(AgentKind::kBarrierStores, reinterpret_cast<int64_t>(at), rank);
  // Of one that stood there before the phases go on counting: its copies have their clocks.
  if (auto old = mbarriers.find(at); old != mbarriers.end()) made.phase = (old->second.phase + 2) & ~1U;
  return mbarriers.insert_or_assign(at, std::move(made)).first->second;
}

MBarrier& Thread::mbarrier_at(int64_t address, const AccessPoint& point) const {
  auto [memory, at] = memory_at(address, 8, point.span);
  const ThreadBlock* owner = owner_of(block, *memory);
  bool here = owner == nullptr || owner == &block;
  auto& known = (here ? block : block.cluster.at(owner->rank)).mbarriers;
  auto found = known.find(at);
  if (found == known.end() || !found->second.valid) {
    throw ir::refuse(refusals["mbarrier-not-initialized"], name(),
                     element_text(block, *memory, at - memory->begin))
        .at(point.span)
        .help(fmt::format(
            "one thread initialises it, `T.ptx.mbarrier.init.shared.b64(pointer, count)`; the others "
            "come after {}",
            here ? "a barrier of the block" : "`T.cuda.cluster_sync()`"));
  }
  const Toucher& init = found->second.init;
  if (!comes_after(init)) {
    throw ir::refuse(refusals["mbarrier-used-too-early"], name(), found->second.text(block),
                     block.name_of(init))
        .at(point.span)
        .note("it is initialised here", init.point->span)
        .help(fmt::format("a barrier of the {} is missing behind the initialisation: `T.cuda.{}_sync()`",
                          here ? "block" : "cluster", here ? "cta" : "cluster"));
  }
  return found->second;
}

MBarrier& Thread::own_mbarrier_at(int64_t address, std::string_view what, const AccessPoint& point) const {
  MBarrier& barrier = mbarrier_at(address, point);
  if (barrier.rank != block.rank)
    throw ir::refuse(refusals["mbarrier-elsewhere"], name(), what, barrier.text(block)).at(point.span);
  return barrier;
}

MBarrier& Thread::mbarrier_of_copy(int64_t address, const AccessPoint& point) const {
  MBarrier& barrier = mbarrier_at(address, point);
  const Toucher& init = barrier.init;
  if (clock_of(fenced, init.thread) < init.clock) {
    throw ir::refuse(refusals["mbarrier-not-fenced"], barrier.text(block))
        .at(point.span)
        .note("it is initialised here", init.point->span);
  }
  return barrier;
}

bool Thread::wait_for(MBarrier& barrier, int64_t parity, bool for_ever, bool relaxed,
                      const AccessPoint& point) {
  if (!barrier.has_ended(parity)) {
    waited = {&barrier, parity, for_ever, false, &point};
    state = State::kAtMbarrier;
    leave();
    if (waited.gave_up) return false;
  }
  if (relaxed) {
    find(barrier.completed, barrier.completed_visible, true);
  } else {
    acquire(barrier.completed, barrier.completed_visible);
  }
  return true;
}

bool ThreadBlock::release_mbarriers() {
  bool any = false;
  for (auto& thread : threads) {
    if (thread->state != Thread::State::kAtMbarrier ||
        !thread->waited.barrier->has_ended(thread->waited.parity))
      continue;
    thread->state = Thread::State::kReady;
    any = true;
  }
  return any;
}

// Those that only try go on without: each statement once for all that has happened since.
bool ThreadBlock::release_tries() {
  bool any = false;
  for (auto& thread : threads) {
    auto& waited = thread->waited;
    if (thread->state != Thread::State::kAtMbarrier || waited.for_ever) continue;
    const MBarrier& barrier = *waited.barrier;
    std::pair stands_at{barrier.pending + (static_cast<int64_t>(barrier.phase) << 20),
                        barrier.announced - barrier.came};
    auto [tried, first] = thread->tried.try_emplace({waited.barrier, waited.point}, stands_at);
    if (!first && std::exchange(tried->second, stands_at) == stands_at) continue;
    waited.gave_up = true;
    thread->state = Thread::State::kReady;
    any = true;
  }
  return any;
}

void fail_stuck_at_mbarrier(const Thread& waiting) {
  // One whose bytes differ is why the others wait.
  const Thread* thread = &waiting;
  const Cluster& cluster = waiting.block.cluster;
  bool found = false;
  cluster.each_thread([&](const Thread& other) {
    if (found || other.state != Thread::State::kAtMbarrier) return;
    const MBarrier& at = *other.waited.barrier;
    if (at.pending != 0 || at.announced == at.came) return;
    thread = &other;
    found = true;
  });
  const ThreadBlock& block = thread->block;
  const MBarrier& barrier = *thread->waited.barrier;
  bool differs = barrier.pending == 0;
  // Which block's it is need not be said where there is one.
  std::string name = barrier.text(block);
  if (cluster.size() > 1) name += " of " + block.name();
  ir::Error error = differs ? ir::refuse(refusals["mbarrier-bytes-differ"], barrier.phase, name,
                                         barrier.announced, barrier.came)
                            : ir::refuse(refusals["mbarrier-never-completes"], thread->name(), barrier.phase,
                                         barrier.text(block), barrier.count - barrier.pending, barrier.count);
  std::move(error).at(thread->waited.point->span);
  std::move(error).note(
      fmt::format("it is initialised here, for {} arrival{}", barrier.count, barrier.count == 1 ? "" : "s"),
      barrier.init.point->span);
  if (barrier.last_arrival != nullptr)
    std::move(error).note("the last arrival is this one", barrier.last_arrival->span);
  if (differs && barrier.last_bytes != nullptr)
    std::move(error).note("the last bytes are those of this copy", barrier.last_bytes->span);
  int others = 0;
  const Thread* elsewhere = nullptr;
  auto look_at = [&](const Thread& other) {
    if (other.state == Thread::State::kDone) return;
    bool same = other.state == Thread::State::kAtMbarrier && other.waited.barrier == &barrier;
    others += same ? 1 : 0;
    if (!same && elsewhere == nullptr) elsewhere = &other;
  };
  for (const auto& other : block.threads) look_at(*other);
  cluster.each_thread([&](const Thread& other) {
    if (&other.block != &block) look_at(other);
  });
  std::move(error).note(fmt::format("{} thread{} of block {} wait{} for it; the parity of phase {} is {}",
                                    others, others == 1 ? "" : "s", tuple_text(block.at),
                                    others == 1 ? "s" : "", barrier.phase, barrier.phase & 1U));
  if (elsewhere != nullptr) {
    std::string where = elsewhere->state == Thread::State::kAtMbarrier
                            ? fmt::format("phase {} of {}", elsewhere->waited.barrier->phase,
                                          elsewhere->waited.barrier->text(block))
                        : elsewhere->state == Thread::State::kInWarp ? "`" + elsewhere->meeting->text + "`"
                                                                     : "`" + elsewhere->barrier->text + "`";
    std::move(error).note(fmt::format("{} waits for {}", elsewhere->name(), where),
                          elsewhere->state == Thread::State::kAtMbarrier ? elsewhere->waited.point->span
                          : elsewhere->state == Thread::State::kInWarp   ? elsewhere->meeting->span
                                                                         : elsewhere->barrier->span);
  }
  throw std::move(error);
}

}  // namespace mlc::interp
