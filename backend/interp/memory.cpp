// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "backend/interp/gpu/kernel.h"
#include "backend/interp/gpu/traffic.h"
#include "backend/interp/machine.h"
#include "ir/core/refusal.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "IndexError",
    {
        {.name = "address-out-of-bounds",
         .message = "element {} of `{}` lies outside the memory behind it ({} bytes)"},
        {.name = "index-out-of-bounds", .message = "`{}` is {} at {}, outside its shape {}"},
        {.name = "interpret-unsupported", .kind = "ValueError", .message = "the interpreter does not run {}"},
        {.name = "out-of-memory", .kind = "MemoryError", .message = "cannot allocate {} bytes"},
        {.name = "race",
         .kind = "RuntimeError",
         .message = "element {} of `{}` is {} by one iteration of a loop and touched by another that runs "
                    "beside it"},
        {.name = "uninitialized-read",
         .kind = "RuntimeError",
         .message = "element {} of `{}` is read before it is written"},
    }};
MLC_REFUSALS(interp_memory, refusals);

bool Races::side_by_side(int a, int b) const {
  auto at = [&](int i) -> const Iteration& { return iterations[static_cast<size_t>(i)]; };
  if (a < 0 || b < 0) return false;
  while (at(a).depth > at(b).depth) a = at(a).outer;
  while (at(b).depth > at(a).depth) b = at(b).outer;
  while (at(a).outer != at(b).outer) a = at(a).outer, b = at(b).outer;
  return a != b && at(a).loop == at(b).loop;
}
bool Races::touch(Touch& touch, bool stores) {
  if (side_by_side(touch.write, now)) return true;
  if (!stores) {
    (side_by_side(touch.read, now) ? touch.other_read : touch.read) = now;
    return false;
  }
  touch.write = now;
  return side_by_side(touch.read, now) || side_by_side(touch.other_read, now);
}

Block::Block(Heap& heap, char* begin, char* end, bool owned, bool track)
    : heap(heap), begin(begin), end(end), owned(owned) {
  if (track) written.resize(static_cast<size_t>(end - begin), false);
}
void Block::mark(const char* first, int64_t bytes, bool is_written) {
  if (written.empty()) return;
  auto from = written.begin() + (first - begin);
  std::fill(from, from + bytes, is_written);
}

Block::~Block() {
  auto found = heap.blocks_.find(begin);
  if (found != heap.blocks_.end() && found->second.expired()) heap.blocks_.erase(found);
  if (owned) std::free(begin);
}

std::shared_ptr<Block> Heap::allocate(size_t bytes, bool track) {
  size_t rounded = (std::max<size_t>(bytes, 1) + 63) / 64 * 64;
  auto* begin = static_cast<char*>(std::aligned_alloc(64, rounded));
  if (begin == nullptr) throw ir::refuse(refusals["out-of-memory"], bytes);
  std::memset(begin, 0xCB, rounded);  // the same absurd values every time for what reads too early
  auto block = std::make_shared<Block>(*this, begin, begin + bytes, true, track);
  blocks_[begin] = block;
  return block;
}
std::shared_ptr<Block> Heap::adopt(char* begin, size_t bytes) {
  // The same tensor may be passed twice: the larger extent counts.
  auto found = blocks_.find(begin);
  if (found != blocks_.end()) {
    if (auto block = found->second.lock()) {
      block->end = std::max(block->end, begin + bytes);
      return block;
    }
  }
  auto block = std::make_shared<Block>(*this, begin, begin + bytes, false, false);
  blocks_[begin] = block;
  return block;
}
void Heap::clear_shadows() {
  for (auto& [begin, weak] : blocks_)
    if (auto block = weak.lock()) block->shadow.reset();
}
std::shared_ptr<Block> Heap::find(char* address) const {
  auto next = blocks_.upper_bound(address);
  if (next == blocks_.begin()) return nullptr;
  auto block = std::prev(next)->second.lock();
  return block && address <= block->end ? block : nullptr;
}

std::vector<int64_t> compact_strides(std::span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}
std::string text_of(std::span<const int64_t> numbers) {
  return fmt::format("({}{})", fmt::join(numbers, ", "), numbers.size() == 1 ? "," : "");
}
void unsupported(Span span, std::string_view what) {
  throw ir::refuse(refusals["interpret-unsupported"], what).at(span);
}
int lanes_in_memory(ir::DataType element, Span span) {
  if (element.is_scalable())
    unsupported(span, "buffers whose elements are vectors of a length that the processor has");
  return element.lanes();
}

namespace {

[[noreturn]] void out_of_bounds(const Site& site, const View& view, std::span<const int64_t> index) {
  throw ir::refuse(refusals["index-out-of-bounds"], site.buffer->name.c_str(),
                   site.stores ? "written" : "read", text_of(index), text_of(view.shape))
      .at(site.span);
}

}  // namespace

