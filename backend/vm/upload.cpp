// SPDX-License-Identifier: Apache-2.0
#include "backend/vm/upload.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "ir/core/ndarray.h"
#include "ir/target/device_api.h"

namespace mlc::vm {

namespace {
constexpr size_t kAlignment = 64 / sizeof(int32_t);  // kernels may ask of tensors that they begin there
}

void Upload::add(ffi::Tensor& where, const std::vector<int32_t>& values, std::vector<int64_t> shape) {
  if (shape.empty()) shape = {static_cast<int64_t>(values.size())};
  parts_.push_back({&where, values_.size(), std::move(shape)});
  values_.insert(values_.end(), values.begin(), values.end());
  values_.resize((values_.size() + kAlignment - 1) / kAlignment * kAlignment);
}

void Upload::send(const std::shared_ptr<Pool>& pool) {
  // Few different sizes, so that the pool need not keep many blocks.
  size_t bytes = std::bit_ceil(std::max(values_.size(), kAlignment) * sizeof(int32_t));
  Storage storage = ir::make<StorageNode>(pool, bytes);
  int64_t shape[] = {static_cast<int64_t>(values_.size())};
  ffi::Tensor from = ir::make_tensor(shape, ir::DataType::Int(32));
  std::memcpy(from.data_ptr(), values_.data(), values_.size() * sizeof(int32_t));
  ffi::Tensor to =
      tensor_in(storage, 0, ffi::Shape(std::begin(shape), std::end(shape)), ir::DataType::Int(32));
  ir::copy_tensor(*from.GetDLTensorPtr(), *to.GetDLTensorPtr());
  for (const Part& part : parts_)
    *part.where = tensor_in(storage, static_cast<int64_t>(part.begin * sizeof(int32_t)),
                            ffi::Shape(part.shape.begin(), part.shape.end()), ir::DataType::Int(32));
}

}  // namespace mlc::vm
