// SPDX-License-Identifier: Apache-2.0
// From a module to something that runs: lowering, code generation, loading, and files.
#pragma once

#include <tvm/ffi/extra/module.h>

#include "backend/artefact/c_interface.h"
#include "ir/core/module.h"
#include "ir/registry/api.h"
#include "ir/target/target.h"

namespace mlc::backend {

// Lowers, compiles and loads; the result's functions are compiled code (see runtime/module.h). For a target
// other than this machine the module can be exported but not run.
ir::ffi::Module build(const ir::IRModule& mod, const ir::Target& target);
// The same of a module that is lowered already.
ir::ffi::Module build_lowered(const ir::IRModule& lowered, const ir::Target& target);
// What the pipeline makes of the module: a name of `mlc.pipeline`, or a pass of the script that `host` runs.
ir::IRModule lower(const ir::IRModule& mod, const ir::Target& target, const ir::Any& pipeline,
                   ir::Host& host);

// What a function leaves in copies of `args`. Error: no-such-function.
std::vector<ir::Any> run_built(const ir::ffi::Module& built, const std::string& function,
                               const std::vector<ir::Any>& args);
// What compiled code of this machine leaves in copies of `args` (interp/compare.h does so in the
// interpreter). Error: no-such-function.
std::vector<ir::Any> run_compiled(const ir::IRModule& mod, const std::string& function,
                                  const std::vector<ir::Any>& args);

enum class Emit : uint8_t {
  kSharedLibrary,
  kStaticLibrary,
  kObject,
  kProgram,
  kLlvmAssembly,
  kAssembly,
  kPackage
};
// "so", "a", "obj", "exe", "ll", "asm", "package"; throws Error unknown-emit-kind with what there is.
Emit emit_kind(std::string_view name);
// The usual file name ending: ".so", ".a", ".o", "", ".ll", ".s", "".
std::string_view file_ending(Emit kind);
// Compiles a lowered module into the file `path`. Programs run the function `main`, or the only one. `lines`:
// the code names the lines of the program that it comes from.
void emit(const ir::IRModule& lowered, const ir::Target& target, Emit kind, const std::string& path,
          bool lines = true);

// What C and C++ programs use: the artefact with the functions of a C interface, and their header.
struct ForC {
  std::string library;                               // what it is called: "matmul" of libmatmul.so
  std::string prefix;                                // of the functions' names
  std::string header;                                // the file; not for packages, which have their own
  std::string version = "0.1.0";                     // of a package
  std::function<std::string(const ir::Expr&)> text;  // see c_header()
  bool lines = true;                                 // as of emit()
};
// `kind` is a library or an object file, or a package: `path` is then a folder that gets include/NAME.h,
// lib/libNAME.so and .a, and what pkg-config and CMake find them by. Nothing in it names a place, so it can
// be moved. Returns what C can call.
CInterface emit_for_c(const ir::IRModule& lowered, const ir::Target& target, Emit kind,
                      const std::string& path, const ForC& options);

// Lowers and compiles; for the kinds that are text.
std::string emit_text(const ir::IRModule& mod, const ir::Target& target, Emit kind);

}  // namespace mlc::backend
