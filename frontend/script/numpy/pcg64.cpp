// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/numpy/pcg64.h"

#include <bit>
#include <cmath>
#include <initializer_list>

#include "ir/core/error.h"

namespace mlc::script {

std::array<uint64_t, 4> mix_seeds(const std::vector<uint32_t>& seeds) {
  std::array<uint32_t, 4> pool{};
  uint32_t constant = 0x43b0d7e5U;
  auto hashed = [&](uint32_t value) {
    value ^= constant;
    constant *= 0x931e8875U;
    value *= constant;
    return value ^ value >> 16;
  };
  auto mix = [](uint32_t x, uint32_t y) {
    uint32_t result = 0xca01f9ddU * x - 0x4973f715U * y;
    return result ^ result >> 16;
  };
  for (size_t i = 0; i < 4; ++i) pool[i] = hashed(i < seeds.size() ? seeds[i] : 0);
  for (size_t from = 0; from < 4; ++from) {
    for (size_t to = 0; to < 4; ++to) {
      if (from != to) pool[to] = mix(pool[to], hashed(pool[from]));
    }
  }
  for (size_t i = 4; i < seeds.size(); ++i) {
    for (uint32_t& word : pool) word = mix(word, hashed(seeds[i]));
  }
  constant = 0x8b51f9ddU;
  std::array<uint64_t, 4> result{};
  for (size_t i = 0; i < 8; ++i) {
    uint32_t value = pool[i % 4] ^ constant;
    constant *= 0x58f38dedU;
    value *= constant;
    result[i / 2] |= static_cast<uint64_t>(value ^ value >> 16) << (i % 2 * 32);
  }
  return result;
}

namespace {

constexpr double kEdge = 3.6541528853610088, kEdgeInverse = 0.27366123732975827203338247596;

// The ziggurat of G. Marsaglia and W. Tsang (2000) for the normal distribution, in 256 layers of equal area:
// a magnitude below the layer's limit is taken at once; the scale makes a number of it; the density is that
// of the layer's edge. Magnitudes have 52 bits, those of float32 have 23.
template <class Real, class Bits>
struct Layers {
  Bits limit[256];
  Real scale[256], density[256];
};
struct Ziggurat {
  Layers<double, uint64_t> wide;
  Layers<float, uint32_t> narrow;

  Ziggurat() {
    // NumPy's tables hold the results of these very operations: the area is rounded as it was there, and one
    // value of exp was a last place above today's.
    constexpr double kArea = 0.0049286732339746519, kMagnitudes = 4503599627370496.0;
    double edge[256];
    auto& density = wide.density;
    edge[255] = kEdge;
    density[255] = std::exp(-0.5 * kEdge * kEdge);
    for (size_t i = 254; i > 0; --i) {
      edge[i] = std::sqrt(-2.0 * std::log(kArea / edge[i + 1] + density[i + 1]));
      density[i] = std::exp(-0.5 * edge[i] * edge[i]);
      if (i == 38) density[i] = std::nextafter(density[i], 1.0);
    }
    edge[0] = kArea / density[255];
    density[0] = 1;
    uint64_t sum = 0;
    for (size_t i = 0; i < 256; ++i) {
      double ratio = i == 0 ? kEdge * density[255] / kArea : i == 1 ? 0 : edge[i - 1] / edge[i];
      wide.limit[i] = static_cast<uint64_t>(std::nearbyint(ratio * kMagnitudes));
      narrow.limit[i] = static_cast<uint32_t>(std::nearbyint(ratio * 8388608.0));
      wide.scale[i] = edge[i] / kMagnitudes;
      narrow.scale[i] = static_cast<float>(edge[i] / 8388608.0);
      narrow.density[i] = static_cast<float>(density[i]);
      for (uint64_t word :
           {wide.limit[i], std::bit_cast<uint64_t>(edge[i]), std::bit_cast<uint64_t>(density[i])})
        sum = (sum ^ word) * 0x9e3779b97f4a7c15U;
    }
    // Another math library may round otherwise; then the numbers would not be NumPy's.
    MLC_CHECK(sum == 0x61bc689692fb7129U, "the tables of normal numbers are not NumPy's: {:#x}", sum);
  }
};
const Ziggurat& ziggurat() {
  static const Ziggurat tables;
  return tables;
}

// A normal number from words and uniform numbers of a stream; `mask`: the bits of a magnitude.
template <class Real, class Bits, class Next, class Uniform>
Real normal_number(const Layers<Real, Bits>& layers, Bits mask, Next next, Uniform uniform) {
  for (;;) {
    Bits raw = next();
    auto layer = static_cast<size_t>(raw & 0xff);
    bool negative = (raw >> 8 & 1) != 0;
    Bits magnitude = raw >> 9 & mask;
    Real x = static_cast<Real>(magnitude) * layers.scale[layer];
    if (negative) x = -x;
    if (magnitude < layers.limit[layer]) return x;
    if (layer == 0) {
      constexpr auto edge = static_cast<Real>(kEdge), inverse = static_cast<Real>(kEdgeInverse);
      for (;;) {
        Real a = -inverse * std::log1p(-uniform());
        Real b = -std::log1p(-uniform());
        if (b + b > a * a) return (magnitude >> 8 & 1) != 0 ? -(edge + a) : edge + a;
      }
    }
    Real low = layers.density[layer], high = layers.density[layer - 1];
    if (static_cast<double>((high - low) * uniform() + low) < std::exp(-0.5 * static_cast<double>(x) * x))
      return x;
  }
}

}  // namespace

double Pcg64::normal() {
  return normal_number(
      ziggurat().wide, uint64_t{0x000fffffffffffff}, [&] { return next64(); }, [&] { return uniform(); });
}

float Pcg64::normal32() {
  return normal_number(
      ziggurat().narrow, 0x007fffffU, [&] { return next32(); }, [&] { return uniform32(); });
}

}  // namespace mlc::script
