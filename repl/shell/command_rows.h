// SPDX-License-Identifier: Apache-2.0
// The commands of the shell: one row each, from which parsing, help, the manual and completion come.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "repl/shell/command_line.h"

namespace CLI {
class App;
}

namespace mlc::repl {

struct Row {
  std::string_view name;
  std::string_view summary;
  std::string_view example;
  void (*options)(CLI::App& app, CommandLine& line);  // declares its arguments
  int (*run)(const CommandLine& line);
};
std::span<const Row> command_rows();
const Row* row_named(std::string_view name);  // or null

// One argument of a command, as its row declares it.
struct ArgumentText {
  std::vector<std::string> names;  // "-o", "--output"; of what has a position "FILE"
  bool positional = false;
  bool required = false;
  bool many = false;
  bool is_flag = false;              // takes no value
  std::vector<std::string> choices;  // the values it takes, where these are few
  std::string what;
};
std::vector<ArgumentText> arguments_of(const Row& row);

// The name of an exit code or variable, and what it means: for help and manual.
struct Meaning {
  std::string_view name, what;
};
std::span<const Meaning> exit_codes();
std::span<const Meaning> environment_variables();

// "mlc build --help", without the program's own.
std::string help_of(const Row& row);
std::string general_help();

// A page for man(1), in roff: of one command, or of mlc where `row` is null.
std::string manual_page(const Row* row);
// A script that makes a shell complete the words of an mlc call: bash, zsh or fish.
std::string completion_script(std::string_view shell);

}  // namespace mlc::repl
