// SPDX-License-Identifier: Apache-2.0
#include "ir/core/ndarray.h"

#include "ir/core/refusal.h"
#include "ir/core/sanitizers.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

namespace mlc::ir {

static constexpr ir::Refusals refusals{"MemoryError",
                                       {
                                           {.name = "out-of-memory",
                                            .message = "cannot allocate {} bytes",
                                            .meaning = "The system has no memory left."},
                                       }};
MLC_REFUSALS(core_ndarray, refusals);

namespace {

// Memory of large arrays that were freed, for the next ones: to get it from the system costs more than most
// operations on it.
class Kept {
 public:
  static constexpr size_t kLeast = size_t{64} << 10;
#if defined(MLC_ASAN)
  static constexpr size_t kMost = 0;  // the sanitizer watches over freed memory itself
#else
  static constexpr size_t kMost = size_t{64} << 20;
#endif
  static bool fits(size_t bytes) { return bytes >= kLeast && bytes <= kMost; }
  void* take(size_t bytes) {
    std::lock_guard hold(lock_);
    for (auto it = blocks_.begin(); it != blocks_.end(); ++it) {
      if (it->first != bytes) continue;
      void* block = it->second;
      blocks_.erase(it);
      held_ -= bytes;
      return block;
    }
    return nullptr;
  }
  void give(size_t bytes, void* block) {
    std::lock_guard hold(lock_);
    blocks_.emplace_back(bytes, block);
    held_ += bytes;
    while (held_ > kMost || blocks_.size() > 16) {
      held_ -= blocks_.front().first;
      std::free(blocks_.front().second);
      blocks_.erase(blocks_.begin());
    }
  }

 private:
  std::mutex lock_;
  std::vector<std::pair<size_t, void*>> blocks_;  // the oldest first
  size_t held_ = 0;
};
Kept& kept() {
  static Kept& blocks = *new Kept;  // arrays may outlive every static object
  return blocks;
}

// Larger allocations use huge pages where the system has them, as NumPy's arrays do: a pass over it misses
// fewer translations of addresses.
constexpr size_t kLargePage = size_t{2} << 20;

void* fresh_memory(size_t bytes) {
  if (bytes < 2 * kLargePage) return std::aligned_alloc(64, bytes);
  void* block = std::aligned_alloc(kLargePage, (bytes + kLargePage - 1) / kLargePage * kLargePage);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (block != nullptr) madvise(block, bytes, MADV_HUGEPAGE);
#endif
  return block;
}

struct AlignedAllocator {
  static size_t size_of(const DLTensor& tensor) {
    size_t bytes = ffi::GetDataSize(tensor);
    return bytes == 0 ? 64 : (bytes + 63) / 64 * 64;
  }
  void AllocData(DLTensor* tensor) {
    size_t bytes = size_of(*tensor);
    tensor->data = Kept::fits(bytes) ? kept().take(bytes) : nullptr;
    if (tensor->data != nullptr) return;
    tensor->data = fresh_memory(bytes);
    if (tensor->data == nullptr) throw ir::refuse(refusals["out-of-memory"], bytes);
  }
  void FreeData(DLTensor* tensor) {
    size_t bytes = size_of(*tensor);
    if (Kept::fits(bytes))
      kept().give(bytes, tensor->data);
    else
      std::free(tensor->data);
  }
};

}  // namespace

ffi::Tensor make_tensor(std::span<const int64_t> shape, DataType dtype) {
  return ffi::Tensor::FromNDAlloc(AlignedAllocator(), ffi::Shape(shape.begin(), shape.end()), dtype,
                                  DLDevice{kDLCPU, 0});
}

ffi::Tensor contiguous(const ffi::Tensor& tensor) {
  if (tensor.IsContiguous()) return tensor;
  const DLTensor* from = tensor.GetDLTensorPtr();
  std::vector<int64_t> shape(from->shape, from->shape + from->ndim);
  ffi::Tensor to = make_tensor(shape, from->dtype);
  size_t element = (static_cast<size_t>(from->dtype.bits) * from->dtype.lanes + 7) / 8;
  const auto* source = static_cast<const char*>(from->data) + from->byte_offset;
  auto* target = static_cast<char*>(to.data_ptr());
  std::vector<int64_t> index(shape.size(), 0);
  int64_t count = 1;
  for (int64_t dim : shape) count *= dim;
  for (int64_t i = 0; i < count; ++i) {
    int64_t offset = 0;
    for (size_t d = 0; d < shape.size(); ++d) offset += index[d] * from->strides[d];
    std::memcpy(target + static_cast<size_t>(i) * element, source + offset * static_cast<int64_t>(element),
                element);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
  return to;
}

}  // namespace mlc::ir
