// SPDX-License-Identifier: Apache-2.0
// Text to syntax tree. The only door to the parser; nothing outside frontend/syntax sees ANTLR.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "frontend/syntax/ast.h"

namespace mlc::syntax {

// Parses a registered source file (SourceMap::current().add) as a module. Throws ir::Error that carries every
// syntax error of the file, in order of position (at most twenty; kind "SyntaxError").
std::shared_ptr<const Tree> parse_file(uint32_t file_id);

// Parses a registered text that is a single expression: `Tree::expression` is set.
std::shared_ptr<const Tree> parse_expression(uint32_t file_id);

// What the REPL does with the lines typed so far.
enum class ParseStatus : uint8_t {
  kComplete,    // parses: run it
  kIncomplete,  // could become a program with more lines: an open bracket, string or block, a lone decorator
  kError,       // no further line will mend it
};
// An indented block counts as open until an empty line ends it, as in Python's own prompt.
ParseStatus is_complete(std::string_view text);

}  // namespace mlc::syntax
