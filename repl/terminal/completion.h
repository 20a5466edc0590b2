// SPDX-License-Identifier: Apache-2.0
// What could follow the text before the cursor.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/script/core/evaluator.h"

namespace mlc::repl {

class Session;

// May it be part of a name? The bytes of a character outside ASCII all may.
bool name_char(char c);

struct Candidate {
  std::string text;  // the whole word
  std::string doc;   // one line; "" where there is none
  int rank = 0;      // of several kinds the lower come first
};

struct Completion {
  size_t begin = 0;                   // where in the text the word to replace begins
  std::vector<Candidate> candidates;  // sorted by rank and text
};

// Commands after `:` and what they take, names of the IR inside of a string (blocks, loops, buffers, functions, scopes,
// thread tags, targets, data types) and files, attributes after a dotted name, keyword arguments inside a call,
// otherwise names, builtins and keywords. Evaluates nothing but names and attributes.
Completion complete(Session& session, std::string_view before_cursor);

// The value of `a.b.c`, names and attributes only; nullopt when some part does not exist, or
// is known only by running the program (a property).
std::optional<ir::Any> dotted_value(script::Evaluator& evaluator, std::string_view path);

}  // namespace mlc::repl
