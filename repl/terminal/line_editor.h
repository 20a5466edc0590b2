// SPDX-License-Identifier: Apache-2.0
// Lines from a terminal, edited with libedit, with a history that outlives the session.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "repl/terminal/completion.h"

namespace mlc::repl {

class LineEditor {
 public:
  enum class Result : uint8_t { kLine, kInterrupt, kEnd };  // kEnd: Ctrl-D on an empty line
  using Completer = std::function<Completion(std::string_view line)>;

  // Reads the history from $XDG_STATE_HOME/mlc/history (~/.local/state by default).
  explicit LineEditor(Completer completer);
  ~LineEditor();  // writes it

  // One line without its newline.
  Result read(const std::string& prompt, std::string& line);
  void remember(const std::string& input);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mlc::repl
