// SPDX-License-Identifier: Apache-2.0
#include "backend/vm/memory.h"

#include <fmt/format.h>

#include <cstdlib>

#include "ir/core/refusal.h"
#include "ir/target/device_api.h"

namespace mlc::vm {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "vm-out-of-memory", .kind = "MemoryError", .message = "there is no memory for a storage of {} bytes"},
        {.name = "vm-storage-too-small",
         .message = "a tensor of {} bytes from byte {} on does not fit into a storage of {} bytes"},
        {.name = "vm-size-overflow", .message = "a tensor of shape {} has more bytes than can be counted"},
        {.name = "vm-negative-dimension", .message = "a tensor cannot have the shape {}"},
    }};
MLC_REFUSALS(vm_memory, refusals);

namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kPage = 4096;
constexpr size_t rounded(size_t size, size_t to) { return (size + to - 1) / to * to; }

// A block that is kept serves a request of which it wastes no more than an eighth.
constexpr bool serves(size_t kept, size_t size) { return kept - size <= size / 8 + kPage; }

struct InStorage {
  Storage storage;
  int64_t offset;
  void AllocData(DLTensor* tensor) {
    // What the pointer of another device is, only the device knows.
    bool is_address = tensor->device.device_type == kDLCPU || tensor->device.device_type == kDLCUDA;
    tensor->data = static_cast<char*>(storage->block.data) + (is_address ? offset : 0);
    tensor->byte_offset = is_address ? 0 : static_cast<uint64_t>(offset);
  }
  void FreeData(DLTensor*) {}
};

std::string shape_text(const ffi::Shape& shape) {
  return fmt::format("({})", fmt::join(shape.begin(), shape.end(), ", "));
}

}  // namespace

void* Pool::fresh(size_t size) const {
  if (device_.device_type == kDLCPU) return std::aligned_alloc(kAlignment, size);
  return ir::device_api(device_).allocate(device_.device_id, size);
}
void Pool::free(void* data) const {
  if (device_.device_type == kDLCPU) return std::free(data);  // NOLINT(cppcoreguidelines-no-malloc)
  ir::find_device_api(device_.device_type)->release(device_.device_id, data);
}

Pool::Block Pool::take(size_t size) {
  size_t wanted = rounded(std::max<size_t>(size, 1), size < kPage ? kAlignment : kPage);
  {
    std::lock_guard lock(mutex_);
    auto found = kept_.lower_bound(wanted);
    if (found != kept_.end() && serves(found->first, wanted)) {
      Block block{found->second, found->first};
      kept_.erase(found);
      return block;
    }
  }
  void* data = wanted < size ? nullptr : fresh(wanted);
  if (data == nullptr) {
    release();
    data = wanted < size ? nullptr : fresh(wanted);
    if (data == nullptr) throw refuse(refusals["vm-out-of-memory"], size);
  }
  std::lock_guard lock(mutex_);
  taken_ += wanted;
  most_ = std::max(most_, taken_);
  return {data, wanted};
}

void Pool::give(Block block) {
  if (block.data == nullptr) return;
  std::lock_guard lock(mutex_);
  if (!naive_) {
    kept_.emplace(block.size, block.data);
    return;
  }
  free(block.data);
  taken_ -= block.size;
}

void Pool::release() {
  std::lock_guard lock(mutex_);
  for (const auto& [size, data] : kept_) {
    free(data);
    taken_ -= size;
  }
  kept_.clear();
}

int64_t bytes_of(const ffi::Shape& shape, ir::DataType dtype) {
  int64_t bits = static_cast<int64_t>(dtype.bits()) * dtype.lanes();
  for (int64_t extent : shape) {
    if (extent < 0) throw refuse(refusals["vm-negative-dimension"], shape_text(shape));
    if (__builtin_mul_overflow(bits, extent, &bits)) throw refuse(refusals["vm-size-overflow"], shape_text(shape));
  }
  return bits / 8 + (bits % 8 == 0 ? 0 : 1);
}

ffi::Tensor tensor_in(const Storage& storage, int64_t offset, const ffi::Shape& shape, ir::DataType dtype) {
  int64_t bytes = bytes_of(shape, dtype);
  if (offset < 0 || static_cast<uint64_t>(bytes) > storage->size ||
      static_cast<uint64_t>(offset) > storage->size - static_cast<uint64_t>(bytes))
    throw refuse(refusals["vm-storage-too-small"], bytes, offset, storage->size);
  return ffi::Tensor::FromNDAlloc(InStorage{storage, offset}, shape, dtype, storage->pool->device());
}

}  // namespace mlc::vm
