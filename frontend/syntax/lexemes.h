// SPDX-License-Identifier: Apache-2.0
// A text as words and comments in reading order: what tools that rewrite source work on.
#pragma once

#include <cstdint>
#include <vector>

namespace mlc::syntax {

enum class LexemeKind : uint8_t {
  kName,
  kKeyword,
  kOperator,  // brackets and punctuation too
  kNumber,
  kString,   // a whole literal, f-strings with their fields
  kComment,  // from `#` to the end of the line
  kNewline,  // the end of a logical line
  kIndent,
  kDedent,
  kEnd,
};
struct Lexeme {
  LexemeKind kind;
  uint32_t begin;
  uint32_t end;
};

// All of a registered text that parse_file has accepted, in order of position, kEnd last. A text with lexical
// errors throws the first.
std::vector<Lexeme> lexemes(uint32_t file);

}  // namespace mlc::syntax
