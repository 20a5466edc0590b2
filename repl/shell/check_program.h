// SPDX-License-Identifier: Apache-2.0
// The errors and warnings of a program: what `mlc check` shows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/core/error.h"
#include "transform/analysis/out_of_range.h"

namespace mlc::repl {

// A definition of the IR that cannot be read without running the program.
struct Unchecked {
  std::string name;
  ir::Span span;
  std::string needs;  // "`N`": what only a run knows
};

struct CheckedProgram {
  std::vector<ir::Diagnostic> found;  // errors and warnings
  std::vector<Unchecked> unchecked;
  size_t not_run = 0;  // statements of which only their syntax and their names were looked at
};

ir::Diagnostic warning_of(const transform::OutOfRange& access);

// Of a registered text. Without `run` nothing of the program runs: definitions of the IR are read as far as
// they are made of what the text says. With it, the program runs as an import would run it, statement by
// statement.
CheckedProgram check_program(uint32_t file, const std::string& path, bool run);

}  // namespace mlc::repl
