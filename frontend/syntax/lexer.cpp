// SPDX-License-Identifier: Apache-2.0
// Lines, brackets and words. Numbers and strings are in lexer_literals.cpp.
#include "frontend/syntax/lexer.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/syntax/characters.h"
#include "frontend/syntax/spellings.h"

namespace mlc::syntax {

Lexer::Lexer(std::string_view text, TokenList& tokens, Problems& problems)
    : text_(text), tokens_(tokens), problems_(problems) {
  tokens_.reserve(text.size() / 4 + 8);
}

void Lexer::run() {
  if (check_text()) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // a byte order mark
    while (true) {
      start_line();
      if (at_ >= text_.size()) break;
      line_over_ = false;
      while (!line_over_) {
        scan_token();
        if (at_ >= text_.size() && !brackets_.empty() && !too_deep_ && !problems_.full()) {
          ends_open_ = true;
          resume();
        }
      }
    }
  }
  finish();
}

ir::Diagnostic& Lexer::report(std::string_view name, size_t begin, size_t end, std::string message) {
  if (line_blamed_) return muted_ = ir::Diagnostic{};
  line_blamed_ = true;
  return problems_.add(name, begin, end, std::move(message), tokens_.count());
}

// What is not text is refused as a whole: nothing in it can be trusted.
bool Lexer::check_text() {
  if (text_.size() > kMaxText) {
    report("too-large", 0, 0, fmt::format("the text has {} bytes; the limit is {}", text_.size(), kMaxText));
    return false;
  }
  size_t bad = first_invalid_utf8(text_);
  size_t zero = text_.find('\0');
  if (bad == text_.size() && zero == std::string_view::npos) return true;
  if (zero < bad) {
    report("not-text", zero, zero + 1, fmt::format("this is not text: byte {} is NUL", zero)).help =
        "is this a compiled or compressed file?";
  } else {
    report("not-text", bad, bad + 1,
           fmt::format("this is not UTF-8 text: byte {} is 0x{:02x}", bad,
                       static_cast<unsigned char>(text_[bad])))
        .help = "save the file as UTF-8";
  }
  return false;
}

// At the start of a logical line: passes over blank lines and comments, then opens and closes blocks.
void Lexer::start_line() {
  while (at_ < text_.size()) {
    size_t begin = at_;
    Indent indent{0, 0};
    for (;; ++at_) {
      char c = peek();
      if (c == ' ') {
        ++indent.column;
        ++indent.alternative;
      } else if (c == '\t') {
        indent.column = (indent.column / 8 + 1) * 8;
        ++indent.alternative;
      } else if (c == '\f') {
        indent = {0, 0};
      } else {
        break;
      }
    }
    if (peek() == '#') skip_comment();
    if (at_ >= text_.size()) return;
    if (at_newline()) {
      at_ += newline_size();
      continue;
    }
    line_begin_ = begin;
    first_in_line_ = true;
    set_indent(begin, indent);
    line_token_ = tokens_.count();
    return;
  }
}

void Lexer::set_indent(size_t begin, Indent indent) {
  auto tabs = [&] {
    report("indentation", begin, at_,
           "tabs and spaces are mixed: which line is deeper depends on the width of a tab")
        .help = "indent with spaces only";
  };
  if (indent.column == indents_.back().column) {
    if (indent.alternative != indents_.back().alternative) tabs();
    return;
  }
  if (indent.column > indents_.back().column) {
    if (indent.alternative <= indents_.back().alternative) tabs();
    if (indents_.size() > kMaxBlocks) {
      stop_too_deep(begin, at_, fmt::format("more than {} blocks inside one another", kMaxBlocks));
      return;
    }
    indents_.push_back(indent);
    tokens_.push(MlcParser::INDENT, begin, at_);
    return;
  }
  while (indent.column < indents_.back().column) {
    indents_.pop_back();
    tokens_.push(MlcParser::DEDENT, at_, at_);
  }
  if (indent.column != indents_.back().column) {
    report("indentation", begin, at_, "this line is indented like no block above it");
  } else if (indent.alternative != indents_.back().alternative) {
    tabs();
  }
}

