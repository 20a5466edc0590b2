// SPDX-License-Identifier: Apache-2.0
#include "backend/interp/gpu/shadow.h"

#include <fmt/format.h>

#include "backend/interp/gpu/cluster.h"
#include "backend/interp/gpu/traffic.h"
#include "ir/core/refusal.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "async-copy-not-arrived",
         .message = "{} {} {}, to which an asynchronous copy is still on its way",
         .meaning =
             "An asynchronous copy writes at any time until its thread has waited for it; other threads see "
             "what it wrote after a barrier behind that."},
        {.name = "proxy-fence-missing",
         .message = "{} reads {}, which {} has written, and no fence makes that visible to it",
         .meaning = "Asynchronous operations see what threads have written to shared memory only behind a "
                    "fence between the "
                    "two ways to it."},
        {.name = "race",
         .message = "{} {} {}, which {} has {}, and nothing orders the two",
         .meaning =
             "Threads of a kernel run in any order: what one writes another may read or write only after a "
             "barrier that both have passed. Writes of the value that is there already are let pass."},
    }};
MLC_REFUSALS(gpu_shadow, refusals);

const char* verb_of(Touch touch) {
  return is_read(touch) ? "reads" : touch == Touch::kAtomic ? "changes atomically" : "writes";
}

namespace {

const char* before(Touch touch) {
  return is_read(touch) ? "read" : touch == Touch::kAtomic ? "changed atomically" : "written";
}

// Two strong operations of the thread and of somebody else: does each reach the other?
bool reach_each_other(const Thread& thread, const Toucher& self, const Toucher& other) {
  if (!is_strong(self.touch) || !is_strong(other.touch)) return false;
  const ThreadBlock& block = thread.block;
  Reaches least = std::min(self.reaches, other.reaches);
  if (other.cluster != block.cluster.index) return least == Reaches::kAll;
  const Agents& agents = block.agents;
  int rank = agents.is_agent(other.thread) ? agents.at(other.thread).rank
                                           : other.thread / static_cast<int>(block.threads.size());
  return rank == block.rank || least != Reaches::kBlock;
}

std::string element_of(const VarNode* buffer, int64_t byte) {
  const ir::BufferTypeNode* type = buffer->buffer();
  int64_t element = byte / std::max(1, ir::DataType(type->dtype).bytes());
  std::vector<int64_t> index;
  for (size_t d = type->shape.size(); d-- > 0;) {
    auto extent = ir::const_int(type->shape[d]);
    if (d > 0 && (!extent || *extent <= 0)) {
      index = {byte / std::max(1, ir::DataType(type->dtype).bytes())};
      break;
    }
    index.insert(index.begin(), d == 0 ? element : element % *extent);
    if (d > 0) element /= *extent;
  }
  // The printer calls those without a name so.
  return fmt::format("{}[{}]", buffer->name.empty() ? "buffer" : buffer->name.c_str(),
                     fmt::join(index, ", "));
}

const char* way_to_wait(AgentKind kind) {
  switch (kind) {
    case AgentKind::kBarrierBytes:
    case AgentKind::kBarrierStores:
      return "wait for the mbarrier at which the copy completes: `T.cuda.mbarrier_wait(pointer, parity)`";
    case AgentKind::kBulkRead:
      return "wait for the group of the copy: `T.ptx.cp.async_.bulk.wait_group.read(0)`, and let others know";
    case AgentKind::kBulkWrite:
      return "wait for the group of the copy: `T.ptx.cp.async_.bulk.wait_group(0)`";
    case AgentKind::kWarpGroup:
      return "wait for the group of the product: `T.ptx.wgmma.wait_group.sync.aligned(0)`, and let others "
             "know";
    case AgentKind::kTensorCore:
      return "wait for an mbarrier at which `T.ptx.tcgen05.commit` arrives behind it";
    case AgentKind::kTensorLoad:
      return "wait for the registers, `T.ptx.tcgen05.wait__ld.sync.aligned()`, and let others know";
    case AgentKind::kTensorStore:
      return "wait for the store, `T.ptx.tcgen05.wait__st.sync.aligned()`, and let others know";
  }
  return "";
}

// `self`: who does it, the thread or an agent for it.
[[noreturn]] void race(const Thread& thread, const Toucher& self, const Block& memory, int64_t byte,
                       const Toucher& other) {
  const ThreadBlock& block = thread.block;
  bool by_agent = block.agents.is_agent(self.thread);
  std::string who = by_agent ? fmt::format("{} of {}", block.name_of(self), thread.name()) : thread.name();
  ir::Error error = ir::refuse(refusals["race"], who, verb_of(self.touch), element_text(block, memory, byte),
                               block.name_of(other), before(other.touch))
                        .at(self.point->span);
  std::move(error).note(fmt::format("{} {} it here", block.name_of(other), verb_of(other.touch)),
                        other.point->span);
  if (is_strong(self.touch) && is_strong(other.touch)) {
    bool one_cluster = other.cluster == block.cluster.index;
    throw std::move(error).help(
        fmt::format("of their scopes the narrower is `{}`, and the threads are of different {}: name `{}`",
                    std::min(self.reaches, other.reaches) == Reaches::kBlock ? "cta" : "cluster",
                    one_cluster ? "blocks" : "clusters", one_cluster ? "cluster" : "gpu"));
  }
  // A word tells of the write, and is too weak for that.
  const Found& found = thread.found;
  if (other.cluster == block.cluster.index && !by_agent) {
    if (clock_of(found.of_block, other.thread) >= other.clock ||
        clock_of(found.of_others, other.thread) >= other.clock)
      throw std::move(error).help(
          "a relaxed read has found what tells of it: read it with `acquire` that reaches the other thread "
          "(`ld.acquire.cluster`), or put a fence behind it (`T.ptx.fence.acquire.cluster()`)");
    if (found.writers.contains(other.thread))
      throw std::move(error).help(
          "a word that the other thread has written has been read since, and that write releases nothing to "
          "this one: write it with `release` (`st.release.cluster`), or put a fence in front of it "
          "(`T.ptx.fence.release.cluster()`)");
  }
  if (other.cluster != block.cluster.index)
    throw std::move(error).help(
        "blocks of one launch run in any order: let one block write it, or change it atomically");
  if (block.agents.is_agent(other.thread))
    throw std::move(error).help(way_to_wait(block.agents.at(other.thread).kind));
  if (block.cluster.size() > 1 && other.thread / static_cast<int>(block.threads.size()) != block.rank)
    throw std::move(error).help(
        "between the two `T.cuda.cluster_sync()`, or an arrival and a wait at an mbarrier, is missing");
  if (!block.mbarriers.empty())
    throw std::move(error).help(
        "between the two a barrier, or an arrival and a wait at an mbarrier, is missing");
  if (block.last_barrier != nullptr && block.last_barrier->span)
    std::move(error).note("both come after this barrier, the last one that the block has passed",
                          block.last_barrier->span);
  bool warp = (other.thread - block.first_thread()) / kWarp == thread.warp();
  throw std::move(error).help(
      fmt::format("between the two a barrier is missing, `T.tvm_storage_sync(\"shared\")`{}",
                  warp ? "; the threads are of one warp: `T.tvm_storage_sync(\"warp\")` is enough" : ""));
}

bool same_thread(const Toucher& a, const Toucher& b) {
  return a.cluster == b.cluster && a.thread == b.thread;
}

// Keeps a read beside those that it does not come after.
void keep(std::array<Toucher, 4>& reads, const Toucher& read, const Thread& thread) {
  for (Toucher& old : reads)
    if (old.cluster >= 0 && (same_thread(old, read) || thread.comes_after(old))) old = {};
  const Agents& agents = thread.block.agents;
  auto warp_of = [&](const Toucher& one) {
    return agents.is_agent(one.thread) ? -one.thread : one.thread / kWarp;
  };
  int others = 0, of_block = 0, of_warp = 0;
  Toucher *free = nullptr, *strong = nullptr;
  for (Toucher& old : reads) {
    if (old.touch == Touch::kStrongRead) strong = &old;
    if (old.cluster < 0) {
      free = &old;
    } else if (old.cluster != read.cluster) {
      ++others;
    } else if (warp_of(old) != warp_of(read)) {
      ++of_block;
    } else {
      ++of_warp;
    }
  }
  // A read that adds nothing to those that are kept: of this warp two, or others already of two blocks or
  // warps.
  bool adds =
      of_warp < 2 && !(others + of_block + of_warp >= 2 && of_warp >= 1 && (others > 0 || of_block > 0));
  if (free != nullptr && adds) {
    *free = read;
  } else if (strong != nullptr && read.touch == Touch::kRead) {
    *strong = read;  // more writes race with it
  }
}

}  // namespace

