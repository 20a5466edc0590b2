// SPDX-License-Identifier: Apache-2.0
// The keywords and operators of the grammar, for the lexer and for messages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/syntax/token_list.h"

namespace mlc::syntax {

// Read once from the vocabulary that ANTLR generated, so that grammar/Mlc.g4 is the only list.
class Spellings {
 public:
  Spellings();

  size_t keyword(std::string_view word) const;  // its token type, or 0
  // The longest operator at the start of `text`: its type and size, or {0, 0}.
  std::pair<size_t, size_t> operator_at(std::string_view text) const;
  std::string_view of(size_t type) const { return type < texts_.size() ? texts_[type] : std::string_view(); }
  bool is_keyword(size_t type) const;

 private:
  struct Row {
    std::string_view text;
    uint16_t type = 0;
  };
  static constexpr size_t kSlots = 256;  // seven times the keywords: open addressing almost never steps
  static size_t slot(std::string_view word);

  std::vector<std::string> texts_;  // by token type
  std::array<Row, kSlots> keywords_;
  std::array<std::vector<Row>, 128> operators_;  // by first character, longest first
};

const Spellings& spellings();

// No expression contains this word: at the start of a line it shows that a statement begins.
bool starts_only_statements(size_t type);

// How a token is named in a message: `` `x` ``, "newline", "the end of the file".
std::string name_of(const SourceToken& token, std::string_view text);
std::string name_of_type(size_t type);

}  // namespace mlc::syntax
