// SPDX-License-Identifier: Apache-2.0
// Estimates from few, skewed and noisy numbers, such as times are: by ranks, so that no distribution is
// assumed and one outlier moves nothing. Intervals are exact for small samples: they hold the true value in
// at least the share of cases that `confidence` says, if the numbers of a sample are independent.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace mlc::repl {

inline constexpr double kConfidence = 0.95;

struct Estimate {
  double value = 0;
  // None where the sample is too small for that confidence: 6 numbers have an interval of 95 %, 5 have none.
  std::optional<std::pair<double, double>> interval;
};

// What each of so many intervals has for all of them to hold at once with 95 % (Bonferroni).
double confidence_of_all(size_t comparisons);

// The median; its interval lies between two of the numbers, by the binomial distribution (Conover, Practical
// Nonparametric Statistics, 3.2). At least one number.
Estimate median_of(std::span<const double> sample, double confidence);

// By how much the second numbers of pairs are greater, from the differences: the median of the means of two
// of them each (Hodges and Lehmann 1963), the interval by Wilcoxon's signed ranks (Hollander, Wolfe and
// Chicken, Nonparametric Statistical Methods, 3.2 and 3.3). At least one difference.
Estimate shift_of_pairs(std::span<const double> differences, double confidence);

// By how much numbers of `b` are greater than numbers of `a`, where no two of them belong together: the
// median of all differences, the interval by the ranks of Mann and Whitney (Hollander, Wolfe and Chicken, 4.2
// and 4.3). At least one number in each.
Estimate shift_of_samples(std::span<const double> a, std::span<const double> b, double confidence);

}  // namespace mlc::repl
