// SPDX-License-Identifier: Apache-2.0
// Half-precision numbers, which the compiler reads and rounds; whole rows by instructions where there are any.
#include <bit>

#include "frontend/script/numpy/array.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace mlc::script {

Half::Half(float value) : bits(std::bit_cast<uint16_t>(static_cast<_Float16>(value))) {}
Half::Half(double value) : bits(std::bit_cast<uint16_t>(static_cast<_Float16>(value))) {}
Half::operator float() const { return static_cast<float>(std::bit_cast<_Float16>(bits)); }

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
