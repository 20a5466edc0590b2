// SPDX-License-Identifier: Apache-2.0
// Floating formats of at most 16 bits: how their bits are read and how numbers are rounded to them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ir/core/dtype.h"

namespace mlc::ir {

// Sign, exponent, mantissa. The largest exponent means infinity and NaN in IEEE formats; `fn` formats have
// no infinity and one NaN pattern; `uz` formats have no negative zero, whose pattern is the NaN; finite
// formats have neither and saturate. A scale is an exponent alone, whose largest pattern is NaN.
struct SmallFloat {
  enum Special : uint8_t { kIeee, kFn, kFnuz, kFinite, kScale };
  std::string_view name;
  uint8_t code;  // DLPack's
  int bits;
  int exponent_bits;
  int mantissa_bits;
  int bias;
  Special special;

  DataType dtype() const { return DataType(code, bits); }
  uint32_t sign_bit() const { return special == kScale ? 0 : 1U << (exponent_bits + mantissa_bits); }
  uint32_t largest() const;  // the bits of the greatest finite number
};

extern const SmallFloat half_format;
extern const SmallFloat bfloat_format;
// Those of 8 bits and less, in the order of DLPack's codes.
std::span<const SmallFloat> narrow_formats();
// Null for float16, bfloat16 and what is no small float.
const SmallFloat* narrow_format(DataType dtype);

double decode(const SmallFloat& format, uint32_t bits);
uint32_t encode(const SmallFloat& format, double value);  // nearest, ties to even
// The value of any float type that is nearest: constants may be written with more digits than their type has.
double round_to(DataType type, double value);

}  // namespace mlc::ir
