// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace mlc::backend {

void register_global_functions();

// Functions of the library that are only there when a program asks for them by name, such as those that sort:
// defines those of this name's family.
void define_of_library(std::string_view name);

}  // namespace mlc::backend
