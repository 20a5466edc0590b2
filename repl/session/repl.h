// SPDX-License-Identifier: Apache-2.0
// The loop that reads inputs for a session: from a terminal, a pipe or a transcript.
#pragma once

#include <string>
#include <string_view>

#include "repl/session/session.h"

namespace mlc::repl {

// Groups lines into inputs. A block ends with an empty line, as in Python's own prompt; where nobody types
// (pipes) the next line that begins in the first column ends it too.
class InputCollector {
 public:
  explicit InputCollector(bool interactive) : interactive_(interactive) {}

  // Takes the next line. Complete inputs go to `run`, in order: none, one, or two when the line ended a
  // block.
  void add(std::string_view line, const std::function<void(const std::string&)>& run);
  void finish(const std::function<void(const std::string&)>& run);
  bool pending() const { return !text_.empty(); }
  void drop() { text_.clear(); }

 private:
  bool may_be_complete();

  bool interactive_;
  std::string text_;
  size_t scanned_ = 0;   // of the text, with what is open at its end:
  int brackets_ = 0;
  std::string_view quotes_;  // three, of a text of several lines
  size_t parse_at_ = 0;      // the length at which the text is parsed however it looks
};

// Rows and columns of the terminal that standard output is; 24 and 80 where that is not known.
std::pair<size_t, size_t> size_of_screen();

// More than the machine has is refused to the statement that asks for it; the system would end the session.
void limit_memory();

// Runs a session on standard input until it ends; returns the exit code. On a terminal it has a prompt, editing and
// history, and begins with $XDG_CONFIG_HOME/mlc/init.mlc (~/.config by default) where there is one.
// `program`: a file that it begins with, or "". `plain`: no editing, no colours, no pager, nothing that moves the cursor.
int run_repl(const std::string& program, bool plain);

}  // namespace mlc::repl
