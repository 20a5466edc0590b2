// SPDX-License-Identifier: Apache-2.0
#include "repl/lsp/text.h"

#include <algorithm>

namespace mlc::lsp {

namespace {

// How many bytes and how many units of UTF-16 the character at `text[0]` has.
size_t bytes_of(std::string_view text) {
  auto first = static_cast<unsigned char>(text[0]);
  size_t count = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  return std::min(count, text.size());
}
uint32_t units_of(size_t bytes) { return bytes == 4 ? 2 : 1; }

}  // namespace

Text::Text(std::string text) : text_(std::move(text)) { count_lines(); }

void Text::count_lines() {
  starts_.assign(1, 0);
  for (size_t at = text_.find_first_of("\r\n"); at != std::string::npos;
       at = text_.find_first_of("\r\n", at)) {
    at += text_.compare(at, 2, "\r\n") == 0 ? 2 : 1;
    starts_.push_back(static_cast<uint32_t>(at));
  }
}

std::string_view Text::line(size_t line) const {
  size_t end = line + 1 < starts_.size() ? starts_[line + 1] : text_.size();
  std::string_view found = std::string_view(text_).substr(starts_[line], end - starts_[line]);
  while (found.ends_with('\n') || found.ends_with('\r')) found.remove_suffix(1);
  return found;
}

size_t Text::line_of(size_t offset) const {
  auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  return static_cast<size_t>(after - starts_.begin()) - 1;
}

size_t Text::offset(Position place) const {
  if (place.line >= starts_.size()) return text_.size();
  std::string_view rest = line(place.line);
  size_t offset = starts_[place.line];
  for (uint32_t units = 0; !rest.empty();) {
    size_t bytes = bytes_of(rest);
    units += units_of(bytes);
    if (units > place.character) break;
    rest.remove_prefix(bytes);
    offset += bytes;
  }
  return offset;
}

Position Text::place(size_t offset) const {
  offset = std::min(offset, text_.size());
  size_t line = line_of(offset);
  std::string_view before = std::string_view(text_).substr(starts_[line], offset - starts_[line]);
  Position place{static_cast<uint32_t>(line), 0};
  while (!before.empty()) {
    size_t bytes = bytes_of(before);
    place.character += units_of(bytes);
    before.remove_prefix(bytes);
  }
  return place;
}

void Text::replace(size_t begin, size_t end, std::string_view with) {
  text_.replace(begin, std::max(begin, end) - begin, with);
  count_lines();
}

}  // namespace mlc::lsp
