// SPDX-License-Identifier: Apache-2.0
// The system's C compiler, and what it makes of a text.
#pragma once

#include <tvm/ffi/extra/module.h>

#include <string>

#include "ir/core/module.h"
#include "ir/target/target.h"

namespace mlc::c_backend {

// What the compiler makes.
enum class Output : uint8_t { kSharedLibrary, kObject };
// Compiles a text into the file `path` by `cc`, or what $CC names. `parallel`: with OpenMP. Errors:
// no-c-compiler; c-compiler-failed, which has what it said.
void compile(const std::string& text, const ir::Target& target, Output output, bool parallel,
             const std::string& path);

// A lowered module as functions of tvm-ffi: compiled now, loaded on the first use.
// `inspect_source()` is the text.
ir::ffi::Module make_module(const ir::IRModule& lowered, const ir::Target& target);
// That text alone: no compiler is asked.
std::string c_source(const ir::IRModule& lowered, const ir::Target& target);

}  // namespace mlc::c_backend
