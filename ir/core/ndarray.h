// SPDX-License-Identifier: Apache-2.0
// NumPy's array as a script value: a tensor (shared memory, possibly strided) that behaves like np.ndarray.
// A bare ffi::Tensor is tvm.runtime.Tensor; the two print and compare differently but share memory.
#pragma once

#include <tvm/ffi/container/tensor.h>

#include "ir/core/object.h"

namespace mlc::ir {

struct NDArrayNode final : ffi::Object {
  ffi::Tensor tensor;  // on the CPU; strides may be any

  bool writeable = true;  // views of an array that is not are not either

  explicit NDArrayNode(ffi::Tensor tensor) : tensor(std::move(tensor)) {}
  MLC_NODE("mlc.np.ndarray", NDArrayNode, ffi::Object);
};
using NDArray = Ref<NDArrayNode>;

// Uninitialised, row-major, 64-byte aligned memory on the CPU.
ffi::Tensor make_tensor(std::span<const int64_t> shape, DataType dtype);
// The same values, row-major and compact (the tensor itself when it already is).
ffi::Tensor contiguous(const ffi::Tensor& tensor);

}  // namespace mlc::ir
