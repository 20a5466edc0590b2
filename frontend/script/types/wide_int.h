// SPDX-License-Identifier: Apache-2.0
// Integers of more than 64 bits. A value that fits into int64_t is never one of them: results are plain ints
// as soon as they fit, so that equal integers are always the same kind of value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/script/core/value.h"

namespace mlc::script {

struct WideIntNode final : ffi::Object {
  bool negative;
  std::vector<uint32_t> digits;  // of the absolute value, least first; the last is not 0
  WideIntNode(bool negative, std::vector<uint32_t> digits) : negative(negative), digits(std::move(digits)) {}
  MLC_NODE("mlc.script.int", WideIntNode, ffi::Object);
};

inline const WideIntNode* as_wide(const Any& value) {
  return value.type_index() < kTVMFFIStaticObjectBegin ? nullptr : as<WideIntNode>(value);
}

// a op b of integers (bool, int or wide), exact. Raises for division by zero, negative shifts, and what would
// not fit into memory.
Any whole_binary(syntax::BinOperator op, const Any& a, const Any& b, ir::Span span);
Any whole_negated(const Any& value);   // -a
Any whole_inverted(const Any& value);  // ~a
// a ** e modulo m, as pow() gives it, for e >= 0.
Any whole_power_modulo(const Any& base, const Any& exponent, const Any& modulus, ir::Span span);

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
Any whole_of_unsigned(uint64_t value);
// Correctly rounded; infinite beyond the range of floats.
double double_of(const WideIntNode& value);
// The same for an operator, which is refused there.
double double_of(const WideIntNode& value, ir::Span span);
// Where it is 2 ** 63 to 2 ** 64 - 1.
std::optional<uint64_t> unsigned_of(const Any& value);
int64_t bit_length_of(const WideIntNode& value);
// In two's complement, least byte first; null where it does not fit.
std::optional<std::string> bytes_of_whole(const WideIntNode& value, size_t length, bool is_signed);
Any whole_of_bytes(std::string_view least_first, bool is_signed);

}  // namespace mlc::script
