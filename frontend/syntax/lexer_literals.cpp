// SPDX-License-Identifier: Apache-2.0
// Numbers and strings. Only their extent and shape is found here; values are made by the tree builder.
#include <fmt/format.h>

#include "frontend/syntax/characters.h"
#include "frontend/syntax/lexer.h"
#include "frontend/syntax/spellings.h"

namespace mlc::syntax {

void Lexer::scan_number() {
  size_t begin = at_;
  std::string wrong;
  // Digits with single underscores between them; `leading` where one may also come first (0x_ff).
  auto digits = [&](auto accepts, bool leading) {
    size_t start = at_;
    bool after_digit = leading;
    while (accepts(peek()) || peek() == '_') {
      if (peek() == '_' && !after_digit) wrong = "an underscore stands between two digits";
      after_digit = peek() != '_';
      ++at_;
    }
    if (at_ > start && text_[at_ - 1] == '_') wrong = "an underscore stands between two digits";
    return at_ > start;
  };
  size_t type = MlcParser::INTEGER;
  std::string help;
  char base = peek() == '0' ? static_cast<char>(peek(1) | 0x20) : '\0';
  if (base == 'x' || base == 'o' || base == 'b') {
    at_ += 2;
    bool some = base == 'x'   ? digits(is_hex_digit, true)
                : base == 'o' ? digits([](char c) { return c >= '0' && c <= '7'; }, true)
                              : digits([](char c) { return c == '0' || c == '1'; }, true);
    if (!some) wrong = fmt::format("expected digits after `0{}`", text_[begin + 1]);
  } else {
    digits(is_digit, false);
    size_t whole = at_;
    if (peek() == '.') {
      type = MlcParser::FLOAT;
      ++at_;
      if (is_digit(peek())) digits(is_digit, false);
    }
    char sign = peek(1);
    if ((peek() | 0x20) == 'e' && (is_digit(sign) || ((sign == '+' || sign == '-') && is_digit(peek(2))))) {
      type = MlcParser::FLOAT;
      at_ += is_digit(sign) ? 1 : 2;
      digits(is_digit, false);
    }
    if (type == MlcParser::INTEGER && text_[begin] == '0' &&
        text_.substr(begin, whole - begin).find_first_not_of("0_") != std::string_view::npos) {
      wrong = "a decimal number does not start with 0";
      help = "octal numbers are written `0o17`";
    }
  }
  size_t number_end = at_;
  if (is_name_start(peek())) {
    size_t word = at_;
    while (is_name_part(peek()) || static_cast<unsigned char>(peek()) >= 0x80) ++at_;
    std::string_view suffix = text_.substr(word, at_ - word);
    switch (spellings().keyword(suffix)) {  // `1if x else 2` is legal
      case MlcParser::AND:
      case MlcParser::ELSE:
      case MlcParser::FOR:
      case MlcParser::IF:
      case MlcParser::IN:
      case MlcParser::IS:
      case MlcParser::NOT:
      case MlcParser::OR:
        at_ = word;
        break;
      default:
        number_end = at_;
        if (suffix == "j" || suffix == "J") {
          report("left-out", begin, at_, "complex numbers are not part of the language");
        } else if (wrong.empty()) {
          wrong = fmt::format("`{}` does not belong to the number before it", whole_code_points(suffix, 40));
        }
    }
  }
  if (!wrong.empty()) report("syntax", begin, at_, std::move(wrong)).help = help;
  push(type, begin, number_end);
}

// From the prefix's start `begin`; at_ is at the first quote mark and moves past the opening.
Lexer::Quote Lexer::scan_quote(size_t begin) {
  std::string_view prefix = text_.substr(begin, at_ - begin);
  char mark = peek();
  bool triple = peek(1) == mark && peek(2) == mark;
  at_ += triple ? 3 : 1;
  return {begin, mark, triple, prefix.find_first_of("rR") != std::string_view::npos};
}

bool Lexer::at_closing(const Quote& quote) const {
  return peek() == quote.mark && (!quote.triple || (peek(1) == quote.mark && peek(2) == quote.mark));
}

// Past a backslash and the character it protects.
void Lexer::skip_escape() {
  ++at_;
  if (at_ < text_.size()) at_ += at_newline() ? newline_size() : 1;
}

void Lexer::report_unterminated(const Quote& quote, std::string_view what) {
  if (quote.triple) ends_open_ = true;
  size_t mark = text_.find(quote.mark, quote.begin);
  report("unclosed", quote.begin, mark + (quote.triple ? 3 : 1),
         fmt::format("this {} is never closed", what));
}

void Lexer::scan_string(size_t begin) {
  at_ = text_.find_first_of("\"'", begin);
  Quote quote = scan_quote(begin);
  while (!at_closing(quote)) {
    if (at_ >= text_.size() || (!quote.triple && at_newline())) {
      report_unterminated(quote, "string");
      return push(MlcParser::STRING, begin, at_);
    }
    if (peek() == '\\') {
      skip_escape();
    } else {
      ++at_;
    }
  }
  at_ += quote.triple ? 3 : 1;
  push(MlcParser::STRING, begin, at_);
}

void Lexer::scan_fstring(size_t begin) {
  Quote quote = scan_quote(begin);
  push(MlcParser::FSTRING_START, begin, at_);
  if (!scan_pieces(quote, false)) push(MlcParser::FSTRING_END, at_, at_);
}

// The text and fields of an f-string (`spec` false: up to and with the closing quotes) or of a format
// specification (up to the `}` that ends its field). False when the string ended without its quotes.
bool Lexer::scan_pieces(const Quote& quote, bool spec) {
  size_t start = at_;
  auto flush = [&] {
    if (at_ > start) push(MlcParser::FSTRING_TEXT, start, at_);
  };
  while (true) {
    if (at_ >= text_.size() || (!quote.triple && at_newline())) {
      flush();
      report_unterminated(quote, "f-string");
      return false;
    }
    if (at_closing(quote)) {
      flush();
      if (spec) return true;  // the field sees that its `}` is missing
      push(MlcParser::FSTRING_END, at_, at_ + (quote.triple ? 3 : 1));
      at_ += quote.triple ? 3 : 1;
      return true;
    }
    char c = peek();
    if (c == '\\') {
      if (!quote.raw && peek(1) == 'N' && peek(2) == '{') {
        size_t end = text_.find_first_of("}\n", at_);
        at_ = end == std::string_view::npos ? text_.size() : end + (text_[end] == '}' ? 1 : 0);
      } else if (peek(1) == '{' || peek(1) == '}') {
        ++at_;  // a backslash protects no brace
      } else {
        skip_escape();
      }
    } else if (c == '{' && !(peek(1) == '{' && !spec)) {
      flush();
      if (!scan_field(quote)) return false;
      start = at_;
    } else if (c == '}' && spec) {
      flush();
      return true;
    } else if (c == '{' || (c == '}' && peek(1) == '}')) {
      at_ += 2;
    } else if (c == '}') {
      report("syntax", at_, at_ + 1, "`}` stands alone in an f-string").help = "write `}}` for the character";
      ++at_;
    } else {
      ++at_;
    }
  }
}

// `{value}`, `{value=!r:spec}`. False when the string ended inside.
bool Lexer::scan_field(const Quote& quote) {
  size_t begin = at_;
  size_t outside = brackets_.size();
  open_bracket('{', MlcParser::LBRACE);
  if (too_deep_) return false;
  brackets_.back().field = true;
  auto unclosed = [&] {
    report("unclosed", begin, begin + 1, "`{` is never closed in this f-string").help =
        "write `{{` for the character";
    while (brackets_.size() > outside) {
      tokens_.push(closer_of(brackets_.back().open), at_, at_);
      brackets_.pop_back();
    }
    // Go on after the string where its end can be seen.
    while (at_ < text_.size() && !at_newline() && !at_closing(quote)) ++at_;
    if (at_closing(quote)) at_ += quote.triple ? 3 : 1;
    return false;
  };
  bool after_spec = false;
  while (true) {
    while (peek() == ' ' || peek() == '\t' || peek() == '\f' || (quote.triple && at_newline())) ++at_;
    if (at_ >= text_.size() && quote.triple) ends_open_ = true;
    if (at_ >= text_.size() || at_newline()) return unclosed();
    if (brackets_.size() == outside + 1) {
      char c = peek();
      if (c == '}') {
        close_bracket('}', MlcParser::RBRACE);
        return true;
      }
      if (after_spec) return unclosed();
      if (c == '!' && peek(1) != '=') {
        push(MlcParser::BANG, at_, at_ + 1);
        ++at_;
        continue;
      }
      if (c == ':') {
        push(MlcParser::COLON, at_, at_ + 1);
        ++at_;
        if (!scan_pieces(quote, true)) {
          while (brackets_.size() > outside) {
            tokens_.push(closer_of(brackets_.back().open), at_, at_);
            brackets_.pop_back();
          }
          return false;
        }
        after_spec = true;
        continue;
      }
    }
    if (!quote.triple) {
      if (peek() == '#') return unclosed();
      // The string's own quote opens a string inside the field only if that is closed on this line.
      if (peek() == quote.mark) {
        size_t close = text_.find_first_of(quote.mark == '"' ? "\"\r\n" : "'\r\n", at_ + 1);
        if (close == std::string_view::npos || text_[close] != quote.mark) return unclosed();
      }
    }
    scan_token();
    if (too_deep_) return false;
    if (brackets_.size() <= outside) return true;
  }
}

}  // namespace mlc::syntax
