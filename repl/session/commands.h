// SPDX-License-Identifier: Apache-2.0
// The commands of the REPL: one row each, from which help, completion and "did you mean" come.
#pragma once

#include <span>
#include <string_view>

namespace mlc::repl {

class Session;

struct Command {
  std::string_view name;       // without the colon
  std::string_view arguments;  // "[NAME or STEP]"
  std::string_view summary;    // one line
  std::string_view details;    // what `:help NAME` adds; an example
  void (*run)(Session& session, std::string_view arguments);
};

std::span<const Command> commands();

// Runs "name arguments". Throws CallError for an unknown name or arguments that make no sense.
void run_command(Session& session, std::string_view line);

}  // namespace mlc::repl
