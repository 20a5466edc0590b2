// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ir/core/module.h"

namespace mlc::llvm_backend {

// Functions that refer to each other, and their size in expressions and statements.
struct FunctionGroup {
  ir::Map<ir::GlobalVar, ir::BaseFunc> functions;
  size_t size = 0;
};
// All functions of a module in groups, in the order of their names.
std::vector<FunctionGroup> function_groups(const ir::IRModule& mod);

// The functions of a large module in parts, the largest first, for compilation side by side: functions that
// refer to each other are one part, so that the code of a part depends on nothing else, and stays when
// another changes. A small module, or one whose functions all hang together, is one part, unless its
// functions have keys (reuse.h). The same on every machine, so that artefacts are.
std::vector<ir::IRModule> partition(const ir::IRModule& lowered);
// Does LLVM take long for it?
bool is_large(const ir::IRModule& lowered);

}  // namespace mlc::llvm_backend
