// SPDX-License-Identifier: Apache-2.0
// Reading what a user names on the command line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/diagnostics/visible.h"

namespace mlc::repl {

// A call that cannot be carried out: exit code 2. Derives from nothing that the language knows, since it
// is about the command line and not about a program.
struct CallError {
  std::string message;
  std::string help;
};

// The text of a file registered in the source map; `-` is standard input. A file that is not there, is a
// folder or cannot be read is a CallError; bytes that are no text are ir::Error not-text.
uint32_t read_source(const std::string& path);

// Files named, and the `.mlc` and `.repl` files below folders named, sorted.
std::vector<std::string> collect_files(const std::vector<std::string>& paths);

// A path as it is shown: no control character reaches a terminal.
using diagnostics::visible;

// Writes a file whole, or throws CallError and leaves what was there.
void write_file(const std::string& path, std::string_view text);

}  // namespace mlc::repl
