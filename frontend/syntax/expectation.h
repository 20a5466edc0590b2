// SPDX-License-Identifier: Apache-2.0
// What the parser wanted, in words.
#pragma once

#include <string_view>

#include "frontend/syntax/token_list.h"
#include "ir/core/error.h"

namespace mlc::syntax {

// Where the generated parser gave up: no alternative of `rule` can go on with this token.
struct Stop {
  size_t token;                        // index
  size_t rule;                         // MlcParser::RuleX
  antlr4::misc::IntervalSet expected;  // token types
};

ir::Diagnostic explain(const Stop& stop, const TokenList& tokens, std::string_view text, uint32_t file);

}  // namespace mlc::syntax
