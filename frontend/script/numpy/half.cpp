// SPDX-License-Identifier: Apache-2.0
// Half-precision numbers: how their bits are read, and how numbers are rounded to them.
#include "frontend/script/numpy/array.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace mlc::script {
namespace {

// Rounds to the nearest half, ties to even: from the bits of a float or a double.
template <class Real, class Bits, int kMantissa, int kBias>
uint16_t half_bits(Real value) {
  Bits raw;
  std::memcpy(&raw, &value, sizeof raw);
  constexpr int kBits = sizeof(Bits) * 8;
  constexpr Bits kMask = (Bits{1} << kMantissa) - 1;
  constexpr int kTop = (1 << (kBits - 1 - kMantissa)) - 1;
  auto sign = static_cast<uint16_t>(raw >> (kBits - 16) & 0x8000);
  int exponent = static_cast<int>(raw >> kMantissa & kTop);
  Bits mantissa = raw & kMask;
  if (exponent == kTop) {
    if (mantissa == 0) return sign | 0x7c00;
    auto payload = static_cast<uint16_t>(mantissa >> (kMantissa - 10));
    return static_cast<uint16_t>(sign | 0x7c00 | (payload != 0 ? payload : 1));
  }
  exponent -= kBias;
  if (exponent > 15) return sign | 0x7c00;
  int shift = kMantissa - 10;
  Bits whole = mantissa | (Bits{1} << kMantissa);
  uint16_t base;
  if (exponent < -14) {
    if (exponent < -25) return sign;
    shift += -14 - exponent;
    base = static_cast<uint16_t>(whole >> shift);
  } else {
    base = static_cast<uint16_t>((exponent + 15) << 10 | static_cast<int>(mantissa >> shift));
  }
  Bits rest = whole & ((Bits{1} << shift) - 1);
  Bits middle = Bits{1} << (shift - 1);
  if (rest > middle || (rest == middle && (base & 1) != 0)) ++base;
  return static_cast<uint16_t>(sign | base);
}

}  // namespace

Half::Half(float value) : bits(half_bits<float, uint32_t, 23, 127>(value)) {}
Half::Half(double value) : bits(half_bits<double, uint64_t, 52, 1023>(value)) {}
Half::operator float() const {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  uint32_t exponent = bits >> 10 & 0x1f;
  uint32_t mantissa = bits & 0x3ff;
  uint32_t wide;
  if (exponent == 0x1f) {
    wide = sign | 0x7f800000 | mantissa << 13;
  } else if (exponent != 0) {
    wide = sign | (exponent + 112) << 23 | mantissa << 13;
  } else {
    float value = static_cast<float>(mantissa) * 5.9604644775390625e-08F;
    return sign != 0 ? -value : value;
  }
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

#if defined(__x86_64__) && defined(__GNUC__)
namespace {
__attribute__((target("avx,f16c"))) void to_half(const float* from, uint16_t* to, int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), halves);
  }
  for (; i < n; ++i) to[i] = static_cast<uint16_t>(_cvtss_sh(from[i], _MM_FROUND_TO_NEAREST_INT));
}
__attribute__((target("avx,f16c"))) void from_half(const uint16_t* from, float* to, int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
  for (; i < n; ++i) to[i] = _cvtsh_ss(from[i]);
}
bool has_half() {
  static const bool has = __builtin_cpu_supports("avx") != 0 && __builtin_cpu_supports("f16c") != 0;
  return has;
}
}  // namespace

bool to_half_row(const float* from, uint16_t* to, int64_t n) {
  if (has_half()) to_half(from, to, n);
  return has_half();
}
bool from_half_row(const uint16_t* from, float* to, int64_t n) {
  if (has_half()) from_half(from, to, n);
  return has_half();
}
#else
bool to_half_row(const float*, uint16_t*, int64_t) { return false; }
bool from_half_row(const uint16_t*, float*, int64_t) { return false; }
#endif

}  // namespace mlc::script
