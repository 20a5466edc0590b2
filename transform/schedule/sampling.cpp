// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/sampling.h"
#include "ir/core/try_get.h"

#include <algorithm>
#include <random>

namespace mlc::transform {
int32_t sample_below(int64_t& state, int32_t end) {
  if (end == 1) return 0;  // no number is drawn
  RandomEngine engine(state);
  return std::uniform_int_distribution<int32_t>(0, end - 1)(engine);
}

namespace {

// `k` different numbers below `n`.
std::vector<int32_t> sample_distinct(int64_t& state, int32_t n, int32_t k) {
  if (k == 1) return {sample_below(state, n)};
  if (k == 2) {
    int32_t first = sample_below(state, n), second = sample_below(state, n - 1);
    return {first, second + (second >= first)};
  }
  std::vector<int32_t> order(n);
  for (int32_t i = 0; i < n; ++i) order[i] = i;
  for (int32_t i = 0; i < k; ++i) std::swap(order[i], order[i + sample_below(state, n - i)]);
  order.resize(k);
  return order;
}

// Prime factors with their powers, ascending.
std::vector<std::pair<int64_t, int32_t>> factorize(int64_t number) {
  std::vector<std::pair<int64_t, int32_t>> factors;
  for (int64_t prime = 2; prime * prime <= number; ++prime) {
    int32_t power = 0;
    for (; number % prime == 0; number /= prime) ++power;
    if (power) factors.emplace_back(prime, power);
  }
  if (number > 1) factors.emplace_back(number, 1);
  return factors;
}

int64_t power_of(int64_t base, int32_t exponent) {
  int64_t result = 1;
  for (; exponent > 0; --exponent) result *= base;
  return result;
}

}  // namespace

std::vector<int64_t> sample_tile(int64_t& state, int64_t extent, int64_t n) {
  if (n == 1) return {extent};
  std::vector<int64_t> tile(n, 1);
  if (extent == 1) return tile;
  for (auto [prime, power] : factorize(extent)) {
    if (n == 2) {
      // A prime of 65536 and more picks a side; others how many of their powers go first.
      bool large = prime >= 65536;
      int32_t drawn = sample_below(state, power + 1), first = large ? 1 - drawn : drawn;
      tile[0] *= power_of(prime, first);
      tile[1] *= power_of(prime, power - first);
    } else if (power == 1) {
      tile[sample_below(state, static_cast<int32_t>(n))] *= prime;
    } else {
      // n - 1 bars among power + n - 1 positions: the stars between them are the powers.
      int32_t srefs = power + static_cast<int32_t>(n) - 1;
      std::vector<int32_t> bars = sample_distinct(state, srefs, static_cast<int32_t>(n) - 1);
      std::sort(bars.begin(), bars.end());
      bars.push_back(srefs);
      int32_t last = -1;
      for (int64_t i = 0; i < n; last = bars[i], ++i) tile[i] *= power_of(prime, bars[i] - last - 1);
    }
  }
  return tile;
}

std::vector<int64_t> repaired_tile(std::vector<int64_t> tile, int64_t extent) {
  for (size_t i = tile.size(); i-- > 1; extent /= tile[i]) {
    if (tile[i] <= 0 || extent % tile[i] != 0) tile[i] = extent;
  }
  tile[0] = extent;
  return tile;
}

std::vector<int64_t> integers(Step& step, size_t index, const Any& list) {
  std::vector<int64_t> numbers;
  for (const Any& item : items_of(step.call, index, list)) {
    Any value = step.evaluate(item);
    if (auto constant = ir::try_get<IntImm>(value))
      numbers.push_back((*constant)->value);
    else if (value.type_index() == ffi::TypeIndex::kTVMFFIInt)
      numbers.push_back(value.cast<int64_t>());
    else
      wrong_argument(step.call, index, "a list of int");
  }
  return numbers;
}

Any decided_tile(Step& step, size_t index, const std::vector<int64_t>& tile, bool inferred) {
  Array<Any> decision;
  ffi::List<Any> variables;
  for (int64_t factor : tile) {
    decision.push_back(factor);
    variables.push_back(factor == -1 && inferred ? Any(nullptr) : step.number(factor));
  }
  step.call.args[index] = decision;
  return variables;
}

}  // namespace mlc::transform
