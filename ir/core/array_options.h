// SPDX-License-Identifier: Apache-2.0
// What np.set_printoptions sets.
#pragma once

#include <tvm/ffi/container/tensor.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace mlc::ir {

struct ArrayOptions {
  int precision = 8;
  int64_t threshold = 1000;
  int64_t edge = 3;
  size_t width = 75;
  bool suppress = false;
};
ArrayOptions& array_options();

// The text of np.array2string: the elements alone.
std::string array_body(const tvm::ffi::Tensor& tensor, std::string_view separator, size_t prefix,
                       size_t suffix);

}  // namespace mlc::ir
