// SPDX-License-Identifier: Apache-2.0
// Text in aligned columns, within the width of the screen.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/print/theme.h"

namespace mlc::repl {

struct Cell {
  std::string text;
  print::Role colour = print::Role::kPlain;  // used where colours are on
  bool right = false;                        // aligned at the end of its column
};

// Of what a table shows, by meaning.
namespace colour {
inline constexpr print::Role kName = print::Role::kName;
inline constexpr print::Role kKind = print::Role::kKind;
inline constexpr print::Role kBlock = print::Role::kBlock;
inline constexpr print::Role kQuiet = print::Role::kQuiet;
inline constexpr print::Role kAdded = print::Role::kAdded;
inline constexpr print::Role kRemoved = print::Role::kRemoved;
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
// "1 step", "2 steps", "3 passes".
std::string counted(size_t number, std::string_view one);

}  // namespace mlc::repl