void Site::locate(Frame& frame, int64_t* elements, const Lane* mask) const {
  const View& at = frame.views[static_cast<size_t>(view)];
  size_t rank = indices.size();
  int64_t base = at.offset;
  if (rank == 0) {
    elements[0] = base;
    if (Thread* thread = frame.program.heap.thread) count(*thread, at, {elements, 1}, mask);
    return;
  }
  Heap& heap = frame.program.heap;
  // Whether the indices are known is one question, whether the value around them is, another.
  Unwritten around = std::exchange(heap.unwritten, {});
  int64_t index[16];
  MLC_CHECK(rank <= 16, "`{}` has {} dimensions", buffer->name.c_str(), rank);
  bool outside = false;
  for (size_t d = 0; d + 1 < rank; ++d) {
    Lane value;
    indices[d](frame, &value);
    index[d] = value.i;
    outside |= static_cast<uint64_t>(value.i) >= static_cast<uint64_t>(at.shape[d]);
    base += value.i * at.strides[d];
  }
  Lanes last(lanes);
  indices[rank - 1](frame, last.data());
  for (int lane = 0; lane < lanes; ++lane) {
    if (mask != nullptr && mask[lane].i == 0) continue;
    int64_t i = last[lane].i;
    if (outside || static_cast<uint64_t>(i) >= static_cast<uint64_t>(at.shape[rank - 1])) [[unlikely]] {
      index[rank - 1] = i;
      out_of_bounds(*this, at, {index, rank});
    }
    elements[lane] = base + i * at.strides[rank - 1];
  }
  if (heap.thread == nullptr) return;
  heap.use(span);
  heap.unwritten = around;
  count(*heap.thread, at, {elements, static_cast<size_t>(lanes)}, mask);
}

void Site::touch(const View& at, int64_t element, char* begin) const {
  Races& races = at.block->heap.races;
  if (at.block->watched && races.now >= 0 && races.touch(at.block->touched[begin], stores)) [[unlikely]]
    throw ir::refuse(refusals["race"], element, buffer->name.c_str(), stores ? "written" : "read").at(span);
}

void Site::store(const View& at, int64_t element, const Lane* values) const {
  if (Thread* thread = at.block->heap.thread) return store_by_thread(*thread, at, element, values);
  char* begin = address(at, element);
  char before[8];
  for (char* to = begin; to != begin + element_lanes * number->bytes; to += number->bytes) {
    std::memcpy(before, to, static_cast<size_t>(number->bytes));
    number->store(to, *values++);
    if (std::memcmp(before, to, static_cast<size_t>(number->bytes)) != 0) touch(at, element, to);
  }
}

// Writes of what was there already are no races; memory that was never written has no value yet.
void Site::store_by_thread(Thread& thread, const View& at, int64_t element, const Lane* values) const {
  char* begin = address(at, element);
  Block& memory = *at.block;
  Unwritten unwritten = std::exchange(memory.heap.unwritten, {});
  bool keeps = unwritten.point != nullptr && memory.scope == Block::Scope::kLocal;
  if (unwritten.point != nullptr && !keeps) {
    memory.heap.unwritten = unwritten;
    memory.heap.fail_unwritten(span);
  }
  if (memory.scope == Block::Scope::kLocal)
    thread.store_registers(memory, begin, static_cast<int64_t>(number->bytes) * element_lanes, span);
  char before[8];
  for (char* to = begin; to != begin + element_lanes * number->bytes; to += number->bytes) {
    auto bytes = static_cast<size_t>(number->bytes);
    bool known = true;
    if (!memory.written.empty()) {
      auto first = memory.written.begin() + (to - memory.begin);
      known = std::find(first, first + number->bytes, false) == first + number->bytes;
      std::fill(first, first + number->bytes, !keeps);
    }
    std::memcpy(before, to, bytes);
    number->store(to, *values++);
    if (known && std::memcmp(before, to, bytes) == 0) {
      thread.touch_same(memory, to, number->bytes, *point);
    } else {
      thread.touch(memory, to, number->bytes, Touch::kWrite, *point);
    }
  }
}

void Site::count(Thread& thread, const View& at, std::span<const int64_t> elements, const Lane* mask) const {
  Traffic* traffic = thread.block.kernel.traffic;
  if (traffic == nullptr) return;
  int64_t bytes = static_cast<int64_t>(number->bytes) * element_lanes;
  auto count = static_cast<int64_t>(elements.size());
  bool side_by_side = mask == nullptr;
  for (int64_t i = 1; i < count; ++i)
    side_by_side = side_by_side && elements[static_cast<size_t>(i)] == elements[0] + i;
  Touch touch = stores ? Touch::kWrite : Touch::kRead;
  if (side_by_side)
    return traffic->access(thread, *at.block, at.data + elements[0] * bytes, count * bytes, touch, *point);
  for (int64_t i = 0; i < count; ++i) {
    if (mask != nullptr && mask[i].i == 0) continue;
    traffic->access(thread, *at.block, at.data + elements[static_cast<size_t>(i)] * bytes, bytes, touch,
                    *point);
  }
}

char* Site::address(const View& at, int64_t element) const {
  int64_t bytes = static_cast<int64_t>(number->bytes) * element_lanes;
  char* begin = at.data + element * bytes;
  if (begin < at.block->begin || begin + bytes > at.block->end) [[unlikely]] {
    throw ir::refuse(refusals["address-out-of-bounds"], element, buffer->name.c_str(),
                     at.block->end - at.block->begin)
        .at(span);
  }
  if (Thread* thread = at.block->heap.thread) {
    if (stores) return begin;  // what it writes decides whether it is a race
    thread->check_written(*at.block, begin, bytes, *point);
    thread->touch(*at.block, begin, bytes, Touch::kRead, *point);
    return begin;
  }
  if (observer != nullptr) [[unlikely]]
    observer->access({block, at.block->buffer, begin - at.block->begin, bytes, stores});
  if (!stores) touch(at, element, begin);
  if (!at.block->written.empty()) [[unlikely]] {
    size_t first = static_cast<size_t>(begin - at.block->begin);
    for (size_t byte = first; byte < first + static_cast<size_t>(bytes); ++byte) {
      if (stores) {
        at.block->written[byte] = true;
      } else if (!at.block->written[byte]) {
        throw ir::refuse(refusals["uninitialized-read"], element, buffer->name.c_str()).at(span);
      }
    }
  }
  return begin;
}

}  // namespace mlc::interp
