// SPDX-License-Identifier: Apache-2.0
// Programs of older versions to today's names and forms (ir/registry/classic_names.h): what `mlc fix` does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mlc::fix {

struct Change {
  uint32_t line;       // counted from 1
  std::string before;  // empty for a line that is new
  std::string after;
};
// What has no form of today that an edit of the text could give.
struct Left {
  uint32_t line;
  std::string what;
  std::string why;
};
struct Fixed {
  std::string text;
  std::vector<Change> changes;  // in order of position
  std::vector<Left> left;
};

// Edits only the words that change; everything else of the text, comments and layout, stays. The result
// parses, and fixing it again changes nothing. Throws the errors of parse_file.
Fixed fix(uint32_t file);

}  // namespace mlc::fix
