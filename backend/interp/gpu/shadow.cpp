// SPDX-License-Identifier: Apache-2.0
#include "backend/interp/gpu/shadow.h"

#include <fmt/format.h>

#include "backend/interp/gpu/kernel.h"
#include "backend/interp/gpu/traffic.h"
#include "ir/core/refusal.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "async-copy-not-arrived",
         .message = "{} {} `{}`, to which an asynchronous copy is still on its way",
         .meaning =
             "An asynchronous copy writes at any time until its thread has waited for it; other threads see "
             "what it wrote after a barrier behind that."},
        {.name = "race",
         .message = "{} {} `{}`, which {} has {}, and nothing orders the two",
         .meaning =
             "Threads of a kernel run in any order: what one writes another may read or write only after a "
             "barrier that both have passed. Writes of the value that is there already are let pass."},
    }};
MLC_REFUSALS(gpu_shadow, refusals);

namespace {

const char* now(Touch touch) {
  return touch == Touch::kRead ? "reads" : touch == Touch::kWrite ? "writes" : "changes atomically";
}
const char* before(Touch touch) {
  return touch == Touch::kRead ? "read" : touch == Touch::kWrite ? "written" : "changed atomically";
}

// An element of memory as the program may have written it: with as many indices as the buffer has.
std::string element_text(const Block& memory, int64_t byte) {
  if (memory.buffer == nullptr) return fmt::format("byte {}", byte);
  const ir::BufferTypeNode* type = memory.buffer->buffer();
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
  return fmt::format("{}[{}]", memory.buffer->name.c_str(), fmt::join(index, ", "));
}

std::string name_of(const Kernel& kernel, const Toucher& who, const ThreadBlock& by) {
  const auto& e = kernel.extents;
  std::array<int64_t, 3> thread{who.thread % e[3], who.thread / e[3] % e[4], who.thread / (e[3] * e[4])};
  std::array<int64_t, 3> block{who.block % e[0], who.block / e[0] % e[1], who.block / (e[0] * e[1])};
  if (who.block == by.index) return "thread " + tuple_text(thread);
  return fmt::format("thread {} of block {}", tuple_text(thread), tuple_text(block));
}

[[noreturn]] void race(const Thread& thread, const Block& memory, int64_t byte, const Toucher& other,
                       Touch touch, const AccessPoint& point) {
  const ThreadBlock& block = thread.block;
  ir::Error error = ir::refuse(refusals["race"], thread.name(), now(touch), element_text(memory, byte),
                               name_of(block.kernel, other, block), before(other.touch))
                        .at(point.span);
  std::move(error).note(fmt::format("{} {} it here", name_of(block.kernel, other, block), now(other.touch)),
                        other.point->span);
  if (other.block != block.index)
    throw std::move(error).help(
        "blocks of one launch run in any order: let one block write it, or change it atomically");
  if (block.last_barrier != nullptr && block.last_barrier->span)
    std::move(error).note("both come after this barrier, the last one that the block has passed",
                          block.last_barrier->span);
  bool warp = other.thread / kWarp == thread.warp();
  throw std::move(error).help(
      fmt::format("between the two a barrier is missing, `T.tvm_storage_sync(\"shared\")`{}",
                  warp ? "; the threads are of one warp: `T.tvm_storage_sync(\"warp\")` is enough" : ""));
}

bool same_thread(const Toucher& a, const Toucher& b) { return a.block == b.block && a.thread == b.thread; }

// Keeps a read beside those that it does not come after.
void keep(std::array<Toucher, 4>& reads, const Toucher& read, const Thread& thread) {
  for (Toucher& old : reads)
    if (old.block >= 0 && (same_thread(old, read) || thread.comes_after(old))) old = {};
  int others = 0, of_block = 0, of_warp = 0;
  Toucher* free = nullptr;
  for (Toucher& old : reads) {
    if (old.block < 0) {
      free = &old;
    } else if (old.block != read.block) {
      ++others;
    } else if (old.thread / kWarp != read.thread / kWarp) {
      ++of_block;
    } else {
      ++of_warp;
    }
  }
  // A read that adds nothing to those that are kept: of this warp two, or others already of two blocks or
  // warps.
  if (free == nullptr || of_warp >= 2) return;
  if (others + of_block + of_warp >= 2 && of_warp >= 1 && (others > 0 || of_block > 0)) return;
  *free = read;
}

}  // namespace

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
  if (other.block != block.index) return false;
  if (other.thread == index) return true;
  return seen && (*seen)[static_cast<size_t>(other.thread)] >= other.clock;
}

namespace {

// The cells of an access, with their first bytes.
template <class F>
void each_cell(Block& memory, char* begin, int64_t bytes, F&& f) {
  auto size = static_cast<size_t>(memory.end - memory.begin);
  if (!memory.shadow) memory.shadow = std::make_unique<Shadow>(size, memory.granule);
  int64_t first = begin - memory.begin;
  if (first % memory.shadow->granule() != 0 || bytes % memory.shadow->granule() != 0)
    memory.shadow->refine(1, size);
  int granule = memory.shadow->granule();
  for (int64_t at = first; at < first + bytes; at += granule)
    f(memory.shadow->at(static_cast<size_t>(at / granule)), at);
}

}  // namespace

void Thread::touch(Block& memory, char* begin, int64_t bytes, Touch touch, const AccessPoint& point) {
  if (memory.scope == Block::Scope::kLocal) return;
  Toucher self{block.index, index, clock, touch, &point};
  each_cell(memory, begin, bytes, [&](Cell& cell, int64_t byte) {
    if (cell.in_flight != nullptr) {
      throw ir::refuse(refusals["async-copy-not-arrived"], name(), now(touch), element_text(memory, byte))
          .at(point.span)
          .note("the copy is issued here", cell.in_flight->span)
          .help("wait for its group, `T.ptx.cp_async.wait_group(0)`, and for the other threads at a barrier");
    }
    auto conflict = [&](const Toucher& other) {
      if (other.block < 0 || comes_after(other) || (touch == Touch::kAtomic && other.touch == Touch::kAtomic))
        return;
      race(*this, memory, byte, other, touch, point);
    };
    if (touch != Touch::kRead || !same_thread(cell.same, self)) conflict(cell.write);
    if (touch == Touch::kRead) return keep(cell.reads, self, *this);
    for (const Toucher& read : cell.reads) conflict(read);
    cell.write = self;
    cell.same = {};
    cell.reads = {};
  });
}

void Thread::touch_same(Block& memory, char* begin, int64_t bytes, const AccessPoint& point) {
  if (memory.scope == Block::Scope::kLocal) return;
  each_cell(memory, begin, bytes, [&](Cell& cell, int64_t byte) {
    if (cell.in_flight != nullptr) {
      throw ir::refuse(refusals["async-copy-not-arrived"], name(), now(Touch::kWrite),
                       element_text(memory, byte))
          .at(point.span)
          .note("the copy is issued here", cell.in_flight->span);
    }
    cell.same = Toucher{block.index, index, clock, Touch::kWrite, &point};
  });
}

void set_in_flight(Block& memory, char* begin, int64_t bytes, const AccessPoint* point) {
  each_cell(memory, begin, bytes, [&](Cell& cell, int64_t) { cell.in_flight = point; });
}

}  // namespace mlc::interp
