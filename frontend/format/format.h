// SPDX-License-Identifier: Apache-2.0
// Source text to source text of one style: what `mlc fmt` does.
#pragma once

#include <cstdint>
#include <string>

namespace mlc::format {

constexpr int kLineLength = 100;

// A registered text laid out in the style of Black with lines of at most kLineLength columns
// (grammar/README.md lists where it differs). Comments are kept, and the result parses to the same tree: what
// would not is never returned (an internal error). Formatting the result changes nothing. Throws the errors
// of parse_file.
std::string format(uint32_t file);

}  // namespace mlc::format
