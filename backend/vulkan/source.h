// SPDX-License-Identifier: Apache-2.0
// Lowered kernels as GLSL for Vulkan.
#pragma once

#include <string>

#include "ir/core/module.h"
#include "ir/target/target.h"

namespace mlc::vulkan_backend {

// One kernel, whose name is `main` as in all of GLSL. Memory is at the bindings of set 0 in the order of
// parameters; scalars are push constants, each in 8 bytes. Errors: codegen-unsupported, unsupported-dtype,
// too-many-push-constants.
std::string vulkan_source(const ir::IRModule& device_functions, const ir::Target& target);

}  // namespace mlc::vulkan_backend
