// SPDX-License-Identifier: Apache-2.0
#include "frontend/syntax/characters.h"

#include <cstring>
#include <string>

namespace mlc::syntax {

CodePoint decode_utf8(std::string_view text, size_t at) {
  auto byte = [&](size_t i) -> uint32_t {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
  };
  uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  if (first < 0xE0) return {(first & 0x1F) << 6 | (byte(1) & 0x3F), 2};
  if (first < 0xF0) return {(first & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F), 3};
  return {(first & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F), 4};
}

size_t first_invalid_utf8(std::string_view text) {
  size_t at = 0;
  size_t size = text.size();
  while (at < size) {
    if (at + 8 <= size) {  // eight ASCII bytes at once
      uint64_t word = 0;
      std::memcpy(&word, text.data() + at, 8);
      if ((word & 0x8080808080808080ULL) == 0) {
        at += 8;
        continue;
      }
    }
    auto first = static_cast<unsigned char>(text[at]);
    if (first < 0x80) {
      ++at;
      continue;
    }
    size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                    : (first & 0xF0) == 0xE0         ? 3
                    : first >= 0xF0 && first <= 0xF4 ? 4
                                                     : 0;
    if (length == 0 || at + length > size) return at;
    for (size_t i = 1; i < length; ++i) {
      if ((static_cast<unsigned char>(text[at + i]) & 0xC0) != 0x80) return at;
    }
    uint32_t value = decode_utf8(text, at).value;
    bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
    bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (overlong || surrogate || value > 0x10FFFF) return at;
    at += length;
  }
  return size;
}

std::string_view whole_code_points(std::string_view text, size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

bool is_name_code_point(uint32_t c) {
  struct Block {
    uint32_t first;
    uint32_t last;
  };
  static constexpr Block kBlocks[] = {
      {0xAA, 0xAA},     {0xB5, 0xB5},     {0xBA, 0xBA},       {0xC0, 0xD6},       {0xD8, 0xF6},
      {0xF8, 0x37D},    {0x37F, 0x1FFF},  {0x2071, 0x2071},   {0x207F, 0x207F},   {0x2090, 0x209C},
      {0x2102, 0x2139}, {0x213C, 0x2149}, {0x2C00, 0x2DFF},   {0x3005, 0x3007},   {0x3041, 0xD7FF},
      {0xF900, 0xFD3D}, {0xFD50, 0xFDFB}, {0xFE70, 0xFEFC},   {0xFF10, 0xFF19},   {0xFF21, 0xFF3A},
      {0xFF41, 0xFF5A}, {0xFF66, 0xFFDC}, {0x10000, 0x1EFFF}, {0x20000, 0x3FFFF},
  };
  for (const Block& block : kBlocks) {
    if (c <= block.last) return c >= block.first;
  }
  return false;
}

bool is_invisible(uint32_t c) {
  return (c >= 0x80 && c <= 0xA0) || c == 0xAD || (c >= 0x2000 && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202F) || (c >= 0x205F && c <= 0x206F) || c == 0x3000 || c == 0xFEFF;
}

bool is_curly_quote(uint32_t c) { return (c >= 0x2018 && c <= 0x201F) || c == 0xAB || c == 0xBB; }

bool is_string_prefix(std::string_view word) {
  if (word.size() > 2) return false;
  std::string lower;
  for (char c : word) lower += static_cast<char>(c | 0x20);
  return lower == "r" || lower == "b" || lower == "u" || lower == "f" || lower == "rb" || lower == "br" ||
         lower == "rf" || lower == "fr";
}

}  // namespace mlc::syntax
