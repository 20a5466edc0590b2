// SPDX-License-Identifier: Apache-2.0
#include "repl/measure/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "ir/core/span.h"
#include "repl/shell/source.h"

namespace mlc::repl {

namespace {

using nlohmann::json;

std::string sizes_text(const Sizes& sizes) {
  std::vector<std::string> parts;
  for (const auto& [name, size] : sizes) parts.push_back(fmt::format("{}={}", name, size));
  return parts.empty() ? "no sizes" : fmt::format("{}", fmt::join(parts, ", "));
}

struct Line {
  std::string text;
  bool regressed = false;
};

Line compare_times(const std::string& what, const std::vector<double>& then, const std::vector<double>& now,
                   double tolerance, double confidence) {
  Estimate ratio = ratio_apart(then, now, confidence);
  if (!ratio.interval)
    return {fmt::format("{}: {} and {} rounds are too few to compare: `--budget` gives them more seconds\n",
                        what, then.size(), now.size())};
  std::string figures = fmt::format("{:.3g} times as long as in the baseline ({:.3g} to {:.3g})", ratio.value,
                                    ratio.interval->first, ratio.interval->second);
  switch (compare(ratio, tolerance)) {
    case Comparison::kSlower:
      return {fmt::format("{}: REGRESSION: it takes {}\n", what, figures), true};
    case Comparison::kFaster:
      return {fmt::format("{}: faster: it takes {}\n", what, figures)};
    case Comparison::kUndecided:
      return {fmt::format("{}: undecided by more than {:g} %: it takes {}; `--budget` gives more rounds\n",
                          what, tolerance * 100, figures)};
    default:
      return {fmt::format("{}: no difference of more than {:g} %: {}\n", what, tolerance * 100, figures)};
  }
}

}  // namespace

Processor this_processor() {
  Processor made{.name = "unknown", .threads = std::thread::hardware_concurrency()};
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    size_t colon = line.find(": ");
    bool names =
        line.starts_with("model name") || line.starts_with("Processor") || line.starts_with("CPU part");
    if (!names || colon == std::string::npos) continue;
    made.name = line.substr(colon + 2);
    break;
  }
  return made;
}

Baseline read_baseline(const std::string& file, const Sizes& sizes) {
  const std::string& text = ir::SourceMap::current().file(read_source(file)).text;
  try {
    json all = json::parse(text);
    Baseline made;
    if (all.at("format").get<std::string>() != kBaselineFormat)
      throw json::other_error::create(501, "another format", nullptr);
    Processor then{.name = all.at("machine").at("processor"), .threads = all.at("machine").at("threads")};
    Processor here = this_processor();
    if (then.name != here.name || then.threads != here.threads)
      throw CallError{
          fmt::format("`{}` was measured on another machine: {}, {} threads; this one is {}, {} threads",
                      file, then.name, then.threads, here.name, here.threads),
          "times of two machines say nothing about a program: `--save` a baseline of this one"};
    Sizes sizes_then;
    for (const auto& [name, size] : all.at("sizes").items()) sizes_then[name] = size.get<int64_t>();
    if (sizes_then != sizes)
      throw CallError{fmt::format("`{}` was measured with {}, and this is with {}", file,
                                  sizes_text(sizes_then), sizes_text(sizes)),
                      "`--size` the same"};
    for (const json& each : all.at("functions")) {
      BaselineRow row;
      each.at("name").get_to(row.name);
      each.at("function").get_to(row.function);
      each.at("arguments").get_to(row.arguments);
      each.at("warm").at("samples").get_to(row.warm);
      if (each.contains("cold")) each.at("cold").at("samples").get_to(row.cold);
      if (row.warm.empty()) throw json::other_error::create(501, "no samples", nullptr);
      made.rows.push_back(std::move(row));
    }
    return made;
  } catch (const json::exception&) {
    throw CallError{fmt::format("`{}` is no baseline of this version of `mlc bench`", file),
                    "`mlc bench FILE --save before.json` writes one"};
  }
}

BaselineReport compare_with_baseline(const std::vector<std::vector<Measured>>& groups, const Baseline& then,
                                     double tolerance, bool all) {
  std::vector<Line> lines;
  struct Pair {
    size_t line;  // that says what comes of it
    std::string what;
    const std::vector<double>&then, &now;
  };
  std::vector<Pair> pairs;
  auto add_pair = [&](std::string what, const std::vector<double>& before, const std::vector<double>& now) {
    pairs.push_back({lines.size(), std::move(what), before, now});
    lines.emplace_back();
  };
  std::set<std::string> measured;
  for (const auto& group : groups) {
    for (const Measured& one : group) {
      std::string key = one.of.name + "." + one.of.function;
      measured.insert(key);
      auto row = std::ranges::find(then.rows, key, &BaselineRow::key);
      if (row == then.rows.end()) {
        lines.push_back({fmt::format("{}: not in the baseline\n", key)});
      } else if (row->arguments != one.arguments) {
        lines.push_back(
            {fmt::format("{}: it takes {} now, and {} in the baseline\n", key, one.arguments, row->arguments),
             true});
      } else {
        add_pair(key, row->warm, one.warm.samples);
        if (!row->cold.empty() && !one.cold.samples.empty())
          add_pair(key + ", cold", row->cold, one.cold.samples);
      }
    }
  }
  for (const BaselineRow& row : then.rows)
    if (all && !measured.contains(row.key()))
      lines.push_back({fmt::format("{}: in the baseline, and not measured now\n", row.key()), true});
  // One program of twenty functions is not a regression because one of forty comparisons went wrong by
  // chance.
  double confidence = confidence_of_all(pairs.size());
  for (const Pair& each : pairs)
    lines[each.line] = compare_times(each.what, each.then, each.now, tolerance, confidence);
  BaselineReport report;
  for (const Line& line : lines) {
    report.text += line.text;
    report.regressed = report.regressed || line.regressed;
  }
  return report;
}

}  // namespace mlc::repl
