// SPDX-License-Identifier: Apache-2.0
// Text in aligned columns, within the width of the screen.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlc::repl {

struct Cell {
  std::string text;
  std::string_view colour = {};  // an ANSI sequence; used where colours are on
  bool right = false;            // aligned at the end of its column
};

// Of what a table shows, by meaning.
namespace colour {
inline constexpr std::string_view kName = "\x1b[36m";
inline constexpr std::string_view kKind = "\x1b[33m";
inline constexpr std::string_view kBlock = "\x1b[1m";
inline constexpr std::string_view kQuiet = "\x1b[90m";
inline constexpr std::string_view kAdded = "\x1b[32m";
inline constexpr std::string_view kRemoved = "\x1b[31m";
}  // namespace colour

class Table {
 public:
  // A cell of more than `widest` columns widens none: what follows it stands further to the right. 0: all
  // count.
  explicit Table(size_t widest = 0) : widest_(widest) {}
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  // Two blanks between columns, none at the end of a line. What is wider than `width` is cut, `...` at its
  // end; 0: nothing is. The last cell of a row widens no column.
  std::string text(size_t width, bool coloured) const;

 private:
  size_t widest_;
  std::vector<std::vector<Cell>> rows_;
};

// "64 KiB", "1.5 MiB", "12 B".
std::string bytes_text(double bytes);
// Four digits: "213.4 us".
std::string time_text(double seconds);
// "16,384", and "2.1e+12" where that is long.
std::string count_text(double count);

}  // namespace mlc::repl
