// SPDX-License-Identifier: Apache-2.0
// Lowered kernels as OpenCL C.
#pragma once

#include <string>

#include "ir/core/module.h"
#include "ir/target/target.h"

namespace mlc::opencl_backend {

// The text of one program for clCreateProgramWithSource (OpenCL C 1.2 and later). Every function with calling
// convention 2 or a global_symbol is a `__kernel` of that name, whose parameters are those of the function in
// order. Errors: codegen-unsupported, unsupported-dtype.
std::string opencl_source(const ir::IRModule& device_functions, const ir::Target& target);

}  // namespace mlc::opencl_backend
