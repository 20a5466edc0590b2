// SPDX-License-Identifier: Apache-2.0
// Random integer expressions over small domains, of which every value is enumerated:
//   - bounds, residues, integer sets, orders and proofs hold of all values, and no limit that is met is
//   denied;
//   - what simplifies keeps every value: of indices, which are taken not to overflow (also where a condition
//   is
//     assumed), of vectors in each lane, and of values from memory, which wrap, at the ends of their types;
//   - each rule of the tables, applied alone to an instance of its pattern, keeps every value;
//   - maps of iterators are what they are said to be, and inverses lead back; solved conditions, regions and
//   sets are
//     those that enumeration finds;
//   - calls with effects are made as often and in the order written.
// Before the first input each check must have reported planted faults (arith/planted.cpp), and at the end the
// shares in which the analyses said something are demanded: a bound that is too wide is no error, but too
// many are.
#include <cstdint>
#include <string>

#include "tests/fuzz/arith/check.h"
#include "tests/fuzz/evaluator.h"
#include "tests/fuzz/report.h"

namespace {

using namespace mlc;

fuzz::Counts& counts() {
  static fuzz::Counts all;
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool checked = (fuzz::evaluator(), fuzz::check_the_checks(), true);
  static_cast<void>(checked);
  fuzz::Choices choices(data, size);
  static constexpr std::pair<const char*, std::string (*)(fuzz::Choices&, fuzz::Counts&)> checks[] = {
      {"indices", fuzz::check_indices}, {"indices", fuzz::check_indices}, {"values", fuzz::check_values},
      {"rule", fuzz::check_rule},       {"rule", fuzz::check_rule},       {"vector", fuzz::check_vector},
      {"maps", fuzz::check_iter_map},   {"solved", fuzz::check_solved},   {"calls", fuzz::check_calls}};
  for (const auto& [name, check] : checks) {
    std::string failure;
    try {
      failure = check(choices, counts());
    } catch (const ir::Error& error) {
      failure = fmt::format("an error: {}", error.what());
    }
    MLC_CHECK(failure.empty(), "{}: {}", name, failure);
  }
  return 0;
}

mlc::fuzz::Report mlc::fuzz::report() {
  const Counts& all = counts();
  Report report;
  report.text += fmt::format("values compared: {}\n", all.compared);
  // Of what is asked so often that chance hardly shows.
  static const std::map<std::string, double> least{
      {"can_prove", 0.22},
      {"can_prove, of a limit that is met", 0.69},
      {"canonical_simplify", 0.6},
      {"compare", 0.32},
      {"const_int_bound, tight", 0.51},
      {"deduce_bound", 0.8},
      {"detect_iter_map, check 0", 0.2},
      {"detect_iter_map, check 1", 0.3},
      {"detect_iter_map, check 3", 0.5},
      {"divide_subspace", 0.18},
      {"int_set, with an end", 0.7},
      {"inverse of an index map", 0.18},
      {"inverse of an iter map", 0.18},
      {"iter_map_simplify", 0.2},
      {"modular_set", 0.17},
      {"non_surjective_inverse", 0.3},
      {"points, in cases of indices", 0.8},
      {"points, in cases of values", 0.9},
      {"rewrite_simplify", 0.57},
      {"rule", 0.85},
      {"simplify", 0.6},
      {"simplify, of calls", 0.35},
      {"simplify, of vectors", 0.6},
      {"simplify, of what is simple", 0.99},
      {"simplify_value", 0.45},
      {"solve_to_ranges", 0.15},
      {"strict_bound", 0.25},
  };
  for (const auto& [name, share] : all.said) {
    auto found = least.find(name);
    demand(report, name, share.part, share.whole, found == least.end() ? 0 : found->second, 1000);
  }
  size_t rules = 0, fired = 0;
  std::string never;
  for (transform::Table table : transform::kTables) {
    for (const transform::Rule& rule : table()) {
      ++rules;
      auto found = all.fired.find(&rule);
      bool once = found != all.fired.end() && found->second > 0;
      fired += once;
      if (!once) never += fmt::format("  {} => {}\n", rule.pattern, rule.result);
    }
  }
  bool many = all.said.contains("rule") && all.said.at("rule").whole >= 5000;
  demand(report, "rules applied", fired, rules, 0.97, many ? 1 : rules + 1);
  if (many && fired != rules) report.text += "never applied:\n" + never;
  return report;
}
