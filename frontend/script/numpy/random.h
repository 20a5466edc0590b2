// SPDX-License-Identifier: Apache-2.0
// The streams of np.random: the legacy Mersenne Twister and the PCG64 of default_rng.
#pragma once

#include <array>
#include <cmath>

#include "frontend/script/modules/mersenne_twister.h"
#include "frontend/script/numpy/array.h"
#include "frontend/script/numpy/ziggurat.h"

namespace mlc::script {

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
  double normal() {
    for (;;) {
      uint64_t raw = next64();
      auto layer = static_cast<size_t>(raw & 0xff);
      raw >>= 8;
      bool negative = (raw & 1) != 0;
      uint64_t magnitude = raw >> 1 & 0x000fffffffffffffULL;
      double x = static_cast<double>(magnitude) * ziggurat::kNormalScale[layer];
      if (negative) x = -x;
      if (magnitude < ziggurat::kNormalLimit[layer]) return x;
      if (layer == 0) {
        for (;;) {
          double a = -ziggurat::kNormalEdgeInverse * std::log1p(-uniform());
          double b = -std::log1p(-uniform());
          if (b + b > a * a)
            return (magnitude >> 8 & 1) != 0 ? -(ziggurat::kNormalEdge + a) : ziggurat::kNormalEdge + a;
        }
      }
      double low = ziggurat::kNormalDensity[layer], high = ziggurat::kNormalDensity[layer - 1];
      if ((high - low) * uniform() + low < std::exp(-0.5 * x * x)) return x;
    }
  }
  float normal32() {
    for (;;) {
      uint32_t raw = next32();
      auto layer = static_cast<size_t>(raw & 0xff);
      bool negative = (raw >> 8 & 1) != 0;
      uint32_t magnitude = raw >> 9 & 0x007fffff;
      float x = static_cast<float>(magnitude) * ziggurat::kNormalScale32[layer];
      if (negative) x = -x;
      if (magnitude < ziggurat::kNormalLimit32[layer]) return x;
      if (layer == 0) {
        constexpr auto edge = static_cast<float>(ziggurat::kNormalEdge);
        constexpr auto inverse = static_cast<float>(ziggurat::kNormalEdgeInverse);
        for (;;) {
          float a = -inverse * std::log1p(-uniform32());
          float b = -std::log1p(-uniform32());
          if (b + b > a * a) return (magnitude >> 8 & 1) != 0 ? -(edge + a) : edge + a;
        }
      }
      float low = ziggurat::kNormalDensity32[layer], high = ziggurat::kNormalDensity32[layer - 1];
      if (static_cast<double>((high - low) * uniform32() + low) < std::exp(-0.5 * static_cast<double>(x) * x))
        return x;
    }
  }
  double exponential() {
    for (;;) {
      uint64_t raw = next64() >> 3;
      auto layer = static_cast<size_t>(raw & 0xff);
      raw >>= 8;
      double x = static_cast<double>(raw) * ziggurat::kExponentialScale[layer];
      if (raw < ziggurat::kExponentialLimit[layer]) return x;
      if (layer == 0) return ziggurat::kExponentialEdge - std::log1p(-uniform());
      double low = ziggurat::kExponentialDensity[layer], high = ziggurat::kExponentialDensity[layer - 1];
      if ((high - low) * uniform() + low < std::exp(-x)) return x;
    }
  }
};

struct RandomGeneratorNode final : ffi::Object {
  Pcg64 stream;
  explicit RandomGeneratorNode(const std::array<uint64_t, 4>& seed) : stream(seed) {}
  MLC_NODE("mlc.np.random.Generator", RandomGeneratorNode, ffi::Object);
};
using RandomGenerator = ir::Ref<RandomGeneratorNode>;

// np.random.RandomState: a legacy stream of its own.
struct RandomStateNode final : ffi::Object {
  MersenneTwister stream;
  RandomStateNode() = default;
  MLC_NODE("mlc.np.random.RandomState", RandomStateNode, ffi::Object);
};

MersenneTwister& legacy_stream();  // of the functions of np.random
inline Pcg64& stream_of(const RandomGenerator& generator) {
  return const_cast<RandomGeneratorNode*>(generator.get())->stream;
}
constexpr std::string_view kRandomState = "mlc.np.random.RandomState";
constexpr std::string_view kRandomGenerator = "mlc.np.random.Generator";

// The shape of an argument `size`.
Shape size_argument(ApiCall& call, const Any& size);

}  // namespace mlc::script
