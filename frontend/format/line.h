// SPDX-License-Identifier: Apache-2.0
// What the formatter works on: the words of one logical line, and what is to be known of each to break the
// line.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "ir/core/span.h"

namespace mlc::format {

// What a line may be broken at, loosest binding first in a comparison of numbers.
enum Priority : uint8_t {
  kNoBreak = 0,
  kDot = 1,
  kPower,
  kTerm,
  kArith,
  kShift,
  kBitAnd,
  kBitXor,
  kBitOr,
  kComparison,
  kStrings,  // between neighbouring literals
  kLogic,
  kTernary,
  kComma,
  kComprehension,
};

struct Leaf {
  enum class Kind : uint8_t { kName, kKeyword, kNumber, kString, kOperator, kOpen, kClose, kComment };
  Kind kind;
  std::string text;  // empty for a parenthesis that is only shown when the line is broken there
  Leaf* mate = nullptr;
  std::vector<std::string> comments;  // that follow it on its line
  uint32_t level = 0;          // brackets around it; the targets of `for` and of `lambda` count as one more
  bool space = false;          // before it, when it is not the first of a line
  Priority breaks = kNoBreak;  // a line may end after this leaf
  bool optional = false;       // a bracket that need not be written
  bool literal = false;  // a bracket of a list, dict, tuple or import, not of a call, subscript or parameters
  bool one_tuple = false;  // a closing bracket whose only comma makes a tuple of one
  bool unary = false;      // an operator that stands before its operand

  bool is(std::string_view t) const { return text == t; }
  bool opens() const { return kind == Kind::kOpen; }
  bool closes() const { return kind == Kind::kClose; }
  bool comma() const { return kind == Kind::kOperator && text == ","; }
  bool comment() const { return kind == Kind::kComment; }
  bool keyword(std::string_view t) const { return kind == Kind::kKeyword && text == t; }
  bool multiline() const { return kind == Kind::kString && text.find('\n') != std::string::npos; }
};

// One logical line, or a comment of its own, or a region that is left as it stands.
struct LogicalLine {
  enum class Kind : uint8_t { kCode, kComment, kGolden, kRaw };
  Kind kind = Kind::kCode;
  std::vector<Leaf*> leaves;
  std::string text;        // of a comment or a region
  int depth = 0;           // blocks around it
  int blanks = 0;          // empty lines before it in the source
  bool form_feed = false;  // a page ends before it: one of those lines holds a form feed
  bool docstring = false;

  bool code() const { return kind == Kind::kCode; }
  bool comment() const { return kind == Kind::kComment; }
  bool starts(std::string_view word) const { return code() && leaves[0]->text == word; }
  bool decorator() const { return starts("@"); }
  bool def() const { return starts("def"); }
  bool class_() const { return starts("class"); }
  bool import() const { return starts("import") || starts("from"); }
  bool opens_block() const { return code() && leaves.back()->is(":"); }
  bool stub_def() const {
    return def() && leaves.size() > 2 && leaves.back()->is("...") && leaves[leaves.size() - 2]->is(":");
  }
};

struct Document {
  std::deque<Leaf> leaves;
  std::vector<LogicalLine> lines;
  std::string newline = "\n";
  ir::Span region;  // the first that `# fmt: off` or `# fmt: skip` leaves as it stands
  bool has_region = false;
};

// lines.cpp: words into logical lines, comments where they belong, optional parentheses around what may be
// broken.
Document read_lines(uint32_t file);
// spacing.cpp: levels, blanks before words and places to break, for one logical line.
void analyse(std::vector<Leaf*>& leaves);
// comments.cpp: each comment to a place where a line may end, so that it stays there when the result is read
// again; new leaves are made in `store`.
void settle_comments(std::vector<Leaf*>& leaves, std::deque<Leaf>& store);
// literals.cpp: quotes, prefixes and digits in one spelling each.
std::string normal_string(std::string_view text);
std::string normal_number(std::string_view text);
std::string normal_comment(std::string_view text);
// blank_lines.cpp: how many empty lines to write before each line.
std::vector<int> blank_lines(const std::vector<LogicalLine>& lines);
// split.cpp: appends a logical line, broken where it is too long.
void write_line(Document& document, const LogicalLine& line, std::string& out);

}  // namespace mlc::format
