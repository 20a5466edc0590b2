// SPDX-License-Identifier: Apache-2.0
// Modules with graphs as something that runs: instructions of the virtual machine, with compiled tensor
// functions.
#pragma once

#include <tvm/ffi/extra/module.h>

#include <string>

#include "backend/backend.h"
#include "ir/core/module.h"
#include "ir/target/target.h"

namespace mlc::repl {

// `lowered`: behind the pipeline `graph`. The result is an executable of the virtual machine that imports the
// code of its tensor functions. Errors: vm-not-lowered, and those of the backend.
ir::ffi::Module build_graphs(const ir::IRModule& lowered, const backend::Backend& maker,
                             const ir::Target& target);
// The same as a shared library that relax.VirtualMachine loads, here and in TVM.
void write_graph_library(const ir::IRModule& lowered, const backend::Backend& maker, const ir::Target& target,
                         const std::string& path);

}  // namespace mlc::repl
