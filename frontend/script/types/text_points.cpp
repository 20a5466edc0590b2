// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/types/text_points.h"

#include <algorithm>
#include <array>

namespace mlc::script {

static bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

size_t advanced(std::string_view text, size_t at, int64_t points) {
  for (; points > 0 && at < text.size(); --points) {
    ++at;
    while (at < text.size() && continues(text[at])) ++at;
  }
  return at;
}

size_t utf8_length(std::string_view text) {
  return text.size() - static_cast<size_t>(std::ranges::count_if(text, continues));
}

TextPoints::TextPoints(std::string_view text) : text_(text), size_(static_cast<int64_t>(utf8_length(text))) {
  if (static_cast<size_t>(size_) == text.size()) return;
  for (size_t at = 0; at < text.size(); at = advanced(text, at, kStep)) marks_.push_back(at);
}

size_t TextPoints::byte(int64_t point) const {
  if (marks_.empty()) return static_cast<size_t>(point);
  size_t mark = std::min(static_cast<size_t>(point / kStep), marks_.size() - 1);
  return advanced(text_, marks_[mark], point - static_cast<int64_t>(mark) * kStep);
}

int64_t TextPoints::point(size_t byte) const {
  if (marks_.empty()) return static_cast<int64_t>(byte);
  auto mark = std::prev(std::ranges::upper_bound(marks_, byte));
  return (mark - marks_.begin()) * kStep +
         static_cast<int64_t>(utf8_length(text_.substr(*mark, byte - *mark)));
}

std::shared_ptr<const TextPoints> points_of(const Any& text) {
  std::string_view all = text_of(text);
  if (all.size() < 256 || all.size() > size_t{1} << 24) return std::make_shared<TextPoints>(all);
  // The last one first; alive, so that no other text comes to lie where one does.
  static thread_local std::array<std::pair<Any, std::shared_ptr<const TextPoints>>, 4> known;
  auto found = std::ranges::find_if(
      known, [&](const auto& one) { return one.second && text_of(one.first).data() == all.data(); });
  if (found == known.end()) *--found = {text, std::make_shared<TextPoints>(all)};
  std::rotate(known.begin(), found, found + 1);
  return known[0].second;
}

int64_t text_length(const Any& text) {
  std::string_view all = text_of(text);
  return all.size() < 256 ? static_cast<int64_t>(utf8_length(all)) : points_of(text)->size();
}

std::string_view text_slice(const Any& text, int64_t first, int64_t count) {
  auto points = points_of(text);
  size_t begin = points->byte(first);
  return text_of(text).substr(begin, points->byte(first + count) - begin);
}

}  // namespace mlc::script
