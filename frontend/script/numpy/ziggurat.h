// SPDX-License-Identifier: Apache-2.0
// The ziggurat of G. Marsaglia and W. Tsang (2000) for the normal and the exponential distribution, in 256
// layers: below the limit a draw is taken at once; the scale makes a number of it; the density is that of the
// layer's edge.
#pragma once

#include <cstdint>

namespace mlc::script::ziggurat {

extern const uint64_t kNormalLimit[256];
extern const double kNormalScale[256], kNormalDensity[256];
extern const uint32_t kNormalLimit32[256];
extern const float kNormalScale32[256], kNormalDensity32[256];
extern const uint64_t kExponentialLimit[256];
extern const double kExponentialScale[256], kExponentialDensity[256];
constexpr double kNormalEdge = 3.6541528853610087963519472518;
constexpr double kNormalEdgeInverse = 0.27366123732975827203338247596;
constexpr double kExponentialEdge = 7.6971174701310497140446280481;

}  // namespace mlc::script::ziggurat
