// SPDX-License-Identifier: Apache-2.0
#include "frontend/syntax/lexemes.h"

#include "frontend/syntax/lexer.h"
#include "frontend/syntax/spellings.h"

namespace mlc::syntax {
namespace {

LexemeKind kind_of(size_t type) {
  switch (type) {
    case MlcParser::NAME:
      return LexemeKind::kName;
    case MlcParser::INTEGER:
    case MlcParser::FLOAT:
      return LexemeKind::kNumber;
    case MlcParser::STRING:
      return LexemeKind::kString;
    case MlcParser::NEWLINE:
      return LexemeKind::kNewline;
    case MlcParser::INDENT:
      return LexemeKind::kIndent;
    case MlcParser::DEDENT:
      return LexemeKind::kDedent;
    case SourceToken::kEnd:
      return LexemeKind::kEnd;
    default:
      return spellings().is_keyword(type) ? LexemeKind::kKeyword : LexemeKind::kOperator;
  }
}

class LexemeReader {
 public:
  LexemeReader(std::string_view text, std::vector<Lexeme>& out) : text_(text), out_(out) {}

  void read(const TokenList& tokens) {
    for (size_t i = 0; i < tokens.count(); ++i) {
      const SourceToken& token = tokens.at(i);
      comments_until(token.begin);
      if (token.type == MlcParser::IS_NOT || token.type == MlcParser::NOT_IN) {
        // Two words, between which a comment may stand.
        uint32_t first = token.type == MlcParser::IS_NOT ? 2 : 3;
        add(LexemeKind::kKeyword, token.begin, token.begin + first);
        comments_until(token.end - (5 - first));
        add(LexemeKind::kKeyword, token.end - (5 - first), token.end);
      } else if (token.type == MlcParser::FSTRING_START) {
        size_t depth = 0;
        size_t last = i;
        for (;; ++last) {
          if (tokens.at(last).type == MlcParser::FSTRING_START) ++depth;
          if (tokens.at(last).type == MlcParser::FSTRING_END && --depth == 0) break;
        }
        add(LexemeKind::kString, token.begin, tokens.at(last).end);
        i = last;
      } else {
        add(kind_of(token.type), token.begin, token.end);
      }
    }
  }

 private:
  void add(LexemeKind kind, uint32_t begin, uint32_t end) {
    out_.push_back({kind, begin, end});
    at_ = end;
  }
  // Between tokens there is white space, `\` before a newline, and comments.
  void comments_until(uint32_t end) {
    while (at_ < end) {
      if (text_[at_] != '#') {
        ++at_;
        continue;
      }
      auto stop = static_cast<uint32_t>(std::min<size_t>(text_.find_first_of("\r\n", at_), text_.size()));
      add(LexemeKind::kComment, at_, stop);
    }
  }

  std::string_view text_;
  std::vector<Lexeme>& out_;
  uint32_t at_ = 0;
};

}  // namespace

std::vector<Lexeme> lexemes(uint32_t file) {
  std::string_view text = ir::SourceMap::current().file(file).text;
  TokenList tokens;
  Problems problems(file);
  Lexer(text, tokens, problems).run();
  if (!problems.empty()) throw ir::Error(problems.take());
  std::vector<Lexeme> all;
  all.reserve(tokens.count() + tokens.count() / 16);
  LexemeReader(text, all).read(tokens);
  return all;
}

}  // namespace mlc::syntax
