// SPDX-License-Identifier: Apache-2.0
// Tensors as scripts make and use them, and calls of compiled functions with them.
#pragma once

#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

#include <optional>
#include <string>

#include "ir/core/ndarray.h"

namespace mlc::runtime {

using ir::ffi::Tensor;

// Calls a function with tvm-ffi's C calling convention. Errors that it raises come out as ir::Error with the
// kind they were raised with.
void call_entry(TVMFFISafeCallType entry, ir::ffi::PackedArgs args, ir::ffi::Any* result);

}  // namespace mlc::runtime