void Lexer::finish() {
  size_t end = text_.size();
  if (!brackets_.empty()) {
    ends_open_ = !too_deep_;
    close_all();
  }
  size_t last = tokens_.last_type();
  if (last != 0 && last != MlcParser::NEWLINE && last != MlcParser::DEDENT) {
    tokens_.push(MlcParser::NEWLINE, end, end);
  }
  for (size_t i = 1; i < indents_.size(); ++i) tokens_.push(MlcParser::DEDENT, end, end);
  tokens_.push(SourceToken::kEnd, end, end);
}

void Lexer::stop_too_deep(size_t begin, size_t end, std::string message) {
  report("too-deep", begin, end, std::move(message));
  too_deep_ = true;
  at_ = text_.size();
  line_over_ = true;
}

void Lexer::end_line(size_t begin, size_t end) {
  tokens_.push(MlcParser::NEWLINE, begin, end);
  line_over_ = true;
  line_blamed_ = false;
  with_close_ = 0;
}

void Lexer::skip_comment() {
  size_t end = text_.find_first_of("\r\n", at_);
  at_ = end == std::string_view::npos ? text_.size() : end;
}

// One token, or the space before one.
void Lexer::scan_token() {
  while (peek() == ' ' || peek() == '\t' || peek() == '\f') ++at_;
  if (at_ >= text_.size()) {
    line_over_ = true;
    return;
  }
  char c = text_[at_];
  if (is_name_start(c)) return scan_name();
  if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return scan_number();
  switch (c) {
    case '#':
      return skip_comment();
    case '\n':
    case '\r': {
      size_t begin = at_;
      at_ += newline_size();
      if (brackets_.empty()) return end_line(begin, at_);
      line_begin_ = at_;
      first_in_line_ = true;
      return;
    }
    case '\\':
      return scan_continuation();
    case '"':
    case '\'':
      return scan_string(at_);
    case '(':
      return open_bracket(c, MlcParser::LPAREN);
    case '[':
      return open_bracket(c, MlcParser::LBRACKET);
    case '{':
      return open_bracket(c, MlcParser::LBRACE);
    case ')':
      return close_bracket(c, MlcParser::RPAREN);
    case ']':
      return close_bracket(c, MlcParser::RBRACKET);
    case '}':
      return close_bracket(c, MlcParser::RBRACE);
    default:
      return scan_operator();
  }
}

void Lexer::scan_continuation() {
  size_t begin = at_++;
  if (at_ >= text_.size()) {
    ends_open_ = true;
    report("syntax", begin, at_, "expected another line after `\\`, found the end of the file");
  } else if (at_newline()) {
    at_ += newline_size();
    if (at_ >= text_.size()) ends_open_ = true;
  } else {
    report("syntax", begin, at_, "expected a newline after `\\`").help =
        "`\\` joins two lines only as the last character of the first";
  }
}

void Lexer::scan_name() {
  size_t begin = at_;
  while (at_ < text_.size()) {
    if (is_name_part(text_[at_])) {
      ++at_;
      continue;
    }
    if (static_cast<unsigned char>(text_[at_]) < 0x80) break;
    CodePoint next = decode_utf8(text_, at_);
    if (!is_name_code_point(next.value)) break;
    at_ += next.size;
  }
  if (at_ == begin) return stray_character();
  std::string_view word = text_.substr(begin, at_ - begin);
  if (peek() == '"' || peek() == '\'') {
    if (is_string_prefix(word)) {
      return word.find_first_of("fF") == std::string_view::npos ? scan_string(begin) : scan_fstring(begin);
    }
  }
  size_t type = spellings().keyword(word);
  if (first_in_line_ && !brackets_.empty() && !inside_field()) note_statement(type, begin);
  if (first_in_line_ && !brackets_.empty() && starts_only_statements(type) && !inside_field()) {
    // No bracket may enclose this word, so one that is open above was forgotten.
    if (!problems_.full() && resume()) return;
    at_ = line_begin_;
    close_all();
    return end_line(line_begin_, line_begin_);
  }
  push(type == 0 ? size_t{MlcParser::NAME} : type, begin, at_);
}

