// SPDX-License-Identifier: Apache-2.0
// The stream of np.random.default_rng: PCG64 XSL-RR (M. O'Neill, 2014), and what NumPy draws from it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace mlc::script {

// Four words for a stream from seeds of any length, as NumPy's SeedSequence mixes them.
std::array<uint64_t, 4> mix_seeds(const std::vector<uint32_t>& seeds);

using uint128 = unsigned __int128;

struct Pcg64 {
  uint128 state = 0, increment = 0;
  bool has_half = false;
  uint32_t half = 0;

  Pcg64() = default;
  explicit Pcg64(const std::array<uint64_t, 4>& seed) {
    increment = ((static_cast<uint128>(seed[2]) << 64 | seed[3]) << 1) | 1;
    step();
    state += static_cast<uint128>(seed[0]) << 64 | seed[1];
    step();
  }
  void step() {
    constexpr uint128 multiplier =
        static_cast<uint128>(2549297995355413924ULL) << 64 | 4865540595714422341ULL;
    state = state * multiplier + increment;
  }
  uint64_t next64() {
    step();
    auto folded = static_cast<uint64_t>(state >> 64) ^ static_cast<uint64_t>(state);
    auto turn = static_cast<unsigned>(state >> 122);
    return folded >> turn | folded << ((-turn) & 63);
  }
  uint32_t next32() {
    if (has_half) {
      has_half = false;
      return half;
    }
    uint64_t whole = next64();
    has_half = true;
    half = static_cast<uint32_t>(whole >> 32);
    return static_cast<uint32_t>(whole);
  }
  double uniform() { return static_cast<double>(next64() >> 11) * (1.0 / 9007199254740992.0); }
  float uniform32() { return static_cast<float>(next32() >> 8) * (1.0F / 16777216.0F); }
  // 0 .. range, both included (D. Lemire, 2019).
  uint64_t bounded(uint64_t range) {
    if (range == 0) return 0;
    if (range == 0xffffffffU) return next32();
    if (range < 0xffffffffU) {
      auto count = static_cast<uint32_t>(range) + 1;
      uint64_t product = static_cast<uint64_t>(next32()) * count;
      auto low = static_cast<uint32_t>(product);
      if (low < count) {
        uint32_t threshold = (0xffffffffU - static_cast<uint32_t>(range)) % count;
        while (low < threshold) {
          product = static_cast<uint64_t>(next32()) * count;
          low = static_cast<uint32_t>(product);
        }
      }
      return product >> 32;
    }
    if (range == ~uint64_t{0}) return next64();
    uint64_t count = range + 1;
    uint128 product = static_cast<uint128>(next64()) * count;
    auto low = static_cast<uint64_t>(product);
    if (low < count) {
      uint64_t threshold = (~uint64_t{0} - range) % count;
      while (low < threshold) {
        product = static_cast<uint128>(next64()) * count;
        low = static_cast<uint64_t>(product);
      }
    }
    return static_cast<uint64_t>(product >> 64);
  }
  // 0 .. range, both included, by masking and rejection: what NumPy shuffles with.
  uint64_t masked(uint64_t range) {
    if (range == 0) return 0;
    uint64_t mask = range;
    for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
    for (;;) {
      uint64_t value = (range <= 0xffffffffU ? next32() : next64()) & mask;
      if (value <= range) return value;
    }
  }
  // 16 or 8 bits at a time of what next32 gives; `left` and `buffer` belong to one call of a script.
  uint32_t next_part(int bits, uint32_t& buffer, int& left) {
    if (left == 0) {
      buffer = next32();
      left = 32 / bits - 1;
    } else {
      buffer >>= bits;
      --left;
    }
    return buffer & ((1U << bits) - 1);
  }
  uint32_t bounded_part(uint32_t range, int bits, uint32_t& buffer, int& left) {
    uint32_t top = (1U << bits) - 1;
    if (range == 0) return 0;
    if (range == top) return next_part(bits, buffer, left);
    uint32_t count = range + 1;
    uint32_t product = next_part(bits, buffer, left) * count;
    if ((product & top) < count) {
      uint32_t threshold = (top - range) % count;
      while ((product & top) < threshold) product = next_part(bits, buffer, left) * count;
    }
    return product >> bits;
  }
  double normal();
  float normal32();
};

}  // namespace mlc::script
