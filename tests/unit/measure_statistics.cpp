// SPDX-License-Identifier: Apache-2.0
// Estimates of times: against tables of the distributions they stand on, and against what they promise, by
// drawing samples whose true value is known.
#include <catch2/catch.hpp>
#include <numeric>
#include <random>
#include <vector>

#include "repl/measure/baseline.h"
#include "repl/measure/measure.h"

namespace {

using namespace mlc::repl;  // NOLINT

std::vector<double> numbers(int count) {
  std::vector<double> made(static_cast<size_t>(count));
  std::iota(made.begin(), made.end(), 1);
  return made;
}

bool is(const Estimate& of, double low, double high) {
  return of.interval && of.interval->first == Approx(low) && of.interval->second == Approx(high);
}

// How many of the intervals hold the true value.
template <class Draw>
double coverage(int runs, double truth, Draw draw) {
  int held = 0;
  for (int i = 0; i < runs; ++i) {
    Estimate of = draw();
    held += of.interval && of.interval->first <= truth && truth <= of.interval->second ? 1 : 0;
  }
  return static_cast<double>(held) / runs;
}

}  // namespace

TEST_CASE("intervals end at the ranks of the tables", "[measure]") {
  // Binomial, n = 10: from the second to the ninth number. Signed ranks, n = 10: the critical value is 8.
  // Rank sums of eight and eight: 13.
  REQUIRE(is(median_of(numbers(10), 0.95), 2, 9));
  REQUIRE(is(shift_of_pairs(numbers(10), 0.95), 3, 8));
  std::vector<double> later = numbers(8);
  for (double& each : later) each += 0.5;
  REQUIRE(is(shift_of_samples(numbers(8), later, 0.95), -2.5, 3.5));
  REQUIRE(shift_of_samples(numbers(8), later, 0.95).value == Approx(0.5));
}

TEST_CASE("six numbers have an interval of 95 %, five have none", "[measure]") {
  REQUIRE(is(median_of(numbers(6), 0.95), 1, 6));
  REQUIRE(is(shift_of_pairs(numbers(6), 0.95), 1, 6));
  REQUIRE(!median_of(numbers(5), 0.95).interval);
  REQUIRE(!shift_of_pairs(numbers(5), 0.95).interval);
  REQUIRE(is(shift_of_samples(numbers(4), numbers(4), 0.95), -3, 3));
  REQUIRE(!shift_of_samples(numbers(3), numbers(3), 0.95).interval);
  REQUIRE(median_of(numbers(1), 0.95).value == 1);
  REQUIRE(compare(median_of(numbers(5), 0.95), 0.01) == Comparison::kUnknown);
}

TEST_CASE("intervals hold the true value as often as they say", "[measure]") {
  std::mt19937_64 random(20261128);
  std::normal_distribution<double> normal;
  std::lognormal_distribution<double> skewed;  // as times are: its median is 1
  auto drawn = [&](auto& from, size_t count) {
    std::vector<double> made(count);
    for (double& each : made) each = from(random);
    return made;
  };
  for (size_t count : {6, 9, 15, 40}) {
    // Those of few numbers are exact, and no narrower than they must be: the discrete steps leave them up
    // to 3.5 % wide.
    double least = 0.935, most = 0.995;
    double median = coverage(2000, 1, [&] { return median_of(drawn(skewed, count), 0.95); });
    double paired = coverage(2000, 0, [&] { return shift_of_pairs(drawn(normal, count), 0.95); });
    double apart =
        coverage(2000, 0, [&] { return shift_of_samples(drawn(skewed, count), drawn(skewed, count), 0.95); });
    INFO(count << " numbers: " << median << ", " << paired << ", " << apart);
    REQUIRE((median > least && paired > least && apart > least));
    REQUIRE((median <= most && paired <= most && apart <= most));
  }
}

TEST_CASE("a ratio of times is found through drift, and none where there is none", "[measure]") {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> noise(0, 0.05);
  auto times = [&](double factor) {
    Times made;
    // The machine slows down by half while it is measured.
    for (int round = 0; round < 30; ++round)
      made.samples.push_back(factor * (1 + round / 60.0) * noise(random));
    return made;
  };
  Times first = times(1), same = times(1), slow = times(1.2), fast = times(0.8);
  // Noise of 5 % leaves it open whether they differ by 1 %, and does not whether they do by 10 %.
  REQUIRE(compare(ratio_in_pairs(first, same, kConfidence), kLeastDifference) == Comparison::kUndecided);
  REQUIRE(compare(ratio_in_pairs(first, same, kConfidence), 0.1) == Comparison::kSame);
  REQUIRE(compare(ratio_in_pairs(first, slow, kConfidence), kLeastDifference) == Comparison::kSlower);
  REQUIRE(compare(ratio_in_pairs(first, fast, kConfidence), kLeastDifference) == Comparison::kFaster);
  REQUIRE(ratio_in_pairs(first, slow, kConfidence).value == Approx(1.2).epsilon(0.05));
  // What is real and less than a hundredth is no difference.
  Times close;
  for (double each : first.samples) close.samples.push_back(each * 1.005);
  REQUIRE(compare(ratio_in_pairs(first, close, kConfidence), kLeastDifference) == Comparison::kSame);
  REQUIRE(compare(ratio_apart(first.samples, times(3).samples, kConfidence), 0.05) == Comparison::kSlower);
  REQUIRE(compare(ratio_apart(first.samples, times(1).samples, kConfidence), 0.05) == Comparison::kUndecided);
  REQUIRE(compare(ratio_apart(first.samples, times(1).samples, kConfidence), 0.5) == Comparison::kSame);
}

TEST_CASE("of many comparisons with a baseline all hold together", "[measure]") {
  // Ranks that come about in 3 of 100 pairs of equal functions.
  std::vector<double> then{1.0, 1.1, 1.2, 1.3, 1.4, 2.25}, now{1.35, 2.0, 2.1, 2.2, 2.3, 2.5};
  auto report = [&](int functions) {
    Baseline before;
    std::vector<Measured> group;
    for (int i = 0; i < functions; ++i) {
      std::string name = "f" + std::to_string(i);
      before.rows.push_back(
          {.name = "Module", .function = name, .arguments = "", .warm = i == 0 ? then : now, .cold = {}});
      group.emplace_back();
      group.back().of.name = "Module";
      group.back().of.function = name;
      group.back().warm.samples = now;
    }
    return compare_with_baseline({group}, before, 0.0, true);
  };
  REQUIRE(report(1).regressed);
  INFO(report(20).text);
  REQUIRE(!report(20).regressed);
  REQUIRE(report(20).text.find("Module.f0: undecided") != std::string::npos);
  REQUIRE(confidence_of_all(0) == kConfidence);
  REQUIRE(confidence_of_all(10) == Approx(0.995));
}
