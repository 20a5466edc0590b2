// SPDX-License-Identifier: Apache-2.0
// What a terminal shows of UTF-8 text, whatever the locale: grapheme clusters and the columns they take (Unicode's
// tables are utf8proc's).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlc::repl {

// One cluster: a letter with what combines with it, an emoji of several code points, a tab.
struct Glyph {
  size_t begin = 0;  // bytes of the text
  size_t size = 0;
  size_t columns = 0;
  std::string shown = {};  // where it is not the bytes themselves: `^A`, `\xff`; "" where it is
};

// The first glyph of text[begin:]; begin < text.size(). A newline has no column. A tab takes the columns to the next
// multiple of eight from `column`, counted from the beginning of the line's text.
Glyph glyph_at(std::string_view text, size_t begin, size_t column);
std::vector<Glyph> glyphs_of(std::string_view text);

// Byte offsets of the boundaries beside `at`; the ends of the text at its ends.
size_t next_boundary(std::string_view text, size_t at);
size_t previous_boundary(std::string_view text, size_t at);

size_t columns_of(std::string_view text);

// As many glyphs from the front as fit in `columns`, `...` at the end where some do not.
std::string cut_to(std::string_view text, size_t columns);

}  // namespace mlc::repl
