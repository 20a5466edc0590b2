// SPDX-License-Identifier: Apache-2.0
// Compiled code as a tvm-ffi module.
#pragma once

#include <tvm/ffi/extra/module.h>

#include "ir/core/module.h"
#include "ir/target/target.h"

namespace mlc::llvm_backend {

// Compiles now, loads on the first use of a function. `inspect_source("ll" | "asm")` shows the generated
// code.
ir::ffi::Module make_module(ir::IRModule lowered, ir::Target target);

}  // namespace mlc::llvm_backend
