// SPDX-License-Identifier: Apache-2.0
// Lowered kernels as HIP C++.
#pragma once

#include <string>

#include "ir/core/module.h"
#include "ir/target/target.h"

namespace mlc::rocm_backend {

// For hipcc and hiprtc. Every kernel's parameters are those of its function. Errors: codegen-unsupported,
// unsupported-dtype.
std::string rocm_source(const ir::IRModule& device_functions, const ir::Target& target);

}  // namespace mlc::rocm_backend
