// SPDX-License-Identifier: Apache-2.0
// Edits of one text, gathered in any order and made at once.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/fix/fix.h"
#include "frontend/fix/names.h"
#include "frontend/syntax/ast.h"
#include "ir/core/span.h"

namespace mlc::fix {

class Rewriter {
 public:
  explicit Rewriter(uint32_t file);

  char at(uint32_t offset) const { return text_[offset]; }
  std::string_view text(ir::Span span) const { return text_.substr(span.begin, span.end - span.begin); }

  void replace(ir::Span span, std::string text) { edits_.push_back({span.begin, span.end, std::move(text)}); }
  // A line of its own, indented like the statement that begins at `before`.
  void insert_line(uint32_t before, std::string line);
  // Names of `from m import a, b, c` with their commas; one at least stays.
  void remove_from_list(syntax::Seq<syntax::Alias> names, const std::set<const syntax::Alias*>& removed);
  // Moves the lines of a block to the left, except those inside of strings.
  void dedent(syntax::Seq<syntax::Stmt> body, uint32_t columns);
  // The name has no successor, or the form none that an edit could give.
  void leave(ir::Span span, std::string why);
  void report_removed(std::string_view path, ir::Span span);
  // A span that has been dealt with: names in it keep what they are.
  void claim(ir::Span span) { claimed_.insert(span.begin); }
  bool is_claimed(ir::Span span) const { return claimed_.count(span.begin) != 0; }

  Fixed finish();

 private:
  struct Edit {
    uint32_t begin;
    uint32_t end;
    std::string after;
  };
  void report(Fixed& fixed) const;
  uint32_t line_of(uint32_t offset) const;
  uint32_t line_start(uint32_t offset) const;

  uint32_t file_;
  std::string_view text_;
  std::vector<Edit> edits_;
  std::vector<Left> left_;
  std::set<uint32_t> claimed_;
  std::map<uint32_t, uint32_t> dedents_;  // by start of line: columns to take away
  std::set<std::pair<uint32_t, std::string>> inserted_;
};

// forms.cpp: constructs that are written otherwise today: `with T.LetStmt(...)`, `T.evaluate(T.ret(x))`,
// allocations, and the buffers and decorators of functions with blocks.
void fix_forms(const syntax::Module& module, const Imports& imports, Rewriter& rewriter);
// calls.cpp: arguments that are left out or given otherwise today, members of compiled modules.
void fix_calls(const syntax::Module& module, const Imports& imports, Rewriter& rewriter);

}  // namespace mlc::fix
