// SPDX-License-Identifier: Apache-2.0
// Lowered kernels as WGSL.
#pragma once

#include <string>

#include "ir/core/module.h"
#include "ir/target/target.h"

namespace mlc::webgpu_backend {

// One kernel, at whose bindings memory is in the order of parameters; behind it a uniform structure of all
// scalars, each in 4 bytes, and the number of blocks along x, which are spread over x and z where there are
// more than a dispatch takes; as in TVM's kernels. Errors: codegen-unsupported, unsupported-dtype.
std::string webgpu_source(const ir::IRModule& device_functions, const ir::Target& target);

}  // namespace mlc::webgpu_backend
