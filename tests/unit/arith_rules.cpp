// SPDX-License-Identifier: Apache-2.0
// Every rule of the simplifier against evaluation: both sides have one value for random names and constants
// that meet its condition; rules of vectors are looked at in one lane. arith_proofs.cpp proves them for all
// values.
#include <catch2/catch.hpp>
#include <memory>
#include <random>

#include "tests/arith_notation.h"

namespace mlc::transform {
namespace {

constexpr int64_t kLanes = 4;
constexpr int kSamples = 200;  // of names and constants that a rule is looked at with
constexpr int kEnough = 5;     // where few meet its condition
constexpr int kTries = 400'000;

int64_t random_value(std::mt19937& random, bool constant) {
  static const int64_t powers[] = {1, 2, 4, 8, 16, 3, 6, 12};
  int64_t small = static_cast<int64_t>(random() % 13) - 6;
  switch (random() % 4) {
    case 0:
      return powers[random() % std::size(powers)];
    case 1:
      return constant ? small : static_cast<int64_t>(random() % 101) - 50;
    default:
      return small;
  }
}

// Empty, or with which values the sides differ.
std::string complaint(const Rule& rule, std::mt19937& random) {
  Term left = Reader(rule.pattern).term(), right = Reader(rule.result).term();
  std::vector<Term> conditions;
  if (rule.condition) conditions = Reader(rule.condition).list();
  std::set<std::string> names, truths;
  collect(left, false, names, truths);
  collect(right, false, names, truths);
  int samples = 0;
  for (int tries = 0; tries < kTries && samples < kSamples; ++tries) {
    Values values{{"lane", static_cast<int64_t>(random() % kLanes)}};
    for (const std::string& name : names) {
      bool constant = name.size() == 2 && name[0] == 'c';
      values[name] = name == "l"             ? kLanes
                     : truths.contains(name) ? random() % 2
                                             : random_value(random, constant);
    }
    bool holds = std::all_of(conditions.begin(), conditions.end(),
                             [&](const Term& one) { return evaluate(one, values).value_or(0) != 0; });
    if (!holds) continue;
    Value before = evaluate(left, values);
    if (!before) continue;
    ++samples;
    if (evaluate(right, values) == before) continue;
    std::string text;
    for (const auto& [name, value] : values) text += " " + name + " = " + std::to_string(value);
    return text;
  }
  return samples >= kEnough ? "" : " is met by too few values: " + std::to_string(samples);
}

}  // namespace

TEST_CASE("both sides of every rule have one value", "[arith]") {
  std::mt19937 random(3);
  std::string complaints;
  size_t count = 0;
  for (Table table : kTables) {
    for (const Rule& rule : table()) {
      ++count;
      if (std::string found = complaint(rule, random); !found.empty())
        complaints += std::string(rule.pattern) + " => " + rule.result + ":" + found + "\n";
    }
  }
  CHECK(complaints == "");
  CHECK(count > 400);
}

}  // namespace mlc::transform
