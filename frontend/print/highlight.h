// SPDX-License-Identifier: Apache-2.0
// Colours for program text on terminals.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/print/theme.h"

namespace mlc::print {

// A keyword, string, number, decorator or comment.
struct Piece {
  size_t begin, end;
  Role role;
};
// In order; what no piece covers has no colour.
std::vector<Piece> highlighted(std::string_view program);
inline constexpr std::string_view kColourReset = "\x1b[0m";

// The text with the colours of the theme.
std::string highlight(std::string_view program);

// May standard output (1) or error (2) be coloured? On a terminal, unless NO_COLOR is set or TERM is dumb; or
// as was said.
bool wants_colour(int descriptor);
enum class Colour : uint8_t { kAuto, kAlways, kNever };
void choose_colour(Colour when);  // `mlc --color`

}  // namespace mlc::print