void Lexer::scan_operator() {
  auto [type, size] = spellings().operator_at(text_.substr(at_));
  if (type == 0 || type == MlcParser::BANG) return stray_character();
  if (type == MlcParser::AT && first_in_line_ && !brackets_.empty() && !inside_field())
    note_statement(type, at_);
  push(type, at_, at_ + size);
  at_ += size;
}

void Lexer::stray_character() {
  CodePoint c = decode_utf8(text_, at_);
  std::string_view shown = text_.substr(at_, c.size);
  bool visible = c.value > ' ' && c.value != 0x7F && !is_invisible(c.value);
  auto& diagnostic =
      report("syntax", at_, at_ + c.size,
             visible ? fmt::format("`{}` is not part of the language", shown)
                     : fmt::format("the invisible character U+{:04X} is not part of the language", c.value));
  if (shown == "!") diagnostic.help = "`not x` negates, `!=` compares";
  if (is_curly_quote(c.value)) diagnostic.help = "strings stand in plain quotes, `\"` or `'`";
  if (c.value == 0xA0) diagnostic.help = "this is a non-breaking space; use a plain one";
  at_ += c.size;
}

void Lexer::push(size_t type, size_t begin, size_t end) {
  first_in_line_ = false;
  if (with_close_ != 0) {
    if (type == MlcParser::COLON) tokens_.at(with_open_).type = MlcParser::WITH_OPEN;
    with_close_ = 0;
  }
  size_t last = tokens_.last_type();
  auto join = [&](size_t joined) {
    SourceToken& token = tokens_.at(tokens_.count() - 1);
    token.type = static_cast<uint16_t>(joined);
    token.end = static_cast<uint32_t>(end);
  };
  switch (type) {
    case MlcParser::NOT:
      if (last == MlcParser::IS) return join(MlcParser::IS_NOT);
      break;
    case MlcParser::IN:
      if (last == MlcParser::NOT) return join(MlcParser::NOT_IN);
      break;
    case MlcParser::COMMA:
      if (last == MlcParser::COMMA) {
        report("syntax", begin, end, "expected an expression between the commas");
        return;
      }
      if (!brackets_.empty()) brackets_.back().items = true;
      break;
    case MlcParser::SEMICOLON:
      if (last == MlcParser::SEMICOLON) {
        report("syntax", begin, end, "expected a statement between the semicolons");
        return;
      }
      break;
    case MlcParser::AS:
      if (!brackets_.empty()) brackets_.back().items = true;
      break;
    default:
      break;
  }
  tokens_.push(type, begin, end);
}

void Lexer::open_bracket(char c, size_t type) {
  if (brackets_.size() >= kMaxBrackets) {
    return stop_too_deep(at_, at_ + 1, fmt::format("more than {} brackets inside one another", kMaxBrackets));
  }
  Bracket bracket{c, static_cast<uint32_t>(at_), static_cast<uint32_t>(tokens_.count())};
  if (brackets_.empty()) resume_.reset();
  bracket.after_with = tokens_.last_type() == MlcParser::WITH && c == '(';
  push(type, at_, at_ + 1);
  brackets_.push_back(bracket);
  ++at_;
}

