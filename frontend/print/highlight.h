// SPDX-License-Identifier: Apache-2.0
// Colours for program text on terminals.
#pragma once

#include <string>
#include <string_view>

namespace mlc::print {

// The text with ANSI colours for keywords, strings, numbers, decorators and comments.
std::string highlight(std::string_view program);

// May standard output (1) or error (2) be coloured? On a terminal, unless NO_COLOR is set or TERM is dumb.
bool wants_colour(int descriptor);

}  // namespace mlc::print
