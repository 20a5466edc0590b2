// SPDX-License-Identifier: Apache-2.0
#include "repl/terminal/edit_buffer.h"

#include <algorithm>
#include <array>

#include "frontend/print/highlight.h"
#include "repl/terminal/glyphs.h"

namespace mlc::repl {

namespace {

constexpr size_t kIndent = 4;
constexpr size_t kUndos = 1000;

bool word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0;
}

size_t blanks_of(std::string_view line) { return std::min(line.find_first_not_of(" \t"), line.size()); }

std::string_view last_line_of(std::string_view text) {
  size_t end = text.rfind('\n');
  return end == std::string_view::npos ? text : text.substr(end + 1);
}

// Brackets of program text in order, those in strings and comments left out.
template <typename Visit>
void each_bracket(std::string_view text, Visit visit) {
  size_t piece = 0;
  auto pieces = print::highlighted(text);
  for (size_t i = 0; i < text.size(); ++i) {
    while (piece < pieces.size() && pieces[piece].end <= i) ++piece;
    bool inside = piece < pieces.size() && pieces[piece].begin <= i;
    if (!inside && std::string_view("()[]{}").find(text[i]) != std::string_view::npos) visit(i);
  }
}

bool opens(char c) { return c == '(' || c == '[' || c == '{'; }

}  // namespace

std::string indentation_after(std::string_view before) {
  std::vector<size_t> open;
  std::string_view line = last_line_of(before);
  std::string_view begin = line;  // where the statement of the last line begins: brackets may reach over lines
  each_bracket(before, [&](size_t at) {
    if (opens(before[at])) {
      open.push_back(at);
    } else if (!open.empty()) {
      if (before.data() + at >= line.data()) begin = last_line_of(before.substr(0, open.back() + 1));
      open.pop_back();
    }
  });
  if (!open.empty()) {
    // Within a bracket: a step from the line that opened it.
    std::string_view opening = last_line_of(before.substr(0, open.back() + 1));
    bool same_line = opening.data() + opening.size() > line.data();
    return std::string(same_line || blanks_of(line) == line.size() ? blanks_of(opening) + kIndent : blanks_of(line), ' ');
  }
  size_t end = line.size();
  for (const print::Piece& piece : print::highlighted(line))
    if (line[piece.begin] == '#') end = piece.begin;
  std::string_view code = line.substr(0, end);
  while (!code.empty() && (code.back() == ' ' || code.back() == '\t')) code.remove_suffix(1);
  size_t blanks = blanks_of(begin);
  if (code.ends_with(':')) return std::string(blanks + kIndent, ' ');
  std::string_view first = code.substr(std::min(blanks_of(code), code.size()));
  first = first.substr(0, std::min(first.find_first_of(" ("), first.size()));
  constexpr std::array kLast = std::to_array<std::string_view>({"return", "pass", "break", "continue", "raise"});
  bool leaves = std::find(kLast.begin(), kLast.end(), first) != kLast.end();
  return std::string(leaves && blanks >= kIndent ? blanks - kIndent : blanks, ' ');
}

void EditBuffer::note(Change change) {
  column_ = std::string::npos;
  bool goes_on = change == last_ && change != Change::kOther;
  last_ = change;
  if (goes_on) return;
  undo_.push_back({text_, cursor_});
  if (undo_.size() > kUndos) undo_.erase(undo_.begin());
  redo_.clear();
}

void EditBuffer::move(size_t to) {
  cursor_ = to;
  column_ = std::string::npos;
  last_ = Change::kNone;
}

void EditBuffer::set(std::string text, size_t cursor) {
  note(Change::kOther);
  text_ = std::move(text);
  cursor_ = std::min(cursor, text_.size());
}

void EditBuffer::clear() {
  text_.clear();
  undo_.clear();
  redo_.clear();
  move(0);
}

