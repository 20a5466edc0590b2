// SPDX-License-Identifier: Apache-2.0
// The objects that random numbers are drawn from.
#pragma once

#include <random>
#include <span>

#include "frontend/script/core/value.h"
#include "frontend/script/modules/mersenne_twister.h"
#include "frontend/script/numpy/pcg64.h"

namespace mlc::script {

// Below NumPy's legacy functions and RandomState.
struct TwisterNode final : ffi::Object {
  struct {
    MersenneTwister stream;
    bool seeded = false;
  } state;
  TwisterNode() = default;
  MLC_NODE("mlc.np.random.Twister", TwisterNode, ffi::Object);
};
// Below np.random.default_rng.
struct Pcg64Node final : ffi::Object {
  Pcg64 stream;
  explicit Pcg64Node(const std::array<uint64_t, 4>& seed) : stream(seed) {}
  MLC_NODE("mlc.np.random.Pcg64", Pcg64Node, ffi::Object);
};
// Below the module `random`.
struct RandomNode final : ffi::Object {
  MersenneTwister twister;
  void seed(uint64_t value) {
    uint32_t words[] = {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)};
    twister.seed(std::span<const uint32_t>(words, words[1] == 0 ? 1 : 2));
  }
  RandomNode() { seed(static_cast<uint64_t>(std::random_device()()) << 32 | std::random_device()()); }
  uint64_t bits(int64_t count) {
    if (count <= 32) return twister.next32() >> (32 - count);
    uint64_t low = twister.next32();
    return low | static_cast<uint64_t>(twister.next32() >> (64 - count)) << 32;
  }
  MLC_NODE("mlc.script.Random", RandomNode, ffi::Object);
};

// Where such a stream is, as bytes that may be copied away and back; empty for other values.
inline std::span<char> random_state(const Any& value) {
  auto bytes = [](auto& state) {
    static_assert(std::is_trivially_copyable_v<std::decay_t<decltype(state)>>);
    return std::span(reinterpret_cast<char*>(&state), sizeof state);
  };
  if (auto* node = as<TwisterNode>(value)) return bytes(node->state);
  if (auto* node = as<Pcg64Node>(value)) return bytes(node->stream);
  if (auto* node = as<RandomNode>(value)) return bytes(node->twister);
  return {};
}

}  // namespace mlc::script
