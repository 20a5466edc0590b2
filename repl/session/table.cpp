// SPDX-License-Identifier: Apache-2.0
#include "repl/session/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "frontend/print/highlight.h"
#include "repl/terminal/glyphs.h"

namespace mlc::repl {

std::string Table::text(size_t width, bool coloured) const {
  std::vector<size_t> widths;
  for (const auto& row : rows_) {
    for (size_t i = 0; i + 1 < row.size(); ++i) {
      if (widths.size() <= i) widths.push_back(0);
      size_t own = columns_of(row[i].text);
      if (widest_ == 0 || own <= widest_) widths[i] = std::max(widths[i], own);
    }
  }
  std::string out;
  for (const auto& row : rows_) {
    // Blanks of empty cells are written when something follows them.
    size_t column = 0, blanks = 0;
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      size_t own = columns_of(row[i].text);
      size_t wide = i + 1 < row.size()                  ? std::max(widths[i], own)
                    : i < widths.size() && row[i].right ? widths[i]
                                                        : own;
      size_t before = row[i].right && wide > own ? wide - own : 0;
      size_t after = wide - own - before;
      if (own > 0) {
        blanks += before;
        // Names may hold anything: the terminal obeys none of it.
        std::string shown = cut_to(row[i].text, own);
        if (width > 0 && column + blanks + own > width) {
          if (column + blanks >= width) break;
          shown = cut_to(shown, width - column - blanks);
        }
        line.append(blanks, ' ');
        if (std::string_view colour = print::colour_of(row[i].colour); coloured && !colour.empty()) {
          line.append(colour).append(shown).append(print::kColourReset);
        } else {
          line += shown;
        }
        column += blanks + columns_of(shown);
        blanks = 0;
        before = 0;
      }
      blanks += before + after + 2;
    }
    out += line + "\n";
  }
  return out;
}

std::string bytes_text(double bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < std::size(kUnits)) bytes /= 1024, ++unit;
  if (bytes == std::floor(bytes) || bytes >= 100) return fmt::format("{:.0f} {}", bytes, kUnits[unit]);
  return fmt::format("{:.{}f} {}", bytes, bytes >= 10 ? 1 : 2, kUnits[unit]);
}

std::string time_text(double seconds) {
  constexpr std::pair<double, const char*> kUnits[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
  for (auto [unit, name] : kUnits) {
    if (seconds < unit && unit > 1e-9) continue;
    double number = seconds / unit;
    return fmt::format("{:.{}f} {}", number,
                       number < 10     ? 3
                       : number < 100  ? 2
                       : number < 1000 ? 1
                                       : 0,
                       name);
  }
  return "";
}

std::string count_text(double count) {
  if (count >= 1e12 || count != std::floor(count)) return fmt::format("{:.3g}", count);
  std::string digits = fmt::format("{:.0f}", count);
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string counted(size_t number, std::string_view one) {
  return fmt::format("{} {}{}", number, one, number == 1 ? "" : one.ends_with('s') ? "es" : "s");
}

}  // namespace mlc::repl
