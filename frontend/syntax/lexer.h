// SPDX-License-Identifier: Apache-2.0
// Text to tokens: words, numbers, strings, and the structure of lines (NEWLINE, INDENT, DEDENT).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "frontend/syntax/problems.h"
#include "frontend/syntax/token_list.h"

namespace mlc::syntax {

// Limits that keep every recursive walk over the tree within an ordinary stack.
constexpr size_t kMaxBrackets = 200;
constexpr size_t kMaxBlocks = 100;
constexpr size_t kMaxText = size_t{1} << 30;

// Reads the whole text into `tokens`; goes on after every problem, so that the parser can find more. The
// token list always ends with NEWLINE (unless empty), the open DEDENTs and the end token, and its brackets
// always match.
class Lexer {
 public:
  Lexer(std::string_view text, TokenList& tokens, Problems& problems);

  void run();

  // More text could mend what is wrong at the end: an open bracket, triple-quoted string or `\`.
  bool ends_open() const { return ends_open_; }

 private:
  struct Bracket {
    char open;
    uint32_t begin;           // where it stands in the text
    uint32_t token;           // its index in the token list
    bool after_with = false;  // the bracket of `with (`
    bool items = false;       // a comma or `as` directly inside
    bool field = false;       // the `{` of an f-string's field
  };
  // The first line within brackets that looks like a statement of its own: where reading goes on when one of
  // the brackets turns out to be closed nowhere.
  struct Resume {
    size_t at;
    size_t tokens;  // read before it
    std::vector<Bracket> brackets;
    bool blamed;
  };
  struct Indent {
    uint32_t column;       // tabs to multiples of eight
    uint32_t alternative;  // a tab counted as one: both must agree on what is deeper
  };

  // lexer.cpp
  bool check_text();
  void start_line();
  void set_indent(size_t begin, Indent indent);
  void end_line(size_t begin, size_t end);
  void finish();
  void stop_too_deep(size_t begin, size_t end, std::string message);
  void skip_comment();
  void scan_token();
  void scan_continuation();
  void scan_name();
  void scan_operator();
  void stray_character();
  void push(size_t type, size_t begin, size_t end);
  void open_bracket(char c, size_t type);
  void close_bracket(char c, size_t type);
  void note_statement(size_t type, size_t begin);
  bool resume();
  void close_all();
  bool after_header() const;
  bool inside_field() const;
  static size_t closer_of(char open);
  // One report per logical line: after the first, the rest is mostly its consequence.
  ir::Diagnostic& report(std::string_view name, size_t begin, size_t end, std::string message);

  // lexer_literals.cpp
  struct Quote {
    size_t begin;  // of the whole literal, with its prefix
    char mark;
    bool triple;
    bool raw;
  };
  void scan_number();
  Quote scan_quote(size_t begin);
  bool at_closing(const Quote& quote) const;
  void skip_escape();
  void report_unterminated(const Quote& quote, std::string_view what);
  void scan_string(size_t begin);
  void scan_fstring(size_t begin);
  bool scan_pieces(const Quote& quote, bool spec);
  bool scan_field(const Quote& quote);

  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool at_newline() const { return peek() == '\n' || peek() == '\r'; }
  size_t newline_size() const { return peek() == '\r' && peek(1) == '\n' ? 2 : 1; }

  std::string_view text_;
  TokenList& tokens_;
  Problems& problems_;
  size_t at_ = 0;
  std::vector<Bracket> brackets_;
  std::optional<Resume> resume_;  // of the brackets that are open
  std::vector<Indent> indents_{{0, 0}};
  size_t line_begin_ = 0;       // of the physical line, inside brackets too
  bool first_in_line_ = false;  // the next token is the first of its physical line
  bool line_over_ = false;
  bool line_blamed_ = false;
  bool ends_open_ = false;
  bool too_deep_ = false;
  ir::Diagnostic muted_;  // what `report` hands out when the line has its report
  // The opener of the last closed `with (…)` that may be a list of items, to be decided by the next token.
  size_t with_open_ = 0;
  size_t with_close_ = 0;
  size_t line_token_ = 0;      // the first of the logical line
};

}  // namespace mlc::syntax
