// SPDX-License-Identifier: Apache-2.0
// CUDA C++ as a tvm-ffi module of kernels.
#pragma once

#include <tvm/ffi/extra/module.h>

#include "ir/core/module.h"
#include "ir/target/target.h"

namespace mlc::cuda_backend {

// The text is made now. It is compiled when its code is asked for: by a launch, or to be written. Errors
// then: those of compiler.h.
ir::ffi::Module make_kernels(const ir::IRModule& kernels, const ir::Target& target);

// What tvm-ffi calls when it loads a library with kernels of CUDA in it.
void register_loader();
// The function `runtime.cuTensorMapEncodeTiled`.
void register_tensor_maps();

}  // namespace mlc::cuda_backend
