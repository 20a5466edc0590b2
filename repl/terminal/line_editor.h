// SPDX-License-Identifier: Apache-2.0
// Inputs from a terminal: text of one line or many, edited as in a shell that knows Python, with a history.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "repl/terminal/completion.h"

namespace mlc::repl {

class LineEditor {
 public:
  enum class Result : uint8_t { kInput, kInterrupt, kEnd };  // kEnd: Ctrl-D on an empty input
  struct Hooks {
    std::function<Completion(std::string_view before_cursor)> complete;
    std::function<bool(std::string_view text)> is_complete;  // may Enter end the input here?
  };
  struct Binding {
    std::string_view keys;  // names of keyboard.h, with blanks between
    std::string_view summary;
  };

  // Reads standard input and writes standard output, which are terminals.
  LineEditor(Hooks hooks, std::string history);
  ~LineEditor();

  Result read(const std::string& prompt, const std::string& continuation, bool colour, std::string& input);

  // One line that a program asks for: without completion and history.
  Result read_answer(const std::string& prompt, bool colour, std::string& answer);

  static std::vector<Binding> bindings();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mlc::repl
