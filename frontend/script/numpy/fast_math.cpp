// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/numpy/fast_math.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace mlc::script {
namespace {

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#define MLC_NP_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define MLC_NP_CLONES
#endif

template <class To, class From>
[[gnu::always_inline]] inline To bits_as(From value) {
  To result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

constexpr double kLn2 = 0.69314718055994530942;

// e to the power of x, for |x| below 700: 2^k times a polynomial of the rest.
[[gnu::always_inline]] inline double exp_of(double x) {
  constexpr double kShift = 6755399441055744.0;  // 1.5 * 2^52: its low bits become a whole number
  double shifted = x * 1.44269504088896340736 + kShift;
  auto whole = bits_as<int64_t>(shifted);
  double k = shifted - kShift;
  double r = x - k * kLn2;
  double p = 1.0 / 39916800;
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  return p * bits_as<double>((whole + 1023) << 52);
}

// The logarithm of a number above 0.
[[gnu::always_inline]] inline double log_of(double x) {
  auto bits = bits_as<int64_t>(x);
  constexpr int64_t kHalf = 0x3fe6a09e667f3bcd;  // sqrt(1/2): the mantissa lies between it and its double
  int64_t shifted = bits - kHalf;
  // The exponent as a number, by way of its low bits in a double.
  constexpr double kShift = 6755399441055744.0;
  int64_t exponent = (shifted >> 52);
  double e = bits_as<double>(exponent + bits_as<int64_t>(kShift)) - kShift;
  double m = bits_as<double>(bits - (exponent << 52));
  double s = (m - 1) / (m + 1), q = s * s;
  double p = 1.0 / 19;
  p = p * q + 1.0 / 17;
  p = p * q + 1.0 / 15;
  p = p * q + 1.0 / 13;
  p = p * q + 1.0 / 11;
  p = p * q + 1.0 / 9;
  p = p * q + 1.0 / 7;
  p = p * q + 1.0 / 5;
  p = p * q + 1.0 / 3;
  p = p * q + 1.0;
  return e * kLn2 + 2 * s * p;
}

}  // namespace

MLC_NP_CLONES void exp_row(const float* from, float* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    double x = from[i];
    x = x > 200 ? 200 : x;
    x = x < -200 ? -200 : x;
    to[i] = static_cast<float>(exp_of(x));
  }
}

// Whether all are positive numbers.
MLC_NP_CLONES static bool log_block(const float* from, float* to, int64_t n) {
  int32_t odd = 0;
  for (int64_t i = 0; i < n; ++i) {
    float x = from[i];
    odd |= static_cast<int32_t>(x <= 0) | static_cast<int32_t>(!(x <= std::numeric_limits<float>::max()));
    to[i] = static_cast<float>(log_of(x));
  }
  return odd == 0;
}
void log_row(const float* from, float* to, int64_t n) {
  constexpr int64_t kBlock = 256;
  for (int64_t i = 0; i < n; i += kBlock) {
    int64_t count = std::min(kBlock, n - i);
    float kept[kBlock];
    std::copy_n(from + i, count, kept);  // `to` may be `from`
    if (log_block(kept, to + i, count)) continue;
    for (int64_t k = 0; k < count; ++k) to[i + k] = std::log(kept[k]);  // zeros raise their flags
  }
}

MLC_NP_CLONES void tanh_row(const float* from, float* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    double x = from[i], a = std::fabs(x);
    a = a > 20 ? 20 : a;
    double d = exp_of(2 * a) + 1, q = a * a;
    // 1 / d: a float's division is quick, one step of Newton's makes it good.
    double r = 1.0F / static_cast<float>(d);
    r = r * (2 - d * r);
    double large = 1 - 2 * r, small = a - a * q * (1.0 / 3 - q * (2.0 / 15));
    to[i] = static_cast<float>(std::copysign(a < 1e-2 ? small : large, x));
  }
}

namespace {

// 2^(j/32) as the sum of two doubles.
struct Powers {
  double high[32], low[32];
};
const Powers& powers() {
  static const Powers table = [] {
    Powers made;
    for (int j = 0; j < 32; ++j) {
      long double exact = std::exp2(static_cast<long double>(j) / 32);
      made.high[j] = static_cast<double>(exact);
      made.low[j] = static_cast<double>(exact - made.high[j]);
    }
    return made;
  }();
  return table;
}

// Whether all are in a range where nothing overflows.
MLC_NP_CLONES bool exp_block(const double* from, double* to, int64_t n, const Powers& table) {
  constexpr double kShift = 6755399441055744.0;
  constexpr double kStepHigh = 0x1.62e42fefa0000p-6, kStepLow = 0x1.cf79abc9e3b39p-45;  // ln(2) / 32
  int64_t odd = 0;
  for (int64_t i = 0; i < n; ++i) {
    double x = from[i];
    odd |= static_cast<int64_t>(!(std::fabs(x) <= 700));
    double shifted = x * (32 * 1.44269504088896340736) + kShift;
    auto whole = bits_as<int64_t>(shifted) - bits_as<int64_t>(kShift);
    double k = shifted - kShift;
    double r = (x - k * kStepHigh) - k * kStepLow;
    double p = 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    p = p * r + 0.5;
    p = r + r * r * p;
    int64_t j = whole & 31;
    double high = table.high[j];
    double sum = high + (table.low[j] + high * p);
    to[i] = sum * bits_as<double>(((whole >> 5) + 1023) << 52);
  }
  return odd == 0;
}

}  // namespace

void exp_row(const double* from, double* to, int64_t n) {
  constexpr int64_t kBlock = 256;
  for (int64_t i = 0; i < n; i += kBlock) {
    int64_t count = std::min(kBlock, n - i);
    double kept[kBlock];
    std::copy_n(from + i, count, kept);  // `to` may be `from`
    if (exp_block(kept, to + i, count, powers())) continue;
    for (int64_t k = 0; k < count; ++k) to[i + k] = std::exp(kept[k]);
  }
}

// ---- half precision ----

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
