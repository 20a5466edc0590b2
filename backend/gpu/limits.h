// SPDX-License-Identifier: Apache-2.0
// What the kernels of a module may ask for, by what the target says.
#pragma once

#include "ir/core/module.h"
#include "ir/target/target.h"

namespace mlc::gpu_backend {

// Threads of a block, bytes of shared memory, parameters. Error: exceeds-target, with the limit and the
// value. Extents that a launch computes are left to the device.
void check_limits(const ir::IRModule& kernels, const ir::Target& target);

}  // namespace mlc::gpu_backend
