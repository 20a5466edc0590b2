// SPDX-License-Identifier: Apache-2.0
// What show() needs from outside: printing does not know the formatter, the program hands it over.
#pragma once

#include <string>

namespace mlc::print {

using Formatter = std::string (*)(std::string source);

// What show(black_format=True) lays its text out with; refused while there is none.
void format_with(Formatter formatter);

}  // namespace mlc::print
