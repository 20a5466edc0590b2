// SPDX-License-Identifier: Apache-2.0
#include "backend/interp/number.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "ir/error.h"

namespace mlc::interp {
namespace {

using ir::DataType;

// A floating format of at most 16 bits: sign, exponent, mantissa. The largest exponent means infinity and
// NaN in IEEE formats; `fn` formats have no infinity and one NaN pattern; `uz` formats have no negative
// zero, whose pattern is the NaN.
struct Format {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  enum Special { kIEEE, kFn, kFnuz } special;
};
constexpr Format half{5, 10, 15, Format::kIEEE};
constexpr Format bfloat{8, 7, 127, Format::kIEEE};
constexpr Format e5m2{5, 2, 15, Format::kIEEE};
constexpr Format e4m3{4, 3, 7, Format::kIEEE};
constexpr Format e3m4{3, 4, 3, Format::kIEEE};
constexpr Format e4m3fn{4, 3, 7, Format::kFn};
constexpr Format e4m3fnuz{4, 3, 8, Format::kFnuz};
constexpr Format e5m2fnuz{5, 2, 16, Format::kFnuz};
constexpr Format e4m3b11fnuz{4, 3, 11, Format::kFnuz};

double decode(const Format& f, uint32_t bits) {
  int sign_at = f.exponent_bits + f.mantissa_bits;
  bool negative = (bits >> sign_at) & 1U;
  uint32_t magnitude = bits & ((1U << sign_at) - 1);
  int exponent = static_cast<int>(magnitude >> f.mantissa_bits);
  uint32_t mantissa = magnitude & ((1U << f.mantissa_bits) - 1);
  int top = (1 << f.exponent_bits) - 1;
  double nan = std::numeric_limits<double>::quiet_NaN();
  if (f.special == Format::kIEEE && exponent == top) {
    if (mantissa != 0) return nan;
    return negative ? -INFINITY : INFINITY;
  }
  if (f.special == Format::kFn && magnitude == (1U << sign_at) - 1) return nan;
  if (f.special == Format::kFnuz && negative && magnitude == 0) return nan;
  double value = exponent == 0
                     ? std::ldexp(mantissa, 1 - f.bias - f.mantissa_bits)
                     : std::ldexp(mantissa + (1U << f.mantissa_bits), exponent - f.bias - f.mantissa_bits);
  return negative ? -value : value;
}

uint32_t encode(const Format& f, double value) {
  int sign_at = f.exponent_bits + f.mantissa_bits;
  uint32_t sign = std::signbit(value) ? 1U << sign_at : 0U;
  uint32_t top = ((1U << f.exponent_bits) - 1) << f.mantissa_bits;
  // The largest finite magnitude, and what stands for "not representable".
  uint32_t largest = f.special == Format::kIEEE ? top - 1
                     : f.special == Format::kFn ? (1U << sign_at) - 2
                                                : (1U << sign_at) - 1;
  uint32_t nan = f.special == Format::kIEEE ? top | (1U << (f.mantissa_bits - 1))
                 : f.special == Format::kFn ? (1U << sign_at) - 1
                                            : 1U << sign_at;
  if (std::isnan(value)) return f.special == Format::kFnuz ? nan : nan | sign;
  double magnitude = std::fabs(value);
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude = m * 2^exponent, m in [0.5, 1)
  int unit = std::max(exponent - 1, 1 - f.bias) - f.mantissa_bits;  // weight of the last mantissa bit
  double steps =
      std::isinf(magnitude) ? INFINITY : std::nearbyint(std::ldexp(magnitude, -unit));  // ties to even
  uint64_t bits = 0;
  if (std::isinf(steps)) {
    bits = std::numeric_limits<uint64_t>::max();
  } else if (steps != 0) {
    // Denormals count units directly; normals carry the implicit bit into the exponent field.
    int64_t field = unit + f.mantissa_bits + f.bias - 1;
    bits = (static_cast<uint64_t>(std::max<int64_t>(field, 0)) << f.mantissa_bits) +
           static_cast<uint64_t>(steps);
  }
  if (bits > largest) {
    bits = f.special == Format::kIEEE ? top : nan;
    return f.special == Format::kFnuz ? nan : static_cast<uint32_t>(bits) | sign;
  }
  if (f.special == Format::kFnuz && bits == 0) return 0;
  return static_cast<uint32_t>(bits) | sign;
}

template <const Format& F, class Bits>
Number small_float(DataType type) {
  return {type,
          true,
          false,
          static_cast<int>(sizeof(Bits)),
          +[](const char* at) {
            Bits bits;
            std::memcpy(&bits, at, sizeof bits);
            return Lane{.f = decode(F, bits)};
          },
          +[](char* at, Lane value) {
            Bits bits = static_cast<Bits>(encode(F, value.f));
            std::memcpy(at, &bits, sizeof bits);
          },
          +[](double value) { return decode(F, encode(F, value)); }};
}

template <class T>
Number native_number(DataType type) {
  return {type,
          std::is_floating_point_v<T>,
          std::is_unsigned_v<T>,
          static_cast<int>(sizeof(T)),
          +[](const char* at) {
            T value;
            std::memcpy(&value, at, sizeof value);
            if constexpr (std::is_floating_point_v<T>)
              return Lane{.f = static_cast<double>(value)};
            else
              return Lane{.i = static_cast<int64_t>(value)};
          },
          +[](char* at, Lane lane) {
            T value;
            if constexpr (std::is_floating_point_v<T>)
              value = static_cast<T>(lane.f);
            else
              value = static_cast<T>(lane.i);
            std::memcpy(at, &value, sizeof value);
          },
          std::is_floating_point_v<T>
              ? +[](double value) { return static_cast<double>(static_cast<T>(value)); }
              : nullptr};
}

// A scale: an exponent without sign or mantissa, 255 is NaN.
double decode_e8m0(uint8_t bits) { return bits == 255 ? NAN : std::ldexp(1.0, bits - 127); }
uint8_t encode_e8m0(double value) {
  if (std::isnan(value) || value < 0) return 255;
  if (value <= std::ldexp(1.0, -127)) return 0;
  double exponent = std::nearbyint(std::log2(value));
  return exponent > 127 ? 255 : static_cast<uint8_t>(exponent + 127);
}

const std::vector<Number>& numbers() {
  static const std::vector<Number> rows = [] {
    std::vector<Number> all = {
        native_number<int8_t>(DataType::Int(8)),
        native_number<int16_t>(DataType::Int(16)),
        native_number<int32_t>(DataType::Int(32)),
        native_number<int64_t>(DataType::Int(64)),
        native_number<uint8_t>(DataType::UInt(8)),
        native_number<uint16_t>(DataType::UInt(16)),
        native_number<uint32_t>(DataType::UInt(32)),
        native_number<uint64_t>(DataType::UInt(64)),
        native_number<uint8_t>(DataType::Bool()),
        native_number<uint64_t>(DataType::Handle()),
        native_number<float>(DataType::Float(32)),
        native_number<double>(DataType::Float(64)),
        small_float<half, uint16_t>(DataType::Float(16)),
        small_float<bfloat, uint16_t>(DataType::BFloat16()),
        small_float<e3m4, uint8_t>({kDLFloat8_e3m4, 8}),
        small_float<e4m3, uint8_t>({kDLFloat8_e4m3, 8}),
        small_float<e4m3b11fnuz, uint8_t>({kDLFloat8_e4m3b11fnuz, 8}),
        small_float<e4m3fn, uint8_t>({kDLFloat8_e4m3fn, 8}),
        small_float<e4m3fnuz, uint8_t>({kDLFloat8_e4m3fnuz, 8}),
        small_float<e5m2, uint8_t>({kDLFloat8_e5m2, 8}),
        small_float<e5m2fnuz, uint8_t>({kDLFloat8_e5m2fnuz, 8}),
        Number{{kDLFloat8_e8m0fnu, 8},
               true,
               false,
               1,
               +[](const char* at) { return Lane{.f = decode_e8m0(static_cast<uint8_t>(*at))}; },
               +[](char* at, Lane value) { *at = static_cast<char>(encode_e8m0(value.f)); },
               +[](double value) { return decode_e8m0(encode_e8m0(value)); }},
    };
    return all;
  }();
  return rows;
}

}  // namespace

const Number& number_of(DataType type) {
  for (const Number& row : numbers()) {
    if (row.type == type.element()) return row;
  }
  throw ir::Error("interpret-unsupported", "the interpreter has no numbers of type `{}`",
                  type.element().str());
}

Lane convert(const Number& from, const Number& to, Lane value) {
  if (from.floating && to.floating) return {.f = to.round(value.f)};
  if (to.floating) {
    if (from.is_unsigned) return {.f = to.round(static_cast<double>(static_cast<uint64_t>(value.i)))};
    // A double holds 53 bits: a wide integer goes to float32 in one rounding, not two.
    if (to.bytes == 4) return {.f = static_cast<double>(static_cast<float>(value.i))};
    return {.f = to.round(static_cast<double>(value.i))};
  }
  if (!from.floating) return {.i = to.wrap(value.i)};
  if (to.type.is_bool()) return {.i = value.f != 0};
  constexpr double two63 = 9223372036854775808.0;
  if (to.is_unsigned && value.f >= two63 && value.f < 2 * two63) {
    return {.i = to.wrap(static_cast<int64_t>(static_cast<uint64_t>(value.f)))};
  }
  // Out of range is undefined in the IR; this is what x86 gives.
  if (!(value.f >= -two63 && value.f < two63)) return {.i = to.wrap(std::numeric_limits<int64_t>::min())};
  return {.i = to.wrap(static_cast<int64_t>(value.f))};
}

}  // namespace mlc::interp
