// SPDX-License-Identifier: Apache-2.0
#include "repl/measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace mlc::repl {

namespace {

// The middle of sorted numbers.
double middle(const std::vector<double>& sorted) {
  size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

// How many of the sorted numbers can be left out at either end: the most with P(statistic < count) at most
// `tail`, where `probability[s]` is that of the value `s`.
size_t left_out(const std::vector<double>& probability, double tail) {
  double sum = 0;
  size_t count = 0;
  while (count < probability.size() && sum + probability[count] <= tail) sum += probability[count++];
  return count;
}

// The estimate from sorted numbers, of which `count` at either end are outside of the interval, the last of
// them being its end.
Estimate between(const std::vector<double>& sorted, size_t count) {
  Estimate found{.value = middle(sorted), .interval = std::nullopt};
  if (count > 0 && 2 * count <= sorted.size())
    found.interval.emplace(sorted[count - 1], sorted[sorted.size() - count]);
  return found;
}

// The number below which a normal variable is with that probability, by halving.
double normal_quantile(double probability) {
  double low = -40, high = 40;
  while (high - low > 1e-12) {
    double half = (low + high) / 2;
    (std::erfc(-half / std::sqrt(2.0)) / 2 < probability ? low : high) = half;
  }
  return low;
}

// How often each sum of ranks comes about when `chosen` of `all` ranks are drawn, less the least sum.
std::vector<double> rank_sums(size_t chosen, size_t all) {
  size_t most = chosen * (all - chosen);
  // ways[k][u]: of k ranks drawn so far, with u more than the least sum of so many.
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(most + 1, 0));
  ways[0][0] = 1;
  for (size_t rank = 0; rank < all; ++rank) {
    for (size_t k = std::min(chosen, rank + 1); k > 0; --k) {
      size_t more = rank - (k - 1);
      for (size_t u = most + 1; u-- > more;) ways[k][u] += ways[k - 1][u - more];
    }
  }
  double total = 0;
  for (double each : ways[chosen]) total += each;
  for (double& each : ways[chosen]) each /= total;
  return ways[chosen];
}

}  // namespace

double confidence_of_all(size_t comparisons) {
  return 1 - (1 - kConfidence) / static_cast<double>(std::max<size_t>(comparisons, 1));
}

Estimate median_of(std::span<const double> sample, double confidence) {
  std::vector<double> sorted(sample.begin(), sample.end());
  std::sort(sorted.begin(), sorted.end());
  auto n = static_cast<double>(sorted.size());
  std::vector<double> probability;
  for (double k = 0; k <= n; ++k)
    probability.push_back(
        std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) - n * std::log(2.0)));
  return between(sorted, left_out(probability, (1 - confidence) / 2));
}

Estimate shift_of_pairs(std::span<const double> differences, double confidence) {
  size_t n = differences.size();
  std::vector<double> means;
  for (size_t i = 0; i < n; ++i)
    for (size_t j = i; j < n; ++j) means.push_back((differences[i] + differences[j]) / 2);
  std::sort(means.begin(), means.end());
  // Each rank is positive or negative with the same probability.
  std::vector<double> probability(means.size() + 1, 0);
  probability[0] = 1;
  for (size_t rank = 1; rank <= n; ++rank)
    for (size_t s = probability.size(); s-- > 0;)
      probability[s] = (probability[s] + (s >= rank ? probability[s - rank] : 0)) / 2;
  return between(means, left_out(probability, (1 - confidence) / 2));
}

Estimate shift_of_samples(std::span<const double> a, std::span<const double> b, double confidence) {
  std::vector<double> differences;
  for (double each : a)
    for (double other : b) differences.push_back(other - each);
  std::sort(differences.begin(), differences.end());
  double tail = (1 - confidence) / 2;
  // Past this size the sum of ranks is normal for all purposes, and its distribution takes long to compute.
  constexpr size_t kMostExact = 900;
  if (differences.size() <= kMostExact)
    return between(differences, left_out(rank_sums(a.size(), a.size() + b.size()), tail));
  auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  double count = std::floor(n * m / 2 + normal_quantile(tail) * std::sqrt(n * m * (n + m + 1) / 12));
  return between(differences, static_cast<size_t>(std::max(count, 0.0)));
}

}  // namespace mlc::repl
