// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/types/letters.h"

#include <locale.h>
#include <wctype.h>

#include <algorithm>

#include "frontend/script/core/machine.h"

namespace mlc::script {

namespace {

// The process itself runs in the locale C, where numbers have a point and only ASCII has letters.
locale_t utf8() {
  static locale_t made = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return made;
}
bool ascii_upper(uint32_t point) { return point >= 'A' && point <= 'Z'; }
bool ascii_lower(uint32_t point) { return point >= 'a' && point <= 'z'; }

}  // namespace

bool is_upper(uint32_t point) {
  return point < 0x80 ? ascii_upper(point) : utf8() != nullptr && iswupper_l(point, utf8()) != 0;
}
bool is_lower(uint32_t point) {
  return point < 0x80 ? ascii_lower(point) : utf8() != nullptr && iswlower_l(point, utf8()) != 0;
}
bool is_alphabetic(uint32_t point) {
  if (point < 0x80) return ascii_upper(point) || ascii_lower(point);
  return utf8() != nullptr && iswalpha_l(point, utf8()) != 0;
}
uint32_t upper_of(uint32_t point) {
  if (point < 0x80) return ascii_lower(point) ? point - 32 : point;
  return utf8() == nullptr ? point : towupper_l(point, utf8());
}
uint32_t lower_of(uint32_t point) {
  if (point < 0x80) return ascii_upper(point) ? point + 32 : point;
  return utf8() == nullptr ? point : towlower_l(point, utf8());
}

bool printable(uint32_t point) {
  if (point < 0x80) return point >= 0x20 && point < 0x7f;
  bool unseen = point == 0xAD || (point >= 0x200B && point <= 0x200F) ||
                (point >= 0x202A && point <= 0x202E) || (point >= 0x2060 && point <= 0x206F) ||
                point == 0xFEFF;
  return !unseen && !is_space(point) && utf8() != nullptr && iswprint_l(point, utf8()) != 0;
}

bool is_space(uint32_t point) {
  if (point < 0x80)
    return point == ' ' || (point >= '\t' && point <= '\r') || (point >= 0x1C && point <= 0x1F);
  return point == 0x85 || point == 0xA0 || point == 0x1680 || (point >= 0x2000 && point <= 0x200A) ||
         point == 0x2028 || point == 0x2029 || point == 0x202F || point == 0x205F || point == 0x3000;
}

void append_utf8(std::string& text, uint32_t point) {
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += static_cast<char>(0xC0 | point >> 6);
    text += static_cast<char>(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    text += static_cast<char>(0xE0 | point >> 12);
    text += static_cast<char>(0x80 | (point >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (point & 0x3F));
  } else {
    text += static_cast<char>(0xF0 | point >> 18);
    text += static_cast<char>(0x80 | (point >> 12 & 0x3F));
    text += static_cast<char>(0x80 | (point >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (point & 0x3F));
  }
}

uint32_t take_point(std::string_view& text) {
  auto c = static_cast<unsigned char>(text[0]);
  size_t size = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
  size = std::min(size, text.size());
  uint32_t point = size == 1 ? c : c & (0xFFu >> (size + 1));
  for (size_t i = 1; i < size; ++i) point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3F);
  text.remove_prefix(size);
  return point;
}

}  // namespace mlc::script
