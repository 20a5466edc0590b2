// SPDX-License-Identifier: Apache-2.0
// Code points of UTF-8, and what the C library's locale C.UTF-8 says of them: class and case, one character to one.
#pragma once

#include <cstdint>
#include <string_view>

namespace mlc::script {

bool is_upper(uint32_t point);
bool is_lower(uint32_t point);
bool is_alphabetic(uint32_t point);
bool is_space(uint32_t point);
uint32_t upper_of(uint32_t point);
uint32_t lower_of(uint32_t point);
// Does repr() write it as it is?
bool printable(uint32_t point);
// Takes the first code point off the text, which is valid UTF-8.
uint32_t take_point(std::string_view& text);

}  // namespace mlc::script