std::string text_of_block(const ThreadBlock& block, std::string_view what, int owner) {
  if (owner < 0 || owner == block.rank) return fmt::format("`{}`", what);
  return fmt::format("`{}` of {}", what, block.cluster.at(owner).name());
}

std::string element_text(const ThreadBlock& block, const Block& memory, int64_t byte) {
  if (memory.scope == Block::Scope::kTensor)
    return text_of_block(
        block, fmt::format("lane {}, column {} of tensor memory", byte / 4 % 128, byte / 512), memory.home);
  const char* at = memory.begin + byte;
  const ThreadBlock* owner = owner_of(block, memory);
  const ThreadBlock::Named* best = nullptr;
  for (const ThreadBlock::Named& named : (owner == nullptr ? block : *owner).names) {
    if (at < named.begin || at >= named.end) continue;
    // What is declared for one element is where a copy begins.
    auto single = [](const ThreadBlock::Named& one) { return one.end - one.begin <= 4; };
    if (best == nullptr || single(*best) ||
        (!single(named) && named.end - named.begin < best->end - best->begin))
      best = &named;
  }
  std::string element = best != nullptr            ? element_of(best->buffer, at - best->begin)
                        : memory.buffer == nullptr ? fmt::format("byte {}", byte)
                                                   : element_of(memory.buffer, byte);
  return text_of_block(block, element, memory.home);
}

