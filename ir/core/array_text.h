// SPDX-License-Identifier: Apache-2.0
// Arrays as NumPy prints them: precision 8, lines of 75 columns, summarised beyond 1000 elements.
#pragma once

#include <tvm/ffi/container/tensor.h>

#include <string>

#include "ir/core/dtype.h"

namespace mlc::ir {

enum class ArrayStyle : uint8_t {
  kStr,         // [[1. 2.]
                //  [3. 4.]]
  kRepr,        // array([[1., 2.],
                //        [3., 4.]], dtype=float32)
  kTensorRepr,  // <tvm.runtime.Tensor shape=(2, 2), cpu:0>\narray([[...
};

// The tensor's memory must be readable from the host; strides may be any.
std::string array_text(const tvm::ffi::Tensor& tensor, ArrayStyle style);

// The shortest digits that read back as the same value of that width: "0.1", "1e-05", "nan". Python's layout
// for float64 (`repr(float)`), NumPy's for the narrower ones.
std::string shortest_float(double value, int bits);

}  // namespace mlc::ir
