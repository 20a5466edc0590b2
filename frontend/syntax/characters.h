// SPDX-License-Identifier: Apache-2.0
// Classes of characters, and as much of UTF-8 as the lexer and the error renderer need.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mlc::syntax {

namespace detail {
enum : uint8_t { kNameStart = 1, kNamePart = 2, kDigit = 4, kHexDigit = 8 };
constexpr std::array<uint8_t, 256> make_classes() {
  std::array<uint8_t, 256> table{};
  for (size_t c = 0; c < 256; ++c) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    bool digit = c >= '0' && c <= '9';
    // Bytes of UTF-8 sequences start a name here; which code points may is decided where they are decoded.
    if (letter || c >= 0x80) table[c] |= kNameStart;
    if (letter || digit) table[c] |= kNamePart;
    if (digit) table[c] |= kDigit;
    if (digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) table[c] |= kHexDigit;
  }
  return table;
}
inline constexpr std::array<uint8_t, 256> kClasses = make_classes();
}  // namespace detail

inline bool has_class(char c, uint8_t mask) {
  return (detail::kClasses[static_cast<unsigned char>(c)] & mask) != 0;
}
inline bool is_name_start(char c) { return has_class(c, detail::kNameStart); }
inline bool is_name_part(char c) { return has_class(c, detail::kNamePart); }
inline bool is_digit(char c) { return has_class(c, detail::kDigit); }
inline bool is_hex_digit(char c) { return has_class(c, detail::kHexDigit); }
inline uint32_t hex_value(char c) {
  return static_cast<uint32_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

struct CodePoint {
  uint32_t value;
  uint32_t size;  // bytes, at least 1
};
// The code point at `at` of a text that is known to be UTF-8.
CodePoint decode_utf8(std::string_view text, size_t at);
// The offset of the first byte that is not part of well-formed UTF-8, or the size.
size_t first_invalid_utf8(std::string_view text);
// At most `bytes` of `text`, not ending inside a code point.
std::string_view whole_code_points(std::string_view text, size_t bytes);

// Letters, digits and marks outside ASCII; close to Python's rule, by blocks instead of by character.
bool is_name_code_point(uint32_t c);
bool is_invisible(uint32_t c);
bool is_curly_quote(uint32_t c);
bool is_string_prefix(std::string_view word);

}  // namespace mlc::syntax
