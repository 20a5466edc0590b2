// SPDX-License-Identifier: Apache-2.0
#include "repl/measure/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "ir/core/error.h"
#include "repl/measure/baseline.h"
#include "repl/session/table.h"
#include "repl/shell/source.h"

namespace mlc::repl {

namespace {

std::string rate_text(double per_second, const char* unit) {
  return per_second <= 0 ? "" : fmt::format("{:.3g} {}", per_second / 1e9, unit);
}

std::string interval_text(const Estimate& of) {
  if (!of.interval) return "too few rounds for an interval";
  return fmt::format("{} to {}", time_text(of.interval->first), time_text(of.interval->second));
}

std::string factor_text(double low, double high) { return fmt::format("{:.3g} to {:.3g}", low, high); }

// "sch is 9.02 times as fast as Module (8.97 to 9.07)".
std::string comparison_text(const Measured& a, const Measured& b, const Times& first, const Times& second,
                            double confidence) {
  Estimate ratio = ratio_in_pairs(first, second, confidence);
  const std::string &one = a.of.name, &other = b.of.name;
  switch (compare(ratio, kLeastDifference)) {
    case Comparison::kUnknown:
      return fmt::format("{} {} too few to compare {} and {}: `--budget` gives them more seconds",
                         first.samples.size(), first.samples.size() == 1 ? "round is" : "rounds are", one,
                         other);
    case Comparison::kSame:
      return fmt::format("no difference between {} and {}: {:.3f} times as long ({:.3f} to {:.3f})", one,
                         other, ratio.value, ratio.interval->first, ratio.interval->second);
    case Comparison::kFaster:
      return fmt::format("{} is {:.3g} times as fast as {} ({})", other, 1 / ratio.value, one,
                         factor_text(1 / ratio.interval->second, 1 / ratio.interval->first));
    case Comparison::kSlower:
      return fmt::format("{} takes {:.3g} times as long as {} ({})", other, ratio.value, one,
                         factor_text(ratio.interval->first, ratio.interval->second));
    case Comparison::kUndecided:
      return fmt::format(
          "undecided between {} and {}: {:.3f} times as long ({:.3f} to {:.3f}); `--budget` gives more "
          "rounds",
          one, other, ratio.value, ratio.interval->first, ratio.interval->second);
  }
  return "";
}

double confidence_of(const std::vector<Measured>& group) { return confidence_of_all(group.size() - 1); }

// The roofline is counted: what a function keeps in more registers than are counted with, or a condition
// leaves out, is faster than that.
std::string share_text(const Measured& one, double seconds) {
  if (one.least_seconds <= 0) return "";
  if (one.least_seconds > seconds) return fmt::format("beyond its roofline ({})", one.bound);
  return fmt::format("{:.0f} % of its roofline ({})", 100 * one.least_seconds / seconds, one.bound);
}

std::string_view name_of(Comparison comparison) {
  constexpr std::string_view kNames[] = {"unknown", "no difference", "faster", "slower", "undecided"};
  return kNames[static_cast<size_t>(comparison)];
}

nlohmann::ordered_json json_of(const Estimate& of) {
  nlohmann::ordered_json low, high;
  if (of.interval) low = of.interval->first, high = of.interval->second;
  return {{"value", of.value}, {"low", low}, {"high", high}};
}

nlohmann::ordered_json json_of(const Times& times) {
  nlohmann::ordered_json made = json_of(median_of(times.samples, kConfidence));
  made["calls"] = times.calls;
  made["samples"] = times.samples;
  return made;
}

}  // namespace

std::vector<std::vector<Runnable>> groups_of(const std::vector<NamedFunctions>& modules) {
  std::vector<std::vector<Runnable>> groups;
  bool one_each =
      std::ranges::all_of(modules, [](const NamedFunctions& each) { return each.functions.size() == 1; });
  for (const NamedFunctions& module : modules) {
    for (const auto& [name, fn] : module.functions) {
      auto same = std::ranges::find_if(
          groups, [&](const auto& group) { return one_each || group.front().function == name; });
      if (same == groups.end()) same = groups.insert(groups.end(), std::vector<Runnable>());
      same->push_back({module.name, module.mod, name, fn});
    }
  }
  return groups;
}

void add_size(Sizes& sizes, const std::string& text) {
  size_t equals = text.find('=');
  int64_t value = 0;
  const char* end = text.data() + text.size();
  bool is_number =
      equals != std::string::npos && equals > 0 &&
      std::from_chars(text.data() + equals + 1, end, value) == std::from_chars_result{end, std::errc()};
  if (!is_number) throw CallError{fmt::format("`{}` is no size", text), "`--size n=1024`"};
  sizes[text.substr(0, equals)] = value;
}

void require_sizes(const std::vector<std::vector<Runnable>>& groups, const Sizes& sizes) {
  std::set<std::string> names;
  for (const auto& group : groups)
    for (const Runnable& each : group) names.merge(sizes_of(each.fn));
  for (const auto& [name, size] : sizes) {
    if (size < 0) throw CallError{fmt::format("`--size {}={}` is less than nothing", name, size), ""};
    if (names.contains(name)) continue;
    std::string near = ir::did_you_mean(name, {names.begin(), names.end()});
    throw CallError{fmt::format("no function has a size `{}`", name),
                    names.empty()   ? "all sizes are numbers already"
                    : !near.empty() ? near
                                    : fmt::format("there are {}", fmt::join(names, ", "))};
  }
}

std::string bench_text(const std::vector<Measured>& group, size_t width, bool coloured) {
  const Measured& first = group.front();
  size_t rounds = first.warm.samples.size();
  std::string text = fmt::format("{}({}): {} round{}{}{}\n", first.of.function, first.arguments, rounds,
                                 rounds == 1 ? "" : "s", group.size() > 1 ? " in turn" : "",
                                 first.fresh ? ", fresh buffers in each" : "");
  Table table;
  for (const Measured& one : group) {
    for (const Times* times : {&one.warm, &one.cold}) {
      if (times->samples.empty()) continue;
      bool warm = times == &one.warm;
      Estimate median = median_of(times->samples, kConfidence);
      table.add({{.text = warm ? "  " + one.of.name : "", .colour = colour::kName},
                 {.text = warm ? "warm" : "cold"},
                 {.text = time_text(median.value), .right = true},
                 {.text = interval_text(median), .colour = colour::kQuiet},
                 {.text = rate_text(one.flops / median.value, "GFLOP/s"), .right = true},
                 {.text = rate_text(one.bytes / median.value, "GB/s"), .right = true},
                 {.text = warm ? share_text(one, median.value) : "", .colour = colour::kQuiet}});
    }
  }
  text += table.text(width, coloured);
  double confidence = confidence_of(group);
  for (size_t i = 1; i < group.size(); ++i) {
    const Measured& other = group[i];
    text += fmt::format("{}\n", comparison_text(first, other, first.warm, other.warm, confidence));
    if (!first.cold.samples.empty() && !other.cold.samples.empty())
      text += fmt::format("  cold: {}\n", comparison_text(first, other, first.cold, other.cold, confidence));
    if (!other.differs.empty())
      text += fmt::format("  {} does not compute what {} does: {}\n", other.of.name, first.of.name,
                          other.differs);
  }
  return text;
}

nlohmann::ordered_json bench_json(const std::vector<std::vector<Measured>>& groups, const Sizes& sizes) {
  nlohmann::ordered_json functions = nlohmann::ordered_json::array();
  nlohmann::ordered_json comparisons = nlohmann::ordered_json::array();
  for (const auto& group : groups) {
    for (const Measured& one : group) {
      nlohmann::ordered_json row = {{"name", one.of.name},        {"function", one.of.function},
                                    {"arguments", one.arguments}, {"flops", one.flops},
                                    {"bytes", one.bytes},         {"warm", json_of(one.warm)}};
      if (!one.cold.samples.empty()) row["cold"] = json_of(one.cold);
      if (one.least_seconds > 0) row["roofline"] = {{"seconds", one.least_seconds}, {"bound", one.bound}};
      if (!one.differs.empty()) row["differs"] = one.differs;
      functions.push_back(row);
      if (&one == &group.front()) continue;
      const Measured& first = group.front();
      auto compared = [&](const Times& a, const Times& b) {
        Estimate ratio = ratio_in_pairs(a, b, confidence_of(group));
        nlohmann::ordered_json made = json_of(ratio);
        made["verdict"] = name_of(compare(ratio, kLeastDifference));
        return made;
      };
      nlohmann::ordered_json beside = {{"function", one.of.function},
                                       {"name", one.of.name},
                                       {"beside", first.of.name},
                                       {"warm", compared(first.warm, one.warm)}};
      if (!one.cold.samples.empty()) beside["cold"] = compared(first.cold, one.cold);
      comparisons.push_back(beside);
    }
  }
  Processor processor = this_processor();
  nlohmann::ordered_json values = nlohmann::ordered_json::object();
  for (const auto& [name, size] : sizes) values[name] = size;
  return {{"format", kBaselineFormat},
          {"machine", {{"processor", processor.name}, {"threads", processor.threads}}},
          {"confidence", kConfidence},
          {"sizes", values},
          {"functions", functions},
          {"comparisons", comparisons}};
}

}  // namespace mlc::repl
