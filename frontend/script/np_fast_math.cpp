// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/np_fast_math.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

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
    double e = exp_of(2 * a), q = a * a;
    double large = (e - 1) / (e + 1), small = a - a * q * (1.0 / 3 - q * (2.0 / 15));
    to[i] = static_cast<float>(std::copysign(a < 1e-3 ? small : large, x));
  }
}

}  // namespace mlc::script
