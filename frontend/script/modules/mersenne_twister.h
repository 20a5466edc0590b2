// SPDX-License-Identifier: Apache-2.0
// The Mersenne Twister MT19937 (M. Matsumoto, T. Nishimura, 1998), as Python's `random` and NumPy's legacy
// functions draw from it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

namespace mlc::script {

class MersenneTwister {
 public:
  void seed(uint32_t value) {
    for (uint32_t i = 0; i < kSize; ++i) {
      state_[i] = value;
      value = 1812433253U * (value ^ (value >> 30)) + i + 1;
    }
    at_ = kSize;
    has_gauss_ = false;
  }
  // From several words, as Python's random.seed() and the authors' init_by_array do.
  void seed(std::span<const uint32_t> key) {
    seed(19650218U);
    uint32_t i = 1, j = 0;
    auto before = [&] { return state_[i - 1] ^ (state_[i - 1] >> 30); };
    auto step = [&] {
      if (++i < kSize) return;
      state_[0] = state_[kSize - 1];
      i = 1;
    };
    for (size_t k = std::max<size_t>(kSize, key.size()); k > 0; --k) {
      state_[i] = (state_[i] ^ (before() * 1664525U)) + key[j] + j;
      step();
      j = j + 1 < key.size() ? j + 1 : 0;
    }
    for (uint32_t k = kSize - 1; k > 0; --k) {
      state_[i] = (state_[i] ^ (before() * 1566083941U)) - i;
      step();
    }
    state_[0] = 0x80000000U;
  }
  uint32_t next32() {
    if (at_ == kSize) twist();
    uint32_t y = state_[at_++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680U;
    y ^= (y << 15) & 0xefc60000U;
    return y ^ (y >> 18);
  }
  uint64_t next64() {
    uint64_t high = next32();
    return high << 32 | next32();
  }
  double uniform() {
    uint32_t a = next32() >> 5, b = next32() >> 6;
    return (a * 67108864.0 + b) / 9007199254740992.0;
  }
  // Polar method; the second value of each pair comes first.
  double gauss() {
    if (has_gauss_) {
      has_gauss_ = false;
      return gauss_;
    }
    double x, y, r;
    do {
      x = 2.0 * uniform() - 1.0;
      y = 2.0 * uniform() - 1.0;
      r = x * x + y * y;
    } while (r >= 1.0 || r == 0.0);
    double f = std::sqrt(-2.0 * std::log(r) / r);
    gauss_ = f * x;
    has_gauss_ = true;
    return f * y;
  }
  // 0 .. range, both included, by masking and rejection.
  uint64_t bounded(uint64_t range) {
    if (range == 0) return 0;
    uint64_t mask = range;
    for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
    for (;;) {
      uint64_t value =
          range <= 0xffffffffU ? (range == 0xffffffffU ? next32() : next32() & mask) : next64() & mask;
      if (value <= range) return value;
    }
  }
  // The same of words of `bits` bits, of which `buffer` has `left` more.
  uint32_t bounded_part(uint32_t range, int bits, uint32_t& buffer, int& left) {
    uint32_t mask = range;
    for (int shift = 1; shift < 32; shift *= 2) mask |= mask >> shift;
    while (range != 0) {
      buffer = left == 0 ? next32() : buffer >> bits;
      left = left == 0 ? 32 / bits - 1 : left - 1;
      uint32_t part = buffer & mask;
      if (part <= range) return part;
    }
    return 0;
  }

 private:
  static constexpr uint32_t kSize = 624;
  void twist() {
    for (uint32_t k = 0; k < kSize; ++k) {
      uint32_t y = (state_[k] & 0x80000000U) | (state_[(k + 1) % kSize] & 0x7fffffffU);
      state_[k] = state_[(k + 397) % kSize] ^ (y >> 1) ^ ((y & 1) != 0 ? 0x9908b0dfU : 0);
    }
    at_ = 0;
  }
  std::array<uint32_t, kSize> state_{};
  uint32_t at_ = kSize;
  bool has_gauss_ = false;
  double gauss_ = 0;
};

}  // namespace mlc::script