std::string ThreadBlock::name_of(const Toucher& who) const {
  const auto& e = kernel.extents;
  auto count = static_cast<int>(threads.size());
  bool here = who.cluster == cluster.index;
  auto block_of = [&](int rank) { return "block " + tuple_text(kernel.block_at(who.cluster, rank)); };
  if (here && agents.is_agent(who.thread)) {
    const Agent& agent = agents.at(who.thread);
    return agent.rank == rank
               ? agent.name
               : fmt::format("{} {} {}", agent.name, agent.kind == AgentKind::kBarrierBytes ? "to" : "of",
                             block_of(agent.rank));
  }
  if (who.thread >= count * cluster.size())
    return fmt::format("an asynchronous operation of {}{}", cluster.size() == 1 ? "" : "the cluster of ",
                       block_of(0));
  int index = who.thread % count;
  std::array<int64_t, 3> thread{index % e[3], index / e[3] % e[4], index / (e[3] * e[4])};
  std::string text = "thread " + tuple_text(thread);
  if (here && who.thread / count == rank) return text;
  return fmt::format("{} of {}", text, block_of(who.thread / count));
}

void Shadow::refine(int granule, size_t bytes) {
  auto factor = static_cast<size_t>(granule_ / granule);
  std::vector<std::unique_ptr<std::array<Cell, kPage>>> old(bytes / static_cast<size_t>(granule) / kPage + 1);
  std::swap(old, pages_);
  granule_ = granule;
  for (size_t p = 0; p < old.size(); ++p) {
    if (!old[p]) continue;
    for (size_t i = 0; i < kPage * factor; ++i) {
      size_t index = p * kPage * factor + i;
      if (index / kPage < pages_.size()) at(index) = (*old[p])[i / factor];
    }
  }
}

bool Thread::comes_after(const Toucher& other) const {
  if (other.cluster != block.cluster.index) return false;
  return other.thread == number() || clock_of(seen, other.thread) >= other.clock;
}

namespace {

// The cells of an access, with their first bytes.
template <class F>
void each_cell(Block& memory, char* begin, int64_t bytes, F&& f) {
  auto size = static_cast<size_t>(memory.end - memory.begin);
  if (!memory.shadow) memory.shadow = std::make_unique<Shadow>(size, memory.granule);
  int64_t first = begin - memory.begin;
  int granule = memory.shadow->granule();
  while (first % granule != 0 || bytes % granule != 0) granule /= 2;
  if (granule != memory.shadow->granule()) memory.shadow->refine(granule, size);
  for (int64_t at = first; at < first + bytes; at += granule)
    f(memory.shadow->at(static_cast<size_t>(at / granule)), at);
}

}  // namespace

