// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/graph_build.h"

#include "backend/artefact/module_tree.h"
#include "backend/vm/codegen.h"
#include "backend/vm/executable.h"

namespace mlc::repl {

ir::ffi::Module build_graphs(const ir::IRModule& lowered, const backend::Backend& maker,
                             const ir::Target& target) {
  vm::ExecBuilder builder;
  ir::IRModule rest = vm::generate_code(lowered, builder);
  ir::ffi::Module executable(ir::ffi::make_object<vm::ExecutableModule>(builder.finish()));
  if (!rest->functions.empty()) executable->ImportModule(maker.make_module(rest, target));
  return executable;
}

void write_graph_library(const ir::IRModule& lowered, const backend::Backend& maker, const ir::Target& target,
                         const std::string& path) {
  backend::ModuleTree tree = backend::module_tree(build_graphs(lowered, maker, target));
  maker.write_library(tree.compiled, ir::ffi::symbol::tvm_ffi_library_bin, tree.bytes, path);
}

}  // namespace mlc::repl
