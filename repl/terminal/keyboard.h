// SPDX-License-Identifier: Apache-2.0
// What a terminal sends, as keys.
#pragma once

#include <string>
#include <string_view>

namespace mlc::repl {

// `name` is "text" for what is typed, "paste" for what was pasted in brackets, else the key's name as `:help keys` and
// the table in line_editor.cpp write it: "enter", "C-a", "M-b", "C-left", "S-tab"; "end" when the terminal is gone.
struct Key {
  std::string name;
  std::string text;  // of "text" and "paste"
};

// Reads from a descriptor in raw mode.
class Keyboard {
 public:
  explicit Keyboard(int descriptor) : descriptor_(descriptor) {}

  // Waits for the next key. A signal that interrupts the wait is the key "signal".
  Key next();
  // Has a key come already, so that what it changes need not be shown apart?
  bool has_more();

 private:
  enum class Read : uint8_t { kByte, kTimeout, kSignal, kEnd };
  Read read_byte(char& byte, int milliseconds);
  Key escape();
  Key sequence();
  Key paste();
  std::string rest_of_code_point(char first);
  bool waits() const { return used_ < read_.size(); }

  int descriptor_;
  std::string read_;    // what was read at once; its bytes from `used_` on belong to later keys
  size_t used_ = 0;
};

}  // namespace mlc::repl
