// SPDX-License-Identifier: Apache-2.0
// Code points and bytes of texts. Long texts are counted once: those used last are remembered.
#pragma once

#include <memory>

#include "frontend/script/core/machine.h"

namespace mlc::script {

class TextPoints {
 public:
  explicit TextPoints(std::string_view text);
  int64_t size() const { return size_; }
  size_t byte(int64_t point) const;
  int64_t point(size_t byte) const;

 private:
  static constexpr int64_t kStep = 64;
  std::string_view text_;
  int64_t size_;
  std::vector<size_t> marks_;  // the byte of every kStep-th code point; none where bytes are code points
};
std::shared_ptr<const TextPoints> points_of(const Any& text);

// The byte so many code points behind `at`, or the end.
size_t advanced(std::string_view text, size_t at, int64_t points);
int64_t text_length(const Any& text);
// The code points [first, first + count).
std::string_view text_slice(const Any& text, int64_t first, int64_t count);

}  // namespace mlc::script