void EditBuffer::insert(std::string_view text) {
  note(Change::kTyping);
  text_.insert(cursor_, text);
  cursor_ += text.size();
}

void EditBuffer::new_line() {
  std::string indentation = indentation_after(before_cursor());
  note(Change::kOther);
  // What follows the cursor on its line moves behind the new indentation.
  size_t blanks = blanks_of(std::string_view(text_).substr(cursor_, line_stop() - cursor_));
  text_.replace(cursor_, blanks, "\n" + indentation);
  cursor_ += 1 + indentation.size();
}

void EditBuffer::replace(size_t begin, std::string_view text) {
  note(Change::kOther);
  text_.replace(begin, cursor_ - begin, text);
  cursor_ = begin + text.size();
}

void EditBuffer::remove(size_t begin, size_t end) {
  text_.erase(begin, end - begin);
  cursor_ = begin;
}

bool EditBuffer::left() {
  if (cursor_ == 0) return false;
  move(previous_boundary(text_, cursor_));
  return true;
}

bool EditBuffer::right() {
  if (cursor_ == text_.size()) return false;
  move(next_boundary(text_, cursor_));
  return true;
}

size_t EditBuffer::word_left_of(size_t at) const {
  while (at > 0 && !word_char(text_[at - 1])) --at;
  while (at > 0 && word_char(text_[at - 1])) --at;
  return at;
}

size_t EditBuffer::word_right_of(size_t at) const {
  while (at < text_.size() && !word_char(text_[at])) ++at;
  while (at < text_.size() && word_char(text_[at])) ++at;
  return at;
}

void EditBuffer::word_left() { move(word_left_of(cursor_)); }
void EditBuffer::word_right() { move(word_right_of(cursor_)); }

size_t EditBuffer::line_start() const {
  size_t end = cursor_ == 0 ? std::string::npos : text_.rfind('\n', cursor_ - 1);
  return end == std::string::npos ? 0 : end + 1;
}
size_t EditBuffer::line_stop() const { return std::min(text_.find('\n', cursor_), text_.size()); }

std::string_view EditBuffer::line() const {
  return std::string_view(text_).substr(line_start(), line_stop() - line_start());
}

// First to where the line's text begins, then to the first column.
void EditBuffer::line_begin() {
  size_t start = line_start();
  size_t code = start + blanks_of(line());
  move(cursor_ == code || code == line_stop() ? start : code);
}
void EditBuffer::line_end() { move(line_stop()); }

bool EditBuffer::up() {
  size_t start = line_start();
  if (start == 0) return false;
  size_t wanted = column_ != std::string::npos ? column_ : columns_of(before_cursor().substr(start));
  move(start - 1);
  size_t above = line_start();
  size_t column = 0;
  size_t at = above;
  while (at < start - 1 && column < wanted) {
    column += glyph_at(text_, at, column).columns;
    at = next_boundary(text_, at);
  }
  move(at);
  column_ = wanted;
  return true;
}

bool EditBuffer::down() {
  size_t stop = line_stop();
  if (stop == text_.size()) return false;
  size_t wanted = column_ != std::string::npos ? column_ : columns_of(before_cursor().substr(line_start()));
  move(stop + 1);
  size_t end = line_stop();
  size_t column = 0;
  size_t at = stop + 1;
  while (at < end && column < wanted) {
    column += glyph_at(text_, at, column).columns;
    at = next_boundary(text_, at);
  }
  move(at);
  column_ = wanted;
  return true;
}

void EditBuffer::backspace() {
  if (cursor_ == 0) return;
  note(Change::kOther);
  std::string_view before = before_cursor().substr(line_start());
  bool spaces = !before.empty() && before.find_first_not_of(' ') == std::string_view::npos;
  size_t count = spaces ? (before.size() - 1) % kIndent + 1 : 0;
  remove(spaces ? cursor_ - count : previous_boundary(text_, cursor_), cursor_);
}

