// SPDX-License-Identifier: Apache-2.0
// TVM's words of refusals, row by row.
#pragma once

#include <string_view>

namespace mlc::transform {

// `detail` comes below the module, `fast` is the whole of it. In braces: `block`, `loop`, `loop2` (what the
// step was given, or else the first that the report names) and `scope` (the block around these); `see loop`
// underlines without a word, and counts first; `name` and
// `name2`: what the report quotes; `number`: the first one in it; `thread`; `role`, `regions` and `memory` of
// a buffer; `complete` and `reduction`: which condition a block violates; `primitive`; `why`: what follows
// the first colon.
inline constexpr std::string_view kAsItIs = "as it is";  // `detail` without the module
struct WordRow {
  std::string_view refusal, primitive, detail, fast;
};
// Null: TVM has no words of its own.
const WordRow* row_of(std::string_view refusal, std::string_view primitive);

// What blocks of a kind are.
extern const std::string_view kComplete, kReduction, kLocalComplete, kLocalReduction;

}  // namespace mlc::transform
