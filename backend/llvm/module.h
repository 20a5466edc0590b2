// SPDX-License-Identifier: Apache-2.0
// Compiled code as a tvm-ffi module.
#pragma once

#include <tvm/ffi/extra/module.h>

#include <string>
#include <string_view>
#include <vector>

#include "ir/core/module.h"
#include "ir/target/target.h"

namespace mlc::llvm_backend {

// Compiles now, loads on the first use of a function. `inspect_source("ll" | "asm")` shows the generated
// code.
ir::ffi::Module make_module(ir::IRModule lowered, ir::Target target);

// A shared library of modules that this backend has compiled, for this machine where there are none, with bytes that
// `symbol` names. Error: not-exportable for others' modules.
void write_library(const std::vector<ir::ffi::Module>& compiled, std::string_view symbol, std::string_view bytes,
                   const std::string& path);
// An object file of bytes for the target of such modules.
std::string library_data(const std::vector<ir::ffi::Module>& compiled, std::string_view symbol, std::string_view bytes);

}  // namespace mlc::llvm_backend