void EditBuffer::erase() {
  if (cursor_ == text_.size()) return;
  note(Change::kOther);
  remove(cursor_, next_boundary(text_, cursor_));
}

void EditBuffer::indent() {
  size_t column = columns_of(before_cursor().substr(line_start()));
  insert(std::string(kIndent - column % kIndent, ' '));
}

void EditBuffer::dedent() {
  size_t start = line_start();
  size_t blanks = std::min(std::string_view(text_).substr(start).find_first_not_of(' '), text_.size() - start);
  if (blanks == 0) return;
  note(Change::kOther);
  size_t count = (blanks - 1) % kIndent + 1;
  size_t cursor = cursor_ >= start + count ? cursor_ - count : start;
  text_.erase(start, count);
  cursor_ = cursor;
}

// The glyphs on either side of the cursor, or the last two of the line.
void EditBuffer::transpose() {
  size_t middle = cursor_ == line_stop() ? previous_boundary(text_, cursor_) : cursor_;
  if (middle <= line_start()) return;
  size_t begin = previous_boundary(text_, middle);
  size_t end = next_boundary(text_, middle);
  note(Change::kOther);
  std::rotate(text_.begin() + static_cast<ptrdiff_t>(begin), text_.begin() + static_cast<ptrdiff_t>(middle),
              text_.begin() + static_cast<ptrdiff_t>(end));
  cursor_ = end;
}

void EditBuffer::cut(size_t begin, size_t end, bool at_front) {
  if (begin == end) return;
  bool collects = last_ == Change::kCut;
  note(Change::kCut);
  std::string piece = text_.substr(begin, end - begin);
  cut_ = !collects ? piece : at_front ? piece + cut_ : cut_ + piece;
  remove(begin, end);
}

void EditBuffer::cut_word_left() { cut(word_left_of(cursor_), cursor_, true); }
void EditBuffer::cut_word_right() { cut(cursor_, word_right_of(cursor_), false); }
void EditBuffer::cut_to_line_begin() { cut(line_start(), cursor_, true); }
// At the end of a line the end itself.
void EditBuffer::cut_to_line_end() {
  size_t stop = line_stop();
  cut(cursor_, stop == cursor_ ? next_boundary(text_, stop) : stop, false);
}

void EditBuffer::yank() {
  if (cut_.empty()) return;
  note(Change::kOther);
  text_.insert(cursor_, cut_);
  cursor_ += cut_.size();
}

bool EditBuffer::undo() {
  if (undo_.empty()) return false;
  redo_.push_back({text_, cursor_});
  State state = std::move(undo_.back());
  undo_.pop_back();
  text_ = std::move(state.text);
  move(state.cursor);
  return true;
}

bool EditBuffer::redo() {
  if (redo_.empty()) return false;
  undo_.push_back({text_, cursor_});
  State state = std::move(redo_.back());
  redo_.pop_back();
  text_ = std::move(state.text);
  move(state.cursor);
  return true;
}

std::optional<std::pair<size_t, size_t>> EditBuffer::matching_brackets() const {
  auto is_bracket = [&](size_t at) {
    return at < text_.size() && std::string_view("()[]{}").find(text_[at]) != std::string_view::npos;
  };
  if (!is_bracket(cursor_ - 1) && !is_bracket(cursor_)) return std::nullopt;
  std::vector<size_t> open;
  std::vector<std::pair<size_t, size_t>> pairs;
  each_bracket(text_, [&](size_t at) {
    if (opens(text_[at])) {
      open.push_back(at);
    } else if (!open.empty()) {
      pairs.emplace_back(open.back(), at);
      open.pop_back();
    }
  });
  // The one before the cursor first: it is what was just typed.
  for (size_t at : {cursor_ - 1, cursor_})
    for (const auto& pair : pairs)
      if (pair.first == at || pair.second == at) return pair;
  return std::nullopt;
}

}  // namespace mlc::repl
