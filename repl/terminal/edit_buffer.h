// SPDX-License-Identifier: Apache-2.0
// A text that is being typed, of one line or many: the cursor, what was cut, undo.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlc::repl {

// Positions are byte offsets on glyphs' boundaries.
class EditBuffer {
 public:
  const std::string& text() const { return text_; }
  size_t cursor() const { return cursor_; }
  bool empty() const { return text_.empty(); }
  // Another text, as an entry of the history; undo brings the old one back.
  void set(std::string text, size_t cursor);
  void set(std::string text) { set(std::move(text), std::string::npos); }
  // An empty text and no undo: the next input.
  void clear();

  void insert(std::string_view text);
  // A line's end, and the indentation that the line before it asks for.
  void new_line();
  // The text from `begin` to the cursor becomes `text`.
  void replace(size_t begin, std::string_view text);

  bool left();
  bool right();
  void word_left();
  void word_right();
  void line_begin();
  void line_end();
  void text_begin() { cursor_ = 0; }
  void text_end() { cursor_ = text_.size(); }
  bool up();    // false on the first line
  bool down();  // false on the last

  void backspace();  // a step of indentation where there is nothing else before the cursor
  void erase();
  void indent();
  void dedent();
  void transpose();

  // What these take is what `yank` puts back; several in a row collect.
  void cut_word_left();
  void cut_word_right();
  void cut_to_line_end();
  void cut_to_line_begin();
  void yank();

  bool undo();
  bool redo();

  std::string_view before_cursor() const { return std::string_view(text_).substr(0, cursor_); }
  std::string_view line() const;  // that of the cursor, without its end
  bool on_first_line() const { return before_cursor().find('\n') == std::string_view::npos; }
  bool on_last_line() const { return text_.find('\n', cursor_) == std::string::npos; }
  // The bracket that belongs to the one at or before the cursor, with it; brackets in strings and comments are text.
  std::optional<std::pair<size_t, size_t>> matching_brackets() const;

 private:
  enum class Change : uint8_t { kNone, kTyping, kCut, kOther };
  struct State {
    std::string text;
    size_t cursor;
  };
  void note(Change change);
  void cut(size_t begin, size_t end, bool at_front);
  void remove(size_t begin, size_t end);
  size_t line_start() const;
  size_t line_stop() const;
  size_t word_left_of(size_t at) const;
  size_t word_right_of(size_t at) const;
  void move(size_t to);

  std::string text_;
  size_t cursor_ = 0;
  size_t column_ = std::string::npos;  // what up and down aim at
  std::string cut_;
  std::vector<State> undo_, redo_;
  Change last_ = Change::kNone;
};

// What a new line after `before` begins with: the indentation of its last line, more behind `:` or an open bracket,
// less behind `return`, `pass` and their like.
std::string indentation_after(std::string_view before);

}  // namespace mlc::repl
