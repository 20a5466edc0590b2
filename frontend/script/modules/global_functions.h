// SPDX-License-Identifier: Apache-2.0
// Functions that libraries and scripts share by name.
#pragma once

#include <tvm/ffi/function.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/core/node_fwd.h"
#include "ir/registry/host.h"

namespace mlc::script {

void register_global_functions();

// What stands for something callable of a script outside of it: whoever calls it runs it in that script.
tvm::ffi::Function function_of(ir::Host& host, const ir::Any& callee);

// Functions of the library that are only there when a program asks for them by name, such as those that sort:
// defines those of this name's family.
void define_of_library(std::string_view name, ir::Host& host);
// Those that the functions of a module name: before its code runs in this process.
void define_of_library(const ir::IRModule& mod, ir::Host& host);

// A name that a program of this process has given a function, or has removed one from; what the library registers for
// itself is not among them.
struct GlobalFunction {
  std::string name;
  std::optional<tvm::ffi::Function> before, now;  // the first such program; nullopt: none is registered
};
std::vector<GlobalFunction> functions_of_programs();
// nullopt removes it.
void set_global_function(const std::string& name, const std::optional<tvm::ffi::Function>& function);

}  // namespace mlc::script
