// SPDX-License-Identifier: Apache-2.0
#include "repl/terminal/glyphs.h"

#include <fmt/format.h>
#include <utf8proc.h>

namespace mlc::repl {

namespace {

constexpr size_t kTab = 8;
constexpr utf8proc_int32_t kVariationEmoji = 0xfe0f;  // asks for the picture, two columns wide

// The code point at `begin`, -1 where the bytes are none; `size` is what it takes, at least one byte.
utf8proc_int32_t code_point(std::string_view text, size_t begin, size_t& size) {
  utf8proc_int32_t code = -1;
  auto bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  utf8proc_ssize_t taken =
      utf8proc_iterate(bytes + begin, static_cast<utf8proc_ssize_t>(text.size() - begin), &code);
  size = taken > 0 ? static_cast<size_t>(taken) : 1;
  return taken > 0 ? code : -1;
}

}  // namespace

Glyph glyph_at(std::string_view text, size_t begin, size_t column) {
  auto is_ascii = [&](size_t at) { return (text[at] & 0x80) == 0; };
  bool stands_alone = begin + 1 == text.size() || is_ascii(begin + 1);  // what combines with it is not ASCII
  if (is_ascii(begin) && text[begin] >= ' ' && text[begin] != '\x7f' && stands_alone)
    return {.begin = begin, .size = 1, .columns = 1};
  size_t size = 0;
  utf8proc_int32_t code = code_point(text, begin, size);
  Glyph glyph{.begin = begin, .size = size};
  auto byte = static_cast<unsigned char>(text[begin]);
  if (code < 0) {
    glyph.shown = fmt::format("\\x{:02x}", byte);
  } else if (code == '\n') {
    return glyph;
  } else if (code == '\t') {
    glyph.shown = std::string(kTab - column % kTab, ' ');
  } else if (code < 0x20 || code == 0x7f) {
    glyph.shown = fmt::format("^{}", static_cast<char>(code ^ 0x40));
  } else if (utf8proc_category(code) == UTF8PROC_CATEGORY_CC || utf8proc_category(code) == UTF8PROC_CATEGORY_CF) {
    // What turns the direction of a line, or takes no room at all, is shown by its number.
    glyph.shown = fmt::format("\\u{:04x}", code);
  }
  if (!glyph.shown.empty()) {
    glyph.columns = glyph.shown.size();
    return glyph;
  }
  glyph.columns = static_cast<size_t>(std::max(utf8proc_charwidth(code), 0));
  utf8proc_int32_t state = 0;
  for (size_t at = begin + size; at < text.size(); at += size) {
    utf8proc_int32_t next = code_point(text, at, size);
    if (next < 0 || utf8proc_grapheme_break_stateful(code, next, &state)) break;
    glyph.size = at + size - begin;
    glyph.columns = std::max(glyph.columns, static_cast<size_t>(std::max(utf8proc_charwidth(next), 0)));
    if (next == kVariationEmoji) glyph.columns = 2;
    code = next;
  }
  if (glyph.columns == 0) {  // a mark without its letter
    glyph.shown = " " + std::string(text.substr(begin, glyph.size));
    glyph.columns = 1;
  }
  return glyph;
}

std::vector<Glyph> glyphs_of(std::string_view text) {
  std::vector<Glyph> glyphs;
  size_t column = 0;
  for (size_t at = 0; at < text.size();) {
    glyphs.push_back(glyph_at(text, at, column));
    const Glyph& glyph = glyphs.back();
    column = text[at] == '\n' ? 0 : column + glyph.columns;
    at += glyph.size;
  }
  return glyphs;
}

size_t next_boundary(std::string_view text, size_t at) {
  return at >= text.size() ? text.size() : at + glyph_at(text, at, 0).size;
}

size_t previous_boundary(std::string_view text, size_t at) {
  if (at == 0) return 0;
  // Clusters do not reach over a line's end.
  size_t line = text.rfind('\n', at - 1);
  size_t from = line == std::string_view::npos ? 0 : line + 1;
  if (from == at) return at - 1;
  while (next_boundary(text, from) < at) from = next_boundary(text, from);
  return from;
}

size_t columns_of(std::string_view text) {
  size_t columns = 0;
  for (const Glyph& glyph : glyphs_of(text)) columns += glyph.columns;
  return columns;
}

std::string cut_to(std::string_view text, size_t columns) {
  constexpr std::string_view kRest = "...";
  bool whole = columns_of(text) <= columns;
  if (!whole && columns < kRest.size()) return std::string(columns, '.');
  std::string cut;
  size_t taken = 0;
  for (const Glyph& glyph : glyphs_of(text)) {
    if (!whole && taken + glyph.columns > columns - kRest.size()) break;
    taken += glyph.columns;
    // Names may hold anything: the terminal obeys none of it.
    cut += glyph.shown.empty() ? text.substr(glyph.begin, glyph.size) : glyph.shown;
  }
  return whole ? cut : cut.append(kRest);
}

}  // namespace mlc::repl
