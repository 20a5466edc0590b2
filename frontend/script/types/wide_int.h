// SPDX-License-Identifier: Apache-2.0
// Integers of more than 64 bits, up to 128: unsigned constants of the IR, hashes and masks. A value that fits into
// int64_t is never one of them: results are plain ints as soon as they fit, so that equal integers are always the
// same kind of value. What has more bits is refused.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "frontend/script/core/value.h"

namespace mlc::script {

struct WideIntNode final : ffi::Object {
  bool negative;
  uint64_t high, low;  // of the absolute value
  WideIntNode(bool negative, unsigned __int128 magnitude)
      : negative(negative), high(static_cast<uint64_t>(magnitude >> 64)), low(static_cast<uint64_t>(magnitude)) {}
  unsigned __int128 magnitude() const { return static_cast<unsigned __int128>(high) << 64 | low; }
  MLC_NODE("mlc.script.int", WideIntNode, ffi::Object);
};

inline const WideIntNode* as_wide(const Any& value) {
  return value.type_index() < kTVMFFIStaticObjectBegin ? nullptr : as<WideIntNode>(value);
}

// a op b of integers (bool, int or wide), exact. Raises for division by zero, negative shifts, and what would
// have more than 128 bits.
Any whole_binary(syntax::BinOperator op, const Any& a, const Any& b, ir::Span span);
Any whole_negated(const Any& value);   // -a
Any whole_inverted(const Any& value);  // ~a

// Less than 0, 0, more than 0 as a is less than b, equal, greater.
int compare_whole(const Any& a, const Any& b);
// The same with a float; 2 where it is NaN.
int compare_whole(const Any& a, double b);

// The absolute value in base 2, 8, 10 or 16.
std::string magnitude_text(const Any& value, int base);
std::string whole_text(const Any& value);  // in base 10, with its sign
// Digits in a base of 2 to 36, of which there is at least one.
Any whole_of_text(std::string_view digits, int base, bool negative);
Any whole_of_double(double whole);  // finite and integral
Any whole_of_float(double real, ir::Span span);  // rounded towards zero; refuses NaN and infinity
Any whole_of_unsigned(uint64_t value);
double double_of(const WideIntNode& value);  // correctly rounded
// Where it is 2 ** 63 to 2 ** 64 - 1.
std::optional<uint64_t> unsigned_of(const Any& value);
int64_t bit_length_of(const WideIntNode& value);
// In two's complement, least byte first; null where it does not fit.
std::optional<std::string> bytes_of_whole(const WideIntNode& value, size_t length, bool is_signed);
Any whole_of_bytes(std::string_view least_first, bool is_signed);

}  // namespace mlc::script
