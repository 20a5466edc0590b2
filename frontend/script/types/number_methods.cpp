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
  if (auto* wide = as_wide(args[0])) return int64_t{std::popcount(wide->high) + std::popcount(wide->low)};
  return static_cast<int64_t>(std::popcount(magnitude_of(raw_int(args[0]))));
}
Any is_whole(Evaluator&, const Arguments& args) {
  double value = raw_float(args[0]);
  return std::isfinite(value) && value == std::floor(value);
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
    {"to_bytes", "(length=1, byteorder='big', *, signed=False)", "The number as bytes.", to_bytes, 0, 2,
     "length byteorder signed"},
};
constexpr BuiltinRow floats[] = {
    {"is_integer", "()", "Is the number whole?", is_whole, 0, 0},
};
constexpr BuiltinRow from_bytes_row = {"from_bytes",
                                       "(bytes, byteorder='big', *, signed=False)",
                                       "The number of these bytes.",
                                       from_bytes,
                                       1,
                                       2,
                                       "byteorder signed"};
constexpr BuiltinRow indices_row = {
    "indices", "(length)", "Start, stop and step for a sequence of that length.", indices, 1, 1};

}  // namespace

std::span<const BuiltinRow> int_methods() { return ints; }
std::span<const BuiltinRow> float_methods() { return floats; }
const BuiltinRow& int_from_bytes() { return from_bytes_row; }
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
