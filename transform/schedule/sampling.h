// SPDX-License-Identifier: Apache-2.0
// Random choices of sampling primitives: the same sequence as TVM's for the same seed.
#pragma once

#include "transform/schedule/primitive.h"

namespace mlc::transform {

// The minimal standard generator: x' = 48271 x mod (2^31 - 1), on the state of a schedule.
class RandomEngine {
 public:
  using result_type = uint64_t;
  static constexpr result_type kModulus = 2147483647;
  explicit RandomEngine(int64_t& state) : state_(state) {
    // 0 would stay 0.
    if (state_ % static_cast<int64_t>(kModulus) == 0) state_ = 1;
  }
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return kModulus - 1; }
  result_type operator()() { return state_ = state_ * 48271 % static_cast<int64_t>(kModulus); }

 private:
  int64_t& state_;
};

// A number from 0 to end - 1; of one, nothing is drawn.
int32_t sample_below(int64_t& random_state, int32_t end);
// `n` factors whose product is the extent, each factorisation with about the same chance.
std::vector<int64_t> sample_tile(int64_t& random_state, int64_t extent, int64_t n);
// A decision made for another extent: from the inside out, factors that no longer divide take all that is
// left.
std::vector<int64_t> repaired_tile(std::vector<int64_t> tile, int64_t extent);

// The decisions among which `sample_compute_location` draws: -2 for inlining, -1 for staying, else a loop's
// position.
std::vector<int64_t> compute_locations(ScheduleState& state, const BlockArg& block);

std::vector<int64_t> integers(Step& step, size_t index, const Any& list);
// Records the decision and makes a variable per factor; -1 is None where it is to be `inferred` by `split`.
Any decided_tile(Step& step, size_t index, const std::vector<int64_t>& tile, bool inferred);

}  // namespace mlc::transform