void Thread::touch_by(const Epoch& agent, Block& memory, char* begin, int64_t bytes, Touch touch,
                      const AccessPoint& point) {
  touch_as({block.cluster.index, agent.agent, agent.clock, touch, Reaches::kAll, &point}, memory, begin,
           bytes);
}

void Thread::touch(Block& memory, char* begin, int64_t bytes, Touch touch, const AccessPoint& point,
                   Reaches reaches) {
  if (memory.scope == Block::Scope::kLocal) return;
  touch_as({block.cluster.index, number(), clock, touch, reaches, &point}, memory, begin, bytes);
}

void Thread::touch_as(const Toucher& self, Block& memory, char* begin, int64_t bytes) {
  Touch touch = self.touch;
  const AccessPoint& point = *self.point;
  reach(memory, {self.thread, self.clock}, touch, begin - memory.begin, point);
  bool by_agent = block.agents.is_agent(self.thread);
  bool in_order = by_agent && block.agents.at(self.thread).in_order;
  each_cell(memory, begin, bytes, [&](Cell& cell, int64_t byte) {
    if (cell.in_flight != nullptr) {
      throw ir::refuse(refusals["async-copy-not-arrived"], name(), verb_of(touch),
                       element_text(block, memory, byte))
          .at(point.span)
          .note("the copy is issued here", cell.in_flight->span)
          .help("wait for its group, `T.ptx.cp_async.wait_group(0)`, and for the other threads at a barrier");
    }
    auto conflict = [&](const Toucher& other) {
      if (other.cluster < 0 || reach_each_other(*this, self, other)) return;
      bool own = in_order && other.cluster == self.cluster && other.thread == self.thread;
      if (!own && !comes_after(other)) race(*this, self, memory, byte, other);
      // Threads write shared memory by another way than asynchronous operations read it.
      bool by_thread = other.cluster == self.cluster && !block.agents.is_agent(other.thread);
      if (by_agent && by_thread && touch == Touch::kRead && memory.scope == Block::Scope::kShared &&
          clock_of(fenced, other.thread) < other.clock) {
        throw ir::refuse(refusals["proxy-fence-missing"], block.agents.at(self.thread).name,
                         element_text(block, memory, byte), block.name_of(other))
            .at(point.span)
            .note(block.name_of(other) + " writes it here", other.point->span)
            .help("behind the write and before the barrier: `T.ptx.fence.proxy.async_.shared__cta()`");
      }
    };
    if (!is_read(touch) || !same_thread(cell.same, self)) conflict(cell.write);
    if (is_read(touch)) return keep(cell.reads, self, *this);
    for (const Toucher& read : cell.reads) conflict(read);
    cell.write = self;
    cell.same = {};
    cell.reads = {};
  });
}

void Thread::touch_same(Block& memory, char* begin, int64_t bytes, const AccessPoint& point) {
  if (memory.scope == Block::Scope::kLocal) return;
  reach(memory, {number(), clock}, Touch::kWrite, begin - memory.begin, point);
  each_cell(memory, begin, bytes, [&](Cell& cell, int64_t byte) {
    if (cell.in_flight != nullptr) {
      throw ir::refuse(refusals["async-copy-not-arrived"], name(), verb_of(Touch::kWrite),
                       element_text(block, memory, byte))
          .at(point.span)
          .note("the copy is issued here", cell.in_flight->span);
    }
    cell.same = Toucher{block.cluster.index, number(), clock, Touch::kWrite, Reaches::kAll, &point};
  });
}

void Thread::read_by(const Epoch& agent, Block& memory, char* begin, int64_t bytes,
                     const AccessPoint& point) {
  reach(memory, agent, Touch::kRead, begin - memory.begin, point);
  check_written(memory, begin, bytes, point);
  block.kernel.program.heap.use(point.span);
  touch_by(agent, memory, begin, bytes, Touch::kRead, point);
}

void Thread::write_by(const Epoch& agent, Block& memory, char* begin, int64_t bytes,
                      const AccessPoint& point) {
  touch_by(agent, memory, begin, bytes, Touch::kWrite, point);
  memory.mark(begin, bytes, true);
}

void set_in_flight(Block& memory, char* begin, int64_t bytes, const AccessPoint* point) {
  each_cell(memory, begin, bytes, [&](Cell& cell, int64_t) { cell.in_flight = point; });
}

}  // namespace mlc::interp