void Lexer::close_bracket(char c, size_t type) {
  if (brackets_.empty()) {
    report("unclosed", at_, at_ + 1, fmt::format("`{}` closes nothing", c));
    ++at_;
    return;
  }
  Bracket bracket = brackets_.back();
  if (type != closer_of(bracket.open)) {
    auto& diagnostic =
        report("unclosed", at_, at_ + 1, fmt::format("`{}` does not close `{}`", c, bracket.open));
    diagnostic.notes.push_back(
        {fmt::format("`{}` is opened here", bracket.open), problems_.span(bracket.begin, bracket.begin + 1)});
    // It closes one further out, if there is such a one, and those within were forgotten.
    bool outer = std::any_of(brackets_.begin(), brackets_.end(),
                             [&](const Bracket& one) { return type == closer_of(one.open); });
    if (outer) {
      for (; type != closer_of(brackets_.back().open); brackets_.pop_back())
        tokens_.push(closer_of(brackets_.back().open), at_, at_);
      bracket = brackets_.back();
    }
    type = closer_of(bracket.open);
  }
  brackets_.pop_back();
  push(type, at_, at_ + 1);
  ++at_;
  if (bracket.after_with && bracket.items) {
    with_open_ = bracket.token;
    with_close_ = tokens_.count();
  }
}

size_t Lexer::closer_of(char open) {
  return open == '(' ? MlcParser::RPAREN : open == '[' ? MlcParser::RBRACKET : MlcParser::RBRACE;
}

bool Lexer::inside_field() const {
  for (const Bracket& bracket : brackets_) {
    if (bracket.field) return true;
  }
  return false;
}

// A line within brackets whose first word could begin a statement: it is indented no deeper than the
// statement that it stands in, or follows a header's colon.
void Lexer::note_statement(size_t type, size_t begin) {
  if (resume_) return;
  switch (type) {
    case MlcParser::AND:
    case MlcParser::OR:
    case MlcParser::IN:
    case MlcParser::IS:
    case MlcParser::NOT:
      return;
    default:
      break;
  }
  bool header = tokens_.last_type() == MlcParser::COLON && after_header();
  if (begin - line_begin_ > indents_.back().column && !header) return;
  resume_ = Resume{line_begin_, tokens_.count(), brackets_, line_blamed_};
}

// Does the line begin a block?
bool Lexer::after_header() const {
  size_t first = tokens_.count();
  auto ends_line = [](size_t type) {
    return type == MlcParser::NEWLINE || type == MlcParser::INDENT || type == MlcParser::DEDENT;
  };
  while (first > 0 && !ends_line(tokens_.at(first - 1).type)) --first;
  if (first == tokens_.count()) return false;
  switch (tokens_.at(first).type) {
    case MlcParser::DEF:
    case MlcParser::CLASS:
    case MlcParser::IF:
    case MlcParser::ELIF:
    case MlcParser::FOR:
    case MlcParser::WHILE:
    case MlcParser::WITH:
    case MlcParser::EXCEPT:
      return true;
    default:
      return false;
  }
}

// Goes back to the line that looked like a statement, with the brackets closed before it.
bool Lexer::resume() {
  if (!resume_) return false;
  Resume back = std::move(*resume_);
  resume_.reset();
  problems_.drop(back.tokens, back.at);
  tokens_.truncate(back.tokens);
  brackets_ = std::move(back.brackets);
  line_blamed_ = back.blamed;
  at_ = back.at;
  close_all();
  end_line(at_, at_);
  return true;
}

// Reports the innermost open bracket and closes all, so that the parser sees matching brackets; those of a
// header before its colon.
void Lexer::close_all() {
  const Bracket& bracket = brackets_.back();
  report("unclosed", bracket.begin, bracket.begin + 1, fmt::format("`{}` is never closed", bracket.open));
  bool header = tokens_.last_type() == MlcParser::COLON && after_header();
  if (header) tokens_.truncate(tokens_.count() - 1);
  while (!brackets_.empty()) {
    tokens_.push(closer_of(brackets_.back().open), at_, at_);
    brackets_.pop_back();
  }
  if (header) tokens_.push(MlcParser::COLON, at_, at_);
}

}  // namespace mlc::syntax
