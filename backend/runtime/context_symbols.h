// SPDX-License-Identifier: Apache-2.0
// What libraries that TVM has compiled call in the process that loads them: memory for intermediate tensors, tasks of
// parallel loops, functions by name.
#pragma once

#include <span>

namespace mlc::runtime {

// tvm-ffi writes their addresses into each library that it loads. Once per process.
void register_context_symbols();

// Memory for intermediate tensors by the name of the slot that code reaches it through.
struct ContextSymbol {
  const char* name;
  void* function;
};
std::span<ContextSymbol> workspace_symbols();

}  // namespace mlc::runtime
