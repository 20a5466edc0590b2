// SPDX-License-Identifier: Apache-2.0
#include "backend/interp/gpu/ordering.h"

#include "backend/interp/gpu/cluster.h"
#include "ir/core/refusal.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "polls-for-ever",
         .message = "{} asks for {} again and again, and nobody of its {} goes on to write something else",
         .meaning = "A loop that waits for a word of memory ends when another thread writes that word, with "
                    "an operation that is strong (`st.relaxed`, `st.release`, `red`, `atom`)."},
    }};
MLC_REFUSALS(gpu_ordering, refusals);

Order Order::of(std::string_view sem, std::string_view scope) {
  Order order;
  order.strong = !sem.empty() && sem != "weak";
  order.acquires = sem == "acquire" || sem == "acq_rel";
  order.releases = sem == "release" || sem == "acq_rel";
  order.reaches = scope == "cta" ? Reaches::kBlock : scope == "cluster" ? Reaches::kCluster : Reaches::kAll;
  return order;
}

Order Order::of_fence(std::string_view sem, std::string_view scope) {
  Order order = of("acq_rel", scope);
  order.acquires = sem != "release";
  order.releases = sem != "acquire";
  return order;
}

static void join_shared(SharedClocks& to, const SharedClocks& more) {
  auto both = std::make_shared<Clocks>();
  join(*both, to);
  join(*both, more);
  to = std::move(both);
}

void Thread::fence(const Order& order) {
  if (order.acquires) {
    acquire(found.of_block, found.visible);
    if (order.reaches != Reaches::kBlock) acquire(found.of_others, found.visible);
  }
  if (!order.releases) return;
  auto now = std::make_shared<Clocks>();
  join(*now, seen);
  advance(*now, number(), clock++);
  before_fence_of_block = now;
  if (order.reaches != Reaches::kBlock) before_fence = std::move(now);
}

void Thread::publish(const Block& memory, const char* at, const Order& order, bool continues) {
  auto& released = block.cluster.released;
  ++block.cluster.published;
  // Of most atomic operations on global memory nothing has to be kept.
  bool tells = order.releases || before_fence_of_block;
  if (auto known = released.find(at); !tells && memory.home < 0 && (known == released.end() || !continues)) {
    if (known != released.end()) released.erase(known);
    return;
  }
  Released& there = released[at];
  if (!continues) {
    there = {};
  } else if (there.rank != block.rank) {
    there.of_block = there.of_others;
  }
  there.rank = block.rank;
  there.writes[number()] = clock;
  auto add = [&](Clocks& to, bool all, const SharedClocks& before) {
    join(to, all ? seen : before);
    if (all) advance(to, number(), clock);
  };
  add(there.of_block, order.releases, before_fence_of_block);
  add(there.of_others, order.releases && order.reaches != Reaches::kBlock, before_fence);
  join(there.visible, fenced);
  if (order.releases) ++clock;
}

void Thread::observe(const char* at, const Order& order) {
  auto known = block.cluster.released.find(at);
  if (known == block.cluster.released.end()) return;
  const Released& there = known->second;
  bool here = there.rank == block.rank;
  // Whose word has been read has begun, and has done that.
  for (auto [writer, when] : there.writes) {
    block.forget_reached(at, {writer, when});
    found.writers.insert(writer);
    known_blocks |= 1U << (writer / static_cast<int>(block.threads.size()));
  }
  if (there.of_block.empty() && there.visible.empty()) return;
  auto clocks = std::make_shared<const Clocks>(here ? there.of_block : there.of_others);
  auto visible = std::make_shared<const Clocks>(there.visible);
  if (order.acquires && (here || order.reaches != Reaches::kBlock)) return acquire(clocks, visible);
  find(clocks, visible, here);
}

void Thread::find(const SharedClocks& clocks, const SharedClocks& visible, bool in_block) {
  join_shared(in_block ? found.of_block : found.of_others, clocks);
  join_shared(found.visible, visible);
}

void Thread::poll(const AccessPoint& point, Block& memory, char* at, uint64_t value) {
  constexpr size_t kLoops = 256;  // words that one loop asks for are few
  if (asked.size() > kLoops) asked.clear();
  asks = {&point, &memory, at};
  auto before = asked.find(asks);
  if (before == asked.end() || before->second != value) return;
  state = State::kPolling;
  leave();
}

// Clusters run one after the other: what is in global memory blocks of others may be about to write.
void fail_polling(const Thread& thread) {
  const Asked& asks = thread.asks;
  if (asks.memory->home < 0 && thread.block.kernel.others_wait())
    unsupported(asks.point->span, "loops that wait for blocks of other clusters");
  const ThreadBlock& block = thread.block;
  const Thread* other = nullptr;
  block.cluster.each_thread([&](const Thread& one) {
    bool waits = one.state != Thread::State::kDone && one.state != Thread::State::kPolling;
    if (waits && other == nullptr) other = &one;
  });
  ir::Error error = ir::refuse(refusals["polls-for-ever"], thread.name(),
                               element_text(block, *asks.memory, asks.at - asks.memory->begin),
                               block.cluster.size() > 1 ? "cluster" : "block")
                        .at(asks.point->span);
  if (other != nullptr) {
    bool at_mbarrier = other->state == Thread::State::kAtMbarrier;
    bool in_warp = other->state == Thread::State::kInWarp;
    std::move(error).note(other->name() + " " + fate_of(*other), at_mbarrier ? other->waited.point->span
                                                                 : in_warp   ? other->meeting->span
                                                                             : other->barrier->span);
  }
  throw std::move(error);
}

}  // namespace mlc::interp
