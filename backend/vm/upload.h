// SPDX-License-Identifier: Apache-2.0
// Integers that kernels read, brought to a device in one copy.
#pragma once

#include <tvm/ffi/container/tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/vm/memory.h"

namespace mlc::vm {

class Upload {
 public:
  // `where` becomes a tensor of these values when all are sent, of one dimension if no shape is given.
  void add(ffi::Tensor& where, const std::vector<int32_t>& values, std::vector<int64_t> shape = {});
  // Errors: vm-out-of-memory, and those of the device.
  void send(const std::shared_ptr<Pool>& pool);

 private:
  struct Part {
    ffi::Tensor* where;
    size_t begin;
    std::vector<int64_t> shape;
  };
  std::vector<int32_t> values_;
  std::vector<Part> parts_;
};

}  // namespace mlc::vm
