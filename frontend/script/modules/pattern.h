// SPDX-License-Identifier: Apache-2.0
// Python's regular expressions in PCRE2's syntax. What PCRE2 has beyond Python does not get through.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mlc::script {

// Python's numbers of its flags.
enum PatternFlag : int64_t {
  kIgnoreCase = 2,
  kLocale = 4,
  kMultiLine = 8,
  kDotAll = 16,
  kUnicode = 32,
  kVerbose = 64,
  kAscii = 256,
};

struct PatternError {
  std::string message;
  int64_t position;  // in code points
};

struct ParsedPattern {
  std::string text;   // for PCRE2
  int64_t flags = 0;  // the given ones, and those the pattern itself sets
  int64_t groups = 0;
  std::vector<std::pair<std::string, int64_t>> names;  // of groups
  std::vector<int64_t> closing;  // the groups in the order in which the pattern closes them
};

// Throws PatternError.
ParsedPattern parse_pattern(std::string_view pattern, int64_t flags);

}  // namespace mlc::script
