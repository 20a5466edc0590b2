// SPDX-License-Identifier: Apache-2.0
// The rows of a terminal below the point where an input began, repainted as it changes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mlc::repl {

// What is shown of an input.
struct View {
  std::string prompt;        // before its first line
  std::string continuation;  // before the others
  std::string text;
  size_t cursor = 0;
  std::optional<std::pair<size_t, size_t>> brackets = {};  // a pair that belongs together
  std::vector<std::string> below = {};                     // rows under it, with their colours; cut where they are too long
};

class Screen {
 public:
  Screen(int descriptor, bool colour) : descriptor_(descriptor), colour_(colour) {}

  void paint(const View& view);
  // The cursor goes to a fresh line below the input, and what stood beneath it is gone. `behind` follows the text.
  void leave(std::string_view behind);
  // Nothing is on the screen any more: what stood there is someone else's.
  void forget();
  void clear();
  // The terminal has another width now: its rows are others.
  void resized();
  void beep();

  size_t columns() const;
  void set_colour(bool colour) { colour_ = colour; }

 private:
  struct Rows {
    std::vector<std::string> rows;  // with their colours
    size_t row = 0, column = 0;     // of the cursor
    size_t inputs = 0;              // rows of the input; those below it follow
  };
  Rows layout(const View& view, size_t columns) const;
  void send(const std::string& bytes) const;

  int descriptor_;
  bool colour_;
  View shown_;
  std::vector<std::string> rows_;  // as they stand on the screen
  size_t row_ = 0;                 // which of them the cursor is in
  size_t last_input_ = 0;          // the last of the input itself
};

}  // namespace mlc::repl
