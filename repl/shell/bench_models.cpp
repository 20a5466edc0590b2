// SPDX-License-Identifier: Apache-2.0
// mlc bench of models: graphs in the virtual machine, beside each other and beside an earlier measurement.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "backend/runtime/parallel.h"
#include "frontend/print/highlight.h"
#include "repl/measure/baseline.h"
#include "repl/measure/graph_measure.h"
#include "repl/measure/report.h"
#include "repl/session/repl.h"
#include "repl/shell/bench_report.h"
#include "repl/shell/models.h"
#include "repl/shell/report.h"
#include "repl/shell/source.h"

namespace mlc::repl {

using ir::Any;

namespace {

// The module at the stages of its build from which the origin of its functions is told.
struct Stages {
  ir::IRModule operators, legalized, fused, scheduled;

  AfterPass listener() {
    return [this, last = ir::IRModule()](const std::string& pass, const ir::IRModule& mod) mutable {
      if (pass == "LegalizeOps") operators = last, legalized = mod;
      if (pass == "FuseOps") fused = mod;
      if (pass == "RewriteDataflowReshape") scheduled = last;
      last = mod;
    };
  }
};

GraphRunnable runnable_of(const Model& model, script::Evaluator& evaluator, Progress& progress) {
  Stages stages;
  Any executable = compile_model(model, evaluator, progress, stages.listener());
  GraphRunnable made{
      .name = model.name,
      .function = model.function,
      .machine = call_model_library(evaluator, "mlc.model.sources", "machine_of", {&executable, 1})
                     .cast<ir::ffi::Module>(),
      .arguments = model.arguments,
      .scheduled = stages.scheduled,
      .operators = {}};
  Any args[] = {stages.operators, stages.legalized, stages.fused, stages.scheduled};
  Any pairs = call_model_library(evaluator, "mlc.model.operators", "operators_of", args);
  for (const Any& each : pairs.cast<ir::Array<Any>>()) {
    auto pair = each.cast<ir::Array<Any>>();
    made.operators.emplace(script::text_of(pair[0]), script::text_of(pair[1]));
  }
  return made;
}

nlohmann::ordered_json milliseconds_of(const Measured& one) {
  Estimate median = median_of(one.warm.samples, kConfidence);
  nlohmann::ordered_json made = {{"min_ms", *std::ranges::min_element(one.warm.samples) * 1e3},
                                 {"median_ms", median.value * 1e3}};
  if (median.interval) {
    made["interval_ms"] = {median.interval->first * 1e3, median.interval->second * 1e3};
  } else {
    made["interval_ms"] = nullptr;
  }
  return made;
}

}  // namespace

std::vector<MeasuredGraph> measure_models(const std::vector<Model>& models, script::Evaluator& evaluator,
                                          double budget, Progress& progress) {
  MeasureOptions options{.sizes = {}, .seconds = budget};
  options.progress = [&](std::string_view what) { progress.at(std::string(what)); };
  std::vector<GraphRunnable> graphs;
  for (const Model& each : models) graphs.push_back(runnable_of(each, evaluator, progress));
  std::vector<MeasuredGraph> measured = measure_graphs(graphs, options, mlc_num_threads(), evaluator);
  progress.clear();
  return measured;
}

int bench_models(const CommandLine& line, script::Evaluator& evaluator, const std::vector<Model>& given) {
  Progress progress;
  std::vector<Model> models = given;
  if (!line.dispatch.empty()) {
    use_dispatch(evaluator, line.dispatch);  // refused before anything is compiled
    for (const Model& each : given) {
      Model& with = models.emplace_back(each);
      with.name = fmt::format("{} --dispatch {}", each.name, line.dispatch);
      with.dispatch = line.dispatch;
    }
  }
  std::optional<Baseline> before;
  if (!line.against.empty()) before = read_baseline(line.against, {});
  std::vector<MeasuredGraph> measured = measure_models(models, evaluator, line.budget, progress);

  bool coloured = print::wants_colour(STDOUT_FILENO);
  size_t width = isatty(STDOUT_FILENO) != 0 ? size_of_screen().second : 0;
  std::vector<std::vector<Measured>> groups(1);
  for (const MeasuredGraph& each : measured) groups.front().push_back(each.whole);
  nlohmann::ordered_json found = bench_json(groups, {});
  found["machine"]["threads_used"] = mlc_num_threads();
  for (size_t i = 0; i < measured.size(); ++i) {
    nlohmann::ordered_json& row = found["functions"][i];
    row.update(milliseconds_of(measured[i].whole));
    row["by_op"] = operators_json(measured[i]);
  }
  std::string dispatched_json, dispatched = take_dispatch_report(evaluator, &dispatched_json);
  if (!dispatched.empty()) found["dispatch"] = nlohmann::ordered_json::parse(dispatched_json);
  if (measured.size() == 1) found.update(milliseconds_of(measured.front().whole));
  if (!line.json) {
    for (const Model& each : given) fmt::print("{}", each.text);
    fmt::print("{}", dispatched);
    fmt::print("{}", bench_text(groups.front(), width, coloured));
    for (const MeasuredGraph& each : measured)
      if (line.by_op) fmt::print("{}", operators_text(each, width, coloured));
  }
  return finish_bench(line, groups, std::move(found), before, line.paths.empty());
}

}  // namespace mlc::repl
