// SPDX-License-Identifier: Apache-2.0
#include "frontend/fix/rewriter.h"

#include <algorithm>

#include "frontend/syntax/lexemes.h"
#include "ir/core/error.h"
#include "ir/registry/classic_names.h"

namespace mlc::fix {

Rewriter::Rewriter(uint32_t file) : file_(file), text_(ir::SourceMap::current().file(file).text) {}

uint32_t Rewriter::line_of(uint32_t offset) const {
  return ir::SourceMap::current().position(file_, offset).line;
}
uint32_t Rewriter::line_start(uint32_t offset) const {
  while (offset > 0 && text_[offset - 1] != '\n' && text_[offset - 1] != '\r') --offset;
  return offset;
}

void Rewriter::insert_line(uint32_t before, std::string line) {
  uint32_t start = line_start(before);
  if (!inserted_.insert({start, line}).second) return;
  std::string_view indent = text_.substr(start, before - start);
  edits_.push_back({start, start, std::string(indent) + line + "\n"});
}

void Rewriter::remove_from_list(syntax::Seq<syntax::Alias> names,
                                const std::set<const syntax::Alias*>& removed) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (removed.count(names[i]) == 0) continue;
    size_t end = i + 1;
    while (end < names.size() && removed.count(names[end]) != 0) ++end;
    if (end < names.size()) {
      replace({file_, names[i]->span.begin, names[end]->span.begin}, "");
    } else {
      MLC_CHECK(i > 0, "all names of an import are removed");
      replace({file_, names[i - 1]->span.end, names[end - 1]->span.end}, "");
    }
    i = end;
  }
}

void Rewriter::dedent(syntax::Seq<syntax::Stmt> body, uint32_t columns) {
  uint32_t end = body.back()->span.end;
  for (uint32_t start = line_start(body.front()->span.begin); start < end;) {
    dedents_[start] += columns;
    size_t next = text_.find('\n', start);
    if (next == std::string_view::npos) break;
    start = static_cast<uint32_t>(next) + 1;
  }
}

void Rewriter::leave(ir::Span span, std::string why) {
  std::string_view what = text(span);
  left_.push_back({line_of(span.begin), std::string(what.substr(0, what.find('\n'))), std::move(why)});
}

void Rewriter::report_removed(std::string_view path, ir::Span span) {
  for (const ir::ClassicName& row : ir::classic_names()) {
    if (row.kind != ir::ClassicName::Kind::kRemoved || !path.starts_with(row.from)) continue;
    if (path.size() > row.from.size() && path[row.from.size()] != '.') continue;
    return leave(span, std::string(row.to));
  }
}

namespace {

std::string trimmed(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

bool is_blank(std::string_view text) { return text.find_first_not_of(' ') == std::string_view::npos; }

}  // namespace

// Words that give way to words are named; where a line changes otherwise, all of it is.
void Rewriter::report(Fixed& fixed) const {
  for (size_t i = 0; i < edits_.size();) {
    const Edit& first = edits_[i];
    if (first.after.ends_with('\n')) {
      fixed.changes.push_back({line_of(first.begin), "", trimmed(first.after)});
      ++i;
      continue;
    }
    uint32_t begin = line_start(first.begin);
    uint32_t end = first.end;
    bool words = true;
    bool layout = true;
    size_t last = i;
    std::string now;
    uint32_t done = begin;
    for (; last < edits_.size() && line_start(edits_[last].begin) <= line_start(end); ++last) {
      const Edit& edit = edits_[last];
      std::string_view before = text_.substr(edit.begin, edit.end - edit.begin);
      words = words && edit.after.size() > 1 && before.size() > 1 && before[0] != '(' &&
              std::count(before.begin(), before.end(), '(') == std::count(before.begin(), before.end(), ')');
      layout = layout && is_blank(before) && is_blank(edit.after);
      now.append(text_.substr(done, edit.begin - done)).append(edit.after);
      done = end = edit.end;
    }
    if (words) {
      for (size_t k = i; k < last; ++k) {
        fixed.changes.push_back({line_of(edits_[k].begin),
                                 std::string(text_.substr(edits_[k].begin, edits_[k].end - edits_[k].begin)),
                                 edits_[k].after});
      }
    } else if (!layout) {
      auto stop = static_cast<uint32_t>(std::min<size_t>(text_.find_first_of("\r\n", end), text_.size()));
      now.append(text_.substr(done, stop - done));
      fixed.changes.push_back({line_of(begin), trimmed(text_.substr(begin, stop - begin)), trimmed(now)});
    }
    i = last;
  }
}

Fixed Rewriter::finish() {
  // Lines that begin inside of a string are part of its value.
  if (!dedents_.empty()) {
    for (const syntax::Lexeme& word : syntax::lexemes(file_)) {
      if (word.kind != syntax::LexemeKind::kString) continue;
      auto from = dedents_.upper_bound(word.begin);
      while (from != dedents_.end() && from->first < word.end) from = dedents_.erase(from);
    }
  }
  for (const auto& [start, columns] : dedents_) {
    uint32_t blank = 0;
    while (blank < columns && text_[start + blank] == ' ') ++blank;
    if (blank > 0) edits_.push_back({start, start + blank, {}});
  }
  std::stable_sort(edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) {
    return a.begin != b.begin ? a.begin < b.begin : (a.end == a.begin) > (b.end == b.begin);
  });
  Fixed fixed;
  uint32_t done = 0;
  for (const Edit& edit : edits_) {
    MLC_CHECK(edit.begin >= done, "two edits of the same words, at line {}", line_of(edit.begin));
    fixed.text.append(text_.substr(done, edit.begin - done)).append(edit.after);
    done = edit.end;
  }
  fixed.text.append(text_.substr(done));
  report(fixed);
  std::stable_sort(left_.begin(), left_.end(), [](const Left& a, const Left& b) { return a.line < b.line; });
  fixed.left = std::move(left_);
  return fixed;
}

}  // namespace mlc::fix
