// SPDX-License-Identifier: Apache-2.0
#include "frontend/syntax/spellings.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/syntax/characters.h"

namespace mlc::syntax {

Spellings::Spellings() {
  TokenList none;
  none.push(SourceToken::kEnd, 0, 0);
  MlcParser parser(&none);  // the vocabulary is a member function of the parser
  const auto& vocabulary = parser.getVocabulary();
  texts_.resize(vocabulary.getMaxTokenType() + 1);
  for (size_t type = 1; type < texts_.size(); ++type) {
    std::string quoted = vocabulary.getLiteralName(type);
    if (quoted.size() > 2) texts_[type] = quoted.substr(1, quoted.size() - 2);
  }
  for (size_t type = 1; type < texts_.size(); ++type) {
    std::string_view text = texts_[type];
    if (text.empty()) continue;
    Row row{text, static_cast<uint16_t>(type)};
    if (is_name_start(text[0])) {
      size_t at = slot(text);
      while (keywords_[at].type != 0) at = (at + 1) % kSlots;
      keywords_[at] = row;
    } else {
      operators_[static_cast<size_t>(text[0])].push_back(row);
    }
  }
  for (auto& rows : operators_) {
    std::sort(rows.begin(), rows.end(),
              [](const Row& a, const Row& b) { return a.text.size() > b.text.size(); });
  }
}

size_t Spellings::slot(std::string_view word) {
  auto code = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(word[i])); };
  return (code(0) * 7 + code(word.size() - 1) * 31 + code(word.size() / 2) * 101 + word.size() * 17) % kSlots;
}

size_t Spellings::keyword(std::string_view word) const {
  if (word.size() < 2 || word.size() > 8) return 0;
  for (size_t at = slot(word); keywords_[at].type != 0; at = (at + 1) % kSlots) {
    if (keywords_[at].text == word) return keywords_[at].type;
  }
  return 0;
}

std::pair<size_t, size_t> Spellings::operator_at(std::string_view text) const {
  auto first = static_cast<unsigned char>(text[0]);
  if (first < 128) {
    for (const Row& row : operators_[first]) {
      if (text.starts_with(row.text)) return {row.type, row.text.size()};
    }
  }
  return {0, 0};
}

bool Spellings::is_keyword(size_t type) const { return !of(type).empty() && is_name_start(of(type)[0]); }

const Spellings& spellings() {
  static const Spellings instance;
  return instance;
}

bool starts_only_statements(size_t type) {
  switch (type) {
    case MlcParser::ASSERT:
    case MlcParser::BREAK:
    case MlcParser::CLASS:
    case MlcParser::CONTINUE:
    case MlcParser::DEF:
    case MlcParser::DEL:
    case MlcParser::ELIF:
    case MlcParser::EXCEPT:
    case MlcParser::FINALLY:
    case MlcParser::GLOBAL:
    case MlcParser::IMPORT:
    case MlcParser::NONLOCAL:
    case MlcParser::PASS:
    case MlcParser::RAISE:
    case MlcParser::RETURN:
    case MlcParser::TRY:
    case MlcParser::WHILE:
    case MlcParser::WITH:
      return true;
    default:
      return false;
  }
}

std::string name_of(const SourceToken& token, std::string_view text) {
  switch (token.type) {
    case SourceToken::kEnd:
      return "the end of the file";
    case MlcParser::NEWLINE:
      return token.begin == token.end && token.begin == text.size() ? "the end of the file" : "newline";
    case MlcParser::INDENT:
      return "an indented line";
    case MlcParser::DEDENT:
      return token.begin == text.size() ? "the end of the file" : "the end of the block";
    case MlcParser::STRING:
    case MlcParser::FSTRING_START:
      return "a string";
    case MlcParser::FSTRING_TEXT:
    case MlcParser::FSTRING_END:
      return "the rest of the f-string";
    default:
      break;
  }
  std::string_view shown = text.substr(token.begin, token.end - token.begin);
  if (shown.empty()) return name_of_type(token.type);
  if (shown.size() > 40) return fmt::format("`{}…`", whole_code_points(shown, 37));
  return fmt::format("`{}`", shown);
}

std::string name_of_type(size_t type) {
  switch (type) {
    case antlr4::Token::EOF:
      return "the end of the file";
    case MlcParser::NEWLINE:
      return "the end of the line";
    case MlcParser::NAME:
      return "a name";
    case MlcParser::INDENT:
      return "an indented block";
    case MlcParser::DEDENT:
      return "the end of the block";
    case MlcParser::WITH_OPEN:
      return "`(`";
    case MlcParser::FSTRING_END:
      return "the end of the f-string";
    default:
      return fmt::format("`{}`", spellings().of(type));
  }
}

}  // namespace mlc::syntax
