// SPDX-License-Identifier: Apache-2.0
// The text of a document as an editor counts it: lines from 0, and columns in units of UTF-16.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlc::lsp {

struct Position {
  uint32_t line = 0;
  uint32_t character = 0;
};

class Text {
 public:
  explicit Text(std::string text);

  const std::string& str() const { return text_; }
  size_t lines() const { return starts_.size(); }
  size_t line_begin(size_t line) const { return starts_[line]; }
  std::string_view line(size_t line) const;  // without its end
  size_t line_of(size_t offset) const;

  // What lies beyond a line or beyond the text means its end, as the protocol has it.
  size_t offset(Position place) const;
  Position place(size_t offset) const;
  void replace(size_t begin, size_t end, std::string_view with);

 private:
  void count_lines();

  std::string text_;
  std::vector<uint32_t> starts_;
};

}  // namespace mlc::lsp
