// SPDX-License-Identifier: Apache-2.0
// What could follow the text before the cursor.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/script/core/evaluator.h"

namespace mlc::repl {

struct Completion {
  size_t begin = 0;                     // where in the line the word to replace begins
  std::vector<std::string> candidates;  // whole words, sorted
};

// Commands after `:`, names of files after `:save` and `:load`, attributes after a dotted name, keyword
// arguments inside a call, otherwise names, builtins and keywords. Evaluates nothing but names and
// attributes.
Completion complete(script::Evaluator& evaluator, std::string_view line);

}  // namespace mlc::repl
