// SPDX-License-Identifier: Apache-2.0
// The modules of stdlib/ that are part of the program, made into tables by stdlib_tables.
#pragma once

#include <span>
#include <string_view>

namespace mlc::script {

// The text of a module; empty when there is none of that name. Modules of Python's standard library are what
// `import NAME` finds; `tvm.*` ones hold the members of that module which have no row in the registry.
std::string_view stdlib_text(std::string_view module);
// The tree of that text, as syntax::freeze() made it.
std::string_view stdlib_tree(std::string_view module);
std::span<const std::string_view> stdlib_modules();  // sorted

}  // namespace mlc::script
