// SPDX-License-Identifier: Apache-2.0
// Where `input` and sys.stdin take their lines: the standard input of the process, unless whoever runs it has another one.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace mlc::script {

class Evaluator;

// A line with its end, where it has one; nullopt when there are no more. `prompt` is what the program asks for, or "".
using LineInput = std::function<std::optional<std::string>(const std::string& prompt)>;

// Of the process, as its standard input is. An empty function puts that back.
void set_line_input(LineInput input);

// Lines of a file, pipe or terminal.
class LineReader {
 public:
  explicit LineReader(int descriptor) : descriptor_(descriptor) {}
  // The next line with its end, where it has one. nullopt where there are no more, and where Ctrl-C is typed before one has
  // come: Evaluator::is_interrupted().
  std::optional<std::string> next();

 private:
  bool wait() const;  // false: interrupted

  int descriptor_;
  std::string read_;  // and not taken yet, from `begin_`
  size_t begin_ = 0;
  bool ended_ = false;
};
LineReader& standard_input();

std::optional<std::string> read_line(Evaluator& evaluator, const std::string& prompt);

}  // namespace mlc::script
