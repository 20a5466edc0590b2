// SPDX-License-Identifier: Apache-2.0
// Lowered kernels in Metal's language.
#pragma once

#include <string>

#include "ir/core/module.h"
#include "ir/target/target.h"

namespace mlc::metal_backend {

// Kernels take memory at [[buffer(0)]] and on, in the order of parameters, and behind it all scalars as one
// structure, each in 8 bytes; as in TVM's kernels. Errors: codegen-unsupported, unsupported-dtype.
std::string metal_source(const ir::IRModule& device_functions, const ir::Target& target);

}  // namespace mlc::metal_backend
