// SPDX-License-Identifier: Apache-2.0
// What changed between two texts, line by line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mlc::repl {

std::vector<std::string> lines_of(std::string_view text);

// Lines that differ, marked `-` and `+`, with `context` unmarked lines around each group and `...` where
// lines were left out; "" when the texts are equal. Longest common subsequence after equal ends are
// stripped: quadratic in the lines between, which are few for what one schedule step does.
std::string line_diff(std::string_view before, std::string_view after, size_t context = 2);

// The same difference as `diff -u` writes it, with three lines of context; "" when the texts are equal.
std::string unified_diff(std::string_view before, std::string_view after, std::string_view name);

// Both texts side by side in `width` columns, lines that differ marked between them: `<` only before, `>` only after, `|`
// another line; equal lines past two around each change are left out. "" when the texts are equal.
std::string side_by_side(std::string_view before, std::string_view after, size_t width, bool coloured);

// What line_diff gives, with colours for terminals.
std::string colour_diff(std::string_view diff);

// Numbers of lines that line_diff marks.
struct DiffCount {
  size_t removed = 0;
  size_t added = 0;
};
DiffCount count_diff(std::string_view before, std::string_view after);

}  // namespace mlc::repl
