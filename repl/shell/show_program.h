// SPDX-License-Identifier: Apache-2.0
// A module as a complete program on standard output: what `mlc print`, `opt` and `import` give.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "repl/shell/command_line.h"
#include "repl/shell/program.h"

namespace mlc::repl {

// Names of its functions in their order: those that can be called from outside, or all where none can.
std::vector<std::string> names_of(const ir::IRModule& mod);

// `text` is the program; with --json it is an object with what the module has.
void show_program(const CommandLine& line, const NamedModule& module, std::string text);

}  // namespace mlc::repl
