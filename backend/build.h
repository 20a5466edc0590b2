// SPDX-License-Identifier: Apache-2.0
// From a module to something that runs: lowering, code generation, loading, and files.
#pragma once

#include <tvm/ffi/extra/module.h>

#include "ir/module.h"
#include "ir/target.h"

namespace mlc::backend {

// Lowers, compiles and loads; the result's functions are compiled code (see runtime/module.h). For a target
// other than this machine the module can be exported but not run.
ir::ffi::Module build(const ir::IRModule& mod, const ir::Target& target);

// What compiled code of this machine leaves in copies of `args` (interp/compare.h does so in the
// interpreter). Error: no-such-function.
std::vector<ir::Any> run_compiled(const ir::IRModule& mod, const std::string& function,
                                  const std::vector<ir::Any>& args);

enum class Emit : uint8_t { kSharedLibrary, kObject, kProgram, kLlvmAssembly, kAssembly };
// "so", "obj", "exe", "ll", "asm"; throws Error unknown-emit-kind with what there is.
Emit emit_kind(std::string_view name);
// The usual file name ending: ".so", ".o", "", ".ll", ".s".
std::string_view file_ending(Emit kind);
// Lowers and compiles `mod` into the file `path`. Programs run the function `main`, or the only one.
void emit(const ir::IRModule& mod, const ir::Target& target, Emit kind, const std::string& path);
// As emit() for the kinds that are text.
std::string emit_text(const ir::IRModule& mod, const ir::Target& target, Emit kind);

}  // namespace mlc::backend
