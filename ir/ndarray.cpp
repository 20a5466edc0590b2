// SPDX-License-Identifier: Apache-2.0
#include "ir/ndarray.h"

#include <cstdlib>
#include <cstring>

namespace mlc::ir {
namespace {

struct AlignedAllocator {
  void AllocData(DLTensor* tensor) {
    size_t bytes = ffi::GetDataSize(*tensor);
    bytes = (bytes + 63) / 64 * 64;
    tensor->data = std::aligned_alloc(64, bytes == 0 ? 64 : bytes);
    if (tensor->data == nullptr)
      throw Error("out-of-memory", "cannot allocate {} bytes", bytes).kind("MemoryError");
  }
  void FreeData(DLTensor* tensor) { std::free(tensor->data); }
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
