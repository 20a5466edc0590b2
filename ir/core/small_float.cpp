// SPDX-License-Identifier: Apache-2.0
#include "ir/core/small_float.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace mlc::ir {

const SmallFloat half_format{"float16", kDLFloat, 16, 5, 10, 15, SmallFloat::kIeee};
const SmallFloat bfloat_format{"bfloat16", kDLBfloat, 16, 8, 7, 127, SmallFloat::kIeee};

std::span<const SmallFloat> narrow_formats() {
  static constexpr SmallFloat formats[] = {
      {"float8_e3m4", kDLFloat8_e3m4, 8, 3, 4, 3, SmallFloat::kIeee},
      {"float8_e4m3", kDLFloat8_e4m3, 8, 4, 3, 7, SmallFloat::kIeee},
      {"float8_e4m3b11fnuz", kDLFloat8_e4m3b11fnuz, 8, 4, 3, 11, SmallFloat::kFnuz},
      {"float8_e4m3fn", kDLFloat8_e4m3fn, 8, 4, 3, 7, SmallFloat::kFn},
      {"float8_e4m3fnuz", kDLFloat8_e4m3fnuz, 8, 4, 3, 8, SmallFloat::kFnuz},
      {"float8_e5m2", kDLFloat8_e5m2, 8, 5, 2, 15, SmallFloat::kIeee},
      {"float8_e5m2fnuz", kDLFloat8_e5m2fnuz, 8, 5, 2, 16, SmallFloat::kFnuz},
      {"float8_e8m0fnu", kDLFloat8_e8m0fnu, 8, 8, 0, 127, SmallFloat::kScale},
      {"float6_e2m3fn", kDLFloat6_e2m3fn, 6, 2, 3, 1, SmallFloat::kFinite},
      {"float6_e3m2fn", kDLFloat6_e3m2fn, 6, 3, 2, 3, SmallFloat::kFinite},
      {"float4_e2m1fn", kDLFloat4_e2m1fn, 4, 2, 1, 1, SmallFloat::kFinite}};
  return formats;
}

const SmallFloat* narrow_format(DataType dtype) {
  if (dtype.code() < kDLFloat8_e3m4) return nullptr;
  for (const SmallFloat& format : narrow_formats()) {
    if (format.code == dtype.code()) return &format;
  }
  return nullptr;
}

uint32_t SmallFloat::largest() const {
  switch (special) {
    case kIeee:
      return (((1U << exponent_bits) - 1) << mantissa_bits) - 1;
    case kFn:
      return sign_bit() - 2;
    case kScale:
      return (1U << exponent_bits) - 2;
    default:
      return sign_bit() - 1;
  }
}

double decode(const SmallFloat& f, uint32_t bits) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  if (f.special == SmallFloat::kScale)
    return bits > f.largest() ? kNan : std::ldexp(1.0, static_cast<int>(bits) - f.bias);
  bool negative = (bits & f.sign_bit()) != 0;
  uint32_t magnitude = bits & (f.sign_bit() - 1);
  if (f.special == SmallFloat::kFnuz && negative && magnitude == 0) return kNan;
  auto exponent = static_cast<int>(magnitude >> f.mantissa_bits);
  uint32_t mantissa = magnitude & ((1U << f.mantissa_bits) - 1);
  if (magnitude > f.largest()) {
    bool infinite = f.special == SmallFloat::kIeee && mantissa == 0;
    double value = infinite ? std::numeric_limits<double>::infinity() : kNan;
    return negative ? -value : value;
  }
  double value = exponent == 0
                     ? std::ldexp(mantissa, 1 - f.bias - f.mantissa_bits)
                     : std::ldexp(mantissa + (1U << f.mantissa_bits), exponent - f.bias - f.mantissa_bits);
  return negative ? -value : value;
}

namespace {

// A scale is the nearest power of two, the greater one from the middle on; there is no zero.
uint32_t encode_scale(const SmallFloat& f, double value) {
  uint32_t nan = f.largest() + 1;
  if (std::isnan(value) || std::isinf(value) || value <= 0) return nan;
  int exponent = 0;
  double mantissa = std::frexp(value, &exponent);  // in [0.5, 1)
  int field = std::max(exponent - 1 + (mantissa >= 0.75 ? 1 : 0) + f.bias, 0);
  return std::min(static_cast<uint32_t>(field), nan);
}

}  // namespace

uint32_t encode(const SmallFloat& f, double value) {
  if (f.special == SmallFloat::kScale) return encode_scale(f, value);
  uint32_t sign = std::signbit(value) ? f.sign_bit() : 0U;
  uint32_t largest = f.largest();
  if (std::isnan(value)) {
    switch (f.special) {
      case SmallFloat::kIeee:
        return sign | (largest + 1) | (1U << (f.mantissa_bits - 1));
      case SmallFloat::kFn:
        return sign | (largest + 1);
      case SmallFloat::kFnuz:
        return f.sign_bit();
      default:
        return sign ^ f.sign_bit();  // a zero of the other sign
    }
  }
  double magnitude = std::fabs(value);
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude = m * 2^exponent, m in [0.5, 1)
  int unit = std::max(exponent - 1, 1 - f.bias) - f.mantissa_bits;  // weight of the last mantissa bit
  uint64_t bits = 0;
  if (std::isinf(magnitude)) {
    bits = std::numeric_limits<uint64_t>::max();
  } else if (magnitude != 0) {
    // Denormals count units directly; normals carry the implicit bit into the exponent field.
    double steps = std::nearbyint(std::ldexp(magnitude, -unit));
    int64_t field = unit + f.mantissa_bits + f.bias - 1;
    bits = (static_cast<uint64_t>(std::max<int64_t>(field, 0)) << f.mantissa_bits) +
           static_cast<uint64_t>(steps);
  }
  if (bits > largest) {
    if (f.special == SmallFloat::kFnuz) return f.sign_bit();
    return sign | (f.special == SmallFloat::kFinite ? largest : largest + 1);
  }
  if (f.special == SmallFloat::kFnuz && bits == 0) return 0;
  return static_cast<uint32_t>(bits) | sign;
}

double round_to(DataType type, double value) {
  if (type.bits() == 64) return value;
  if (type.bits() == 32) return static_cast<double>(static_cast<float>(value));
  const SmallFloat& format = type.is_bfloat16()                     ? bfloat_format
                             : type.is_float() && type.bits() == 16 ? half_format
                                                                    : *narrow_format(type);
  return decode(format, encode(format, value));
}

}  // namespace mlc::ir
