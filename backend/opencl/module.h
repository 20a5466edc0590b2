// SPDX-License-Identifier: Apache-2.0
// OpenCL C as a tvm-ffi module of kernels.
#pragma once

#include <tvm/ffi/extra/module.h>

#include <string>

#include "backend/device/kernels.h"

namespace mlc::opencl_backend {

// A device's compiler makes code of the text at the first launch on it. Error then: opencl-build-failed, with
// its log.
ir::ffi::Module make_kernels(const ir::IRModule& kernels, const ir::Target& target);

// What tvm-ffi calls when it loads a library with kernels of OpenCL in it.
void register_loader();

}  // namespace mlc::opencl_backend
