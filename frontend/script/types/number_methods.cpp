// SPDX-License-Identifier: Apache-2.0
// Methods and attributes of int and float.
#include <algorithm>
#include <bit>
#include <cmath>

#include "frontend/script/core/machine.h"
#include "frontend/script/types/wide_int.h"

namespace mlc::script {
namespace {

uint64_t magnitude_of(int64_t value) {
  return value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}
Any bit_length(Evaluator&, const Arguments& args) {
  if (auto* wide = as_wide(args[0])) return bit_length_of(*wide);
  return static_cast<int64_t>(std::bit_width(magnitude_of(raw_int(args[0]))));
}
Any bit_count(Evaluator&, const Arguments& args) {
  if (auto* wide = as_wide(args[0])) {
    int64_t count = 0;
    for (uint32_t digit : wide->digits) count += std::popcount(digit);
    return count;
  }
  return static_cast<int64_t>(std::popcount(magnitude_of(raw_int(args[0]))));
}
Any is_integer(Evaluator&, const Arguments& args) {
  double value = raw_float(args[0]);
  return std::isfinite(value) && value == std::floor(value);
}
Any conjugate(Evaluator&, const Arguments& args) {
  return is_bool(args[0]) ? Any(raw_int(args[0])) : args[0];
}
Any int_ratio(Evaluator&, const Arguments& args) {
  if (as_wide(args[0]) != nullptr) return Tuple{args[0], int64_t{1}};
  return Tuple{raw_int(args[0]), int64_t{1}};
}

Any float_ratio(Evaluator&, const Arguments& args) {
  double value = raw_float(args[0]);
  if (std::isnan(value))
    raise("ValueError", args.span, "not-a-number", "cannot convert NaN to integer ratio");
  if (std::isinf(value))
    raise("OverflowError", args.span, "integer-overflow", "cannot convert Infinity to integer ratio");
  int exponent = 0;
  double fraction = std::frexp(value, &exponent);
  while (fraction != std::floor(fraction)) {
    fraction *= 2;
    --exponent;
  }
  auto numerator = static_cast<int64_t>(fraction);  // at most 53 bits
  if (numerator == 0) return Tuple{int64_t{0}, int64_t{1}};
  int width = std::bit_width(magnitude_of(numerator));
  if (exponent + width > 63 || exponent < -62) {
    auto scaled = [&](int64_t whole, int by) {
      return whole_binary(syntax::BinOperator::kLShift, whole, int64_t{by}, args.span);
    };
    return exponent >= 0 ? Tuple{scaled(numerator, exponent), int64_t{1}}
                         : Tuple{numerator, scaled(1, -exponent)};
  }
  return exponent >= 0 ? Tuple{numerator << exponent, int64_t{1}} : Tuple{numerator, int64_t{1} << -exponent};
}

Any float_hex(Evaluator&, const Arguments& args) {
  double value = raw_float(args[0]);
  if (!std::isfinite(value)) return str_value(float_repr(value));
  auto bits = std::bit_cast<uint64_t>(value);
  uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  auto exponent = static_cast<int>(bits >> 52 & 0x7FF);
  std::string_view sign = std::signbit(value) ? "-" : "";
  if (value == 0) return str_value(fmt::format("{}0x0.0p+0", sign));
  return str_value(fmt::format("{}0x{}.{:013x}p{:+d}", sign, exponent == 0 ? 0 : 1, fraction,
                               exponent == 0 ? -1022 : exponent - 1023));
}
// float.fromhex: the C library reads the same texts, once they are known to start with 0x or to be a name.
Any from_hex(Evaluator& evaluator, const Arguments& args) {
  if (!is_str(args[0])) {
    raise("TypeError", args.span_of(0), "wrong-type", "fromhex() argument must be str, not {}",
          type_name_of(evaluator, args[0]));
  }
  std::string text(text_of(args[0]));
  size_t first = text.find_first_not_of(" \t\n\r\f\v");
  size_t last = text.find_last_not_of(" \t\n\r\f\v");
  text = first == std::string::npos ? "" : text.substr(first, last - first + 1);
  size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  bool named = text.size() > sign && std::string_view("iInN").find(text[sign]) != std::string_view::npos;
  bool prefixed = text.size() > sign + 1 && text[sign] == '0' && (text[sign + 1] | 32) == 'x';
  if (!named && !prefixed) text.insert(sign, "0x");
  char* end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  if (text.size() < sign + 3 || end != text.c_str() + text.size() || text.back() == ')') {
    raise("ValueError", args.span_of(0), "not-a-number", "invalid hexadecimal floating-point string");
  }
  if (!named && std::isinf(value)) {
    raise("OverflowError", args.span_of(0), "float-overflow",
          "hexadecimal value too large to represent as a float");
  }
  return value;
}

// byteorder= (or the argument at `at`) and signed= of to_bytes and from_bytes.
struct ByteOrder {
  bool big = true, is_signed = false;
};
ByteOrder byte_order(Evaluator& evaluator, const Arguments& args, size_t at) {
  ByteOrder order;
  const Any* given = args.size() > at ? &args[at] : args.keyword("byteorder");
  if (given != nullptr) {
    if (!is_str(*given)) {
      raise("TypeError", args.span, "wrong-type", "byteorder must be str, not {}",
            type_name_of(evaluator, *given));
    }
    std::string_view name = text_of(*given);
    if (name != "big" && name != "little")
      raise("ValueError", args.span, "out-of-range", "byteorder must be either 'little' or 'big'");
    order.big = name == "big";
  }
  if (const Any* given_sign = args.keyword("signed")) order.is_signed = evaluator.truth(*given_sign);
  return order;
}
Any to_bytes(Evaluator& evaluator, const Arguments& args) {
  const Any* given = args.size() > 1 ? &args[1] : args.keyword("length");
  int64_t length = given == nullptr ? 1 : index_value(evaluator, *given, args.span, "length");
  ByteOrder order = byte_order(evaluator, args, 2);
  auto* wide = as_wide(args[0]);
  int64_t value = wide != nullptr ? (wide->negative ? -1 : 1) : raw_int(args[0]);
  if (length < 0) raise("ValueError", args.span, "out-of-range", "length argument must be non-negative");
  if (value < 0 && !order.is_signed)
    raise("OverflowError", args.span, "integer-overflow", "can't convert negative int to unsigned");
  if (wide != nullptr) {
    std::optional<std::string> bytes = bytes_of_whole(*wide, static_cast<size_t>(length), order.is_signed);
    if (!bytes) raise("OverflowError", args.span, "integer-overflow", "int too big to convert");
    if (order.big) std::reverse(bytes->begin(), bytes->end());
    return ffi::Bytes(*bytes);
  }
  if (length < 8) {
    int64_t bits = length * 8 - (order.is_signed ? 1 : 0);
    bool fits = length == 0 ? value == 0 : value >> bits == (value < 0 ? -1 : 0);
    if (!fits) raise("OverflowError", args.span, "integer-overflow", "int too big to convert");
  }
  if (length > 100'000'000) raise("MemoryError", args.span, "too-large", "{} bytes are too many", length);
  std::string bytes(static_cast<size_t>(length), value < 0 ? '\xff' : '\0');
  for (size_t i = 0; i < bytes.size() && i < 8; ++i)
    bytes[order.big ? bytes.size() - 1 - i : i] = static_cast<char>(value >> (8 * i));
  return ffi::Bytes(bytes);
}
Any from_bytes(Evaluator& evaluator, const Arguments& args) {
  if (is_str(args[0]) || is_number(args[0])) {
    raise("TypeError", args.span_of(0), "wrong-type", "cannot convert '{}' object to bytes",
          type_name_of(evaluator, args[0]));
  }
  Any made = evaluator.call(Any(types().bytes), std::span<const Any>(&args[0], 1), {}, args.span);
  auto bytes = made.cast<ffi::Bytes>();
  ByteOrder order = byte_order(evaluator, args, 1);
  size_t size = bytes.size();
  auto at = [&](size_t i) {  // from the least one
    return static_cast<unsigned char>(bytes.data()[order.big ? size - 1 - i : i]);
  };
  std::string least_first;
  for (size_t i = 0; i < size; ++i) least_first += static_cast<char>(at(i));
  return whole_of_bytes(least_first, order.is_signed);
}

Any indices(Evaluator& evaluator, const Arguments& args) {
  int64_t size = index_value(evaluator, args[1], args.span_of(1), "length");
  if (size < 0) raise("ValueError", args.span_of(1), "out-of-range", "length should not be negative");
  SliceBounds bounds = slice_bounds(evaluator, *as<SliceNode>(args[0]), size, args.span);
  return Tuple{bounds.start, bounds.stop, bounds.step};
}

constexpr BuiltinRow ints[] = {
    {"bit_length", "()", "Bits needed for the absolute value.", bit_length, 0, 0},
    {"bit_count", "()", "Ones in the absolute value.", bit_count, 0, 0},
    {"conjugate", "()", "The number itself.", conjugate, 0, 0},
    {"as_integer_ratio", "()", "The number as numerator and denominator.", int_ratio, 0, 0},
    {"to_bytes", "(length=1, byteorder='big', *, signed=False)", "The number as bytes.", to_bytes, 0, 2,
     "length byteorder signed"},
};
constexpr BuiltinRow floats[] = {
    {"is_integer", "()", "Is the number whole?", is_integer, 0, 0},
    {"conjugate", "()", "The number itself.", conjugate, 0, 0},
    {"as_integer_ratio", "()", "The number as numerator and denominator.", float_ratio, 0, 0},
    {"hex", "()", "The number exactly, in base 16.", float_hex, 0, 0},
};
constexpr BuiltinRow from_bytes_row = {"from_bytes",
                                       "(bytes, byteorder='big', *, signed=False)",
                                       "The number of these bytes.",
                                       from_bytes,
                                       1,
                                       2,
                                       "byteorder signed"};
constexpr BuiltinRow from_hex_row = {"fromhex", "(string)", "The number of such a text.", from_hex, 1, 1};
constexpr BuiltinRow indices_row = {
    "indices", "(length)", "Start, stop and step for a sequence of that length.", indices, 1, 1};

}  // namespace

std::span<const BuiltinRow> int_methods() { return ints; }
std::span<const BuiltinRow> float_methods() { return floats; }
const BuiltinRow& int_from_bytes() { return from_bytes_row; }
const BuiltinRow& float_fromhex() { return from_hex_row; }
const BuiltinRow& slice_indices() { return indices_row; }

bool number_attribute(const Any& number, Symbol name, Any& out) {
  std::string_view text = name.str();
  if (text == "real" || (text == "numerator" && !is_float(number))) {
    out = is_bool(number) ? Any(raw_int(number)) : number;
  } else if (text == "imag") {
    out = is_float(number) ? Any(0.0) : Any(int64_t{0});
  } else if (text == "denominator" && !is_float(number)) {
    out = int64_t{1};
  } else {
    return false;
  }
  return true;
}

}  // namespace mlc::script
