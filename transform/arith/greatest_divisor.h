// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <numeric>

namespace mlc::transform {

// The greatest common divisor, of any two numbers: that of -2^63 and 0 or itself would be 2^63, and half of
// it is returned.
inline int64_t greatest_divisor(int64_t a, int64_t b) {
  auto size = [](int64_t x) {
    return x < 0 ? uint64_t{0} - static_cast<uint64_t>(x) : static_cast<uint64_t>(x);
  };
  uint64_t divisor = std::gcd(size(a), size(b));
  return static_cast<int64_t>(divisor >> 63 != 0 ? divisor >> 1 : divisor);
}

}  // namespace mlc::transform
