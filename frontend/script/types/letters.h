// SPDX-License-Identifier: Apache-2.0
// What Unicode says of characters: Latin up to Extended-B, IPA, Greek, Cyrillic, and the blocks without case
// that scripts meet (kana, hangul, symbols). Others are not known, and who asks for their case must refuse.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mlc::script {

enum CharacterFlag : uint16_t {
  kUpperCase = 1,
  kLowerCase = 2,
  kTitleCase = 4,
  kAlphabetic = 8,
  kDecimalDigit = 16,
  kDigit = 32,
  kNumeric = 64,
  kSpace = 128,
  kUnprintable = 256,
  kIdentifierStart = 512,
  kIdentifierPart = 1024,  // behind the first character only
  kCaseIgnorable = 2048,   // does not end a word for the final sigma
};

struct Character {
  uint32_t point = 0;
  uint16_t flags = 0;
  uint32_t upper = 0;
  uint32_t lower = 0;
  bool is(uint16_t any) const { return (flags & any) != 0; }
  bool cased() const { return is(kUpperCase | kLowerCase | kTitleCase); }
};

// Nothing for characters that are not known.
std::optional<Character> character(uint32_t point);
// Of every character, known or not: does repr() write it as it is?
bool printable(uint32_t point);
bool is_space(uint32_t point);
// By the general category (regex.cpp).
bool is_other_or_separator(uint32_t point);
bool is_decimal_digit(uint32_t point);
// Takes the first code point off the text, which is valid UTF-8.
uint32_t take_point(std::string_view& text);

void append_upper(std::string& text, const Character& c);
void append_title(std::string& text, const Character& c);
void append_lower(std::string& text, const Character& c);  // without the rule of the final sigma
void append_folded(std::string& text, const Character& c);

}  // namespace mlc::script
