// SPDX-License-Identifier: Apache-2.0
#include "repl/terminal/screen.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "frontend/print/highlight.h"
#include "repl/terminal/glyphs.h"

namespace mlc::repl {

namespace {

constexpr size_t kUsualColumns = 80;
constexpr size_t kUsualRows = 24;

std::pair<size_t, size_t> size_of(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return {kUsualColumns, kUsualRows};
  return {size.ws_col, std::max<size_t>(size.ws_row, 2)};
}

std::string up(size_t rows) { return rows == 0 ? "" : fmt::format("\x1b[{}A", rows); }

}  // namespace

size_t Screen::columns() const { return size_of(descriptor_).first; }

void Screen::send(const std::string& bytes) const {
  for (size_t sent = 0; sent < bytes.size();) {
    ssize_t count = write(descriptor_, bytes.data() + sent, bytes.size() - sent);
    if (count > 0) {
      sent += static_cast<size_t>(count);
    } else if (errno != EINTR) {
      return;
    }
  }
}

Screen::Rows Screen::layout(const View& view, size_t columns) const {
  Rows made;
  std::string row;
  size_t column = 0;
  auto finish_row = [&] {
    made.rows.push_back(std::exchange(row, ""));
    column = 0;
  };
  auto prompt = [&](const std::string& text) {
    row += colour_ ? fmt::format("{}{}{}", print::colour_of(print::Role::kPrompt), text, print::kColourReset) : text;
    column = columns_of(text);
  };
  bool is_command = view.text.starts_with(':') || view.text.starts_with('?');
  std::vector<print::Piece> pieces;
  if (colour_ && !is_command) pieces = print::highlighted(view.text);
  size_t piece = 0;
  size_t line_column = 0;  // tabs count from where the line's text begins
  prompt(view.prompt);
  std::string_view text = view.text;
  for (size_t at = 0;;) {
    if (at == view.cursor) {
      // Behind a full row the cursor is at the beginning of the next.
      if (column >= columns) finish_row();
      made.row = made.rows.size();
      made.column = column;
    }
    if (at >= text.size()) break;
    if (text[at] == '\n') {
      finish_row();
      prompt(view.continuation);
      line_column = 0;
      ++at;
      continue;
    }
    Glyph glyph = glyph_at(text, at, line_column);
    if (column + glyph.columns > columns && glyph.columns <= columns) finish_row();
    if (at == view.cursor && column == 0) {
      made.row = made.rows.size();
      made.column = 0;
    }
    while (piece < pieces.size() && pieces[piece].end <= at) ++piece;
    std::string_view colour;
    if (piece < pieces.size() && pieces[piece].begin <= at) colour = print::colour_of(pieces[piece].role);
    bool bracket = view.brackets && (view.brackets->first == at || view.brackets->second == at);
    if (bracket && colour_) colour = print::colour_of(print::Role::kBracket);
    row += colour;
    glyph.shown.empty() ? row.append(text, at, glyph.size) : row.append(glyph.shown);
    if (!colour.empty()) row += print::kColourReset;
    column += glyph.columns;
    line_column += glyph.columns;
    at += glyph.size;
  }
  finish_row();
  made.inputs = made.rows.size();
  for (const std::string& below : view.below) made.rows.push_back(below);
  return made;
}

void Screen::paint(const View& view) {
  auto [columns, height] = size_of(descriptor_);
  Rows wanted = layout(view, columns);
  // What does not fit is cut: rows below the input first, then those that are far from the cursor.
  if (wanted.rows.size() > height) {
    size_t inputs = std::min(wanted.inputs, height);
    size_t first = wanted.inputs <= height ? 0 : std::min(wanted.row - std::min(wanted.row, height / 2), wanted.inputs - height);
    std::vector<std::string> rows(wanted.rows.begin() + static_cast<ptrdiff_t>(first),
                                  wanted.rows.begin() + static_cast<ptrdiff_t>(first + inputs));
    for (size_t i = wanted.inputs; i < wanted.rows.size() && rows.size() < height; ++i) rows.push_back(wanted.rows[i]);
    wanted.rows = std::move(rows);
    wanted.row -= first;
    wanted.inputs = inputs;
  }
  std::string bytes = "\x1b[?25l" + up(row_) + "\r";
  for (size_t i = 0; i < wanted.rows.size(); ++i) {
    if (i > 0) bytes += "\r\n";
    // Erased before it is written: behind a full row the cursor still stands on its last column.
    if (i >= rows_.size() || rows_[i] != wanted.rows[i]) bytes += "\x1b[K" + wanted.rows[i];
  }
  if (rows_.size() > wanted.rows.size()) bytes += fmt::format("\r\n\x1b[J{}", up(1));
  bytes += up(wanted.rows.size() - 1 - wanted.row) + "\r";
  if (wanted.column > 0) bytes += fmt::format("\x1b[{}C", wanted.column);
  bytes += "\x1b[?25h";
  send(bytes);
  rows_ = std::move(wanted.rows);
  row_ = wanted.row;
  last_input_ = wanted.inputs - 1;
  shown_ = view;
}

void Screen::leave(std::string_view behind) {
  View view = shown_;
  view.below.clear();
  view.brackets.reset();
  view.cursor = view.text.size();
  paint(view);
  std::string bytes(behind);
  send(bytes + "\r\n");
  forget();
}

void Screen::forget() {
  rows_.clear();
  row_ = 0;
}

void Screen::clear() {
  send("\x1b[H\x1b[2J");
  forget();
}

void Screen::resized() {
  // Terminals break rows anew at another width; the cursor stays with its text.
  Rows now = layout(shown_, columns());
  send(up(now.row) + "\r\x1b[J");
  forget();
}

void Screen::beep() { send("\a"); }

}  // namespace mlc::repl
