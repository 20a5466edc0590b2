// SPDX-License-Identifier: Apache-2.0
// Lowered kernels as CUDA C++.
#pragma once

#include <string>

#include "ir/core/module.h"
#include "ir/target/target.h"

namespace mlc::cuda_backend {

// The text of one translation unit that nvcc and NVRTC take, without a file of its own. `device_functions`
// are what the device half of the pipeline leaves: `target.build.cuda` gets the same. Every function with
// calling convention 2 or a global_symbol is an `extern "C" __global__` kernel of that name, whose parameters
// are those of the function in order; others are __device__ functions. Errors: codegen-unsupported,
// unsupported-dtype.
std::string cuda_source(const ir::IRModule& device_functions, const ir::Target& target);

}  // namespace mlc::cuda_backend
