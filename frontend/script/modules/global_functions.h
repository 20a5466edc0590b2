// SPDX-License-Identifier: Apache-2.0
// Functions that libraries and scripts share by name.
#pragma once

#include <string_view>

#include "ir/core/node_fwd.h"
#include "ir/registry/host.h"

namespace mlc::script {

void register_global_functions();

// Functions of the library that are only there when a program asks for them by name, such as those that sort:
// defines those of this name's family.
void define_of_library(std::string_view name, ir::Host& host);
// Those that the functions of a module name: before its code runs in this process.
void define_of_library(const ir::IRModule& mod, ir::Host& host);

}  // namespace mlc::script
