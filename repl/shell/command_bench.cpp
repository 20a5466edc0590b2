// SPDX-License-Identifier: Apache-2.0
// mlc bench: how long the functions of a program take, beside each other and beside an earlier measurement.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "frontend/print/highlight.h"
#include "repl/measure/baseline.h"
#include "repl/measure/report.h"
#include "repl/session/repl.h"
#include "repl/shell/bench_report.h"
#include "repl/shell/command_line.h"
#include "repl/shell/graph_runs.h"
#include "repl/shell/interpreter.h"
#include "repl/shell/kept_files.h"
#include "repl/shell/models.h"
#include "repl/shell/program.h"
#include "repl/shell/progress.h"
#include "repl/shell/report.h"
#include "repl/shell/source.h"

namespace mlc::repl {

namespace fs = std::filesystem;

namespace {

// The module's functions of TIR, or the one that is asked for.
NamedFunctions functions_of(const NamedModule& module, const std::string& wanted) {
  NamedFunctions made{.name = module.name, .mod = module.mod, .functions = {}};
  if (!wanted.empty()) module.mod->lookup(wanted);  // an error, with the nearest name, where there is none
  for (const auto& [var, function] : module.mod->functions) {
    std::string name(var->name_hint);
    if (!wanted.empty() && name != wanted) continue;
    if (auto fn = ir::Any(function).as<ir::PrimFunc>()) made.functions.emplace_back(name, *fn);
  }
  std::ranges::sort(made.functions, {}, [](const auto& each) { return each.first; });
  if (made.functions.empty())
    throw CallError{wanted.empty() ? fmt::format("`{}` has no function of TIR", module.name)
                                   : fmt::format("`{}` of `{}` is no function of TIR", wanted, module.name),
                    "what is measured is compiled from loops: `LegalizeOps` makes them of Relax operators"};
  return made;
}

void refuse_options_of_models(const CommandLine& line) {
  if (line.inputs.empty() && line.dims.empty() && line.values.empty() && line.weights.empty() && line.dispatch.empty() &&
      !line.by_op)
    return;
  throw CallError{
      "`--input`, `--dim`, `--value`, `--weights`, `--dispatch` and `--by-op` are for models, and the module has no graph",
      "`--size n=1024` is for the sizes of functions of TIR"};
}

int bench_file(const CommandLine& line, Interpreter& evaluator) {
  if (!is_graph_file(line.file))
    throw CallError{
        fmt::format("`{}` is built already, and models are measured as they are compiled here", line.file),
        "name the model or the program that it was built from"};
  if (!line.weights.empty() || !line.paths.empty() || !line.name.empty() || !line.sizes.empty())
    throw CallError{
        "names, `--function`, `--size` and `--weights` are for programs: a model has one function and "
        "its weights",
        "`--dim batch=4` is for symbolic dimensions"};
  return bench_models(line, evaluator, {model_of_file(line, evaluator)});
}

int bench_graphs(const CommandLine& line, Interpreter& evaluator, const std::vector<NamedModule>& named) {
  if (!line.sizes.empty())
    throw CallError{"`--size` is for functions of TIR, and the module has a graph",
                    "`--dim n=16` is for symbolic dimensions"};
  if (line.schedule == "none") leave_graphs_unscheduled(evaluator);
  std::vector<Model> models;
  for (const NamedModule& each : named) models.push_back(model_of_module(line, evaluator, each));
  return bench_models(line, evaluator, models);
}

}  // namespace

int run_bench(const CommandLine& line) {
  std::error_code ignored;
  if (!line.save.empty() && (line.save.ends_with(".mlc") || fs::equivalent(line.save, line.file, ignored)))
    throw CallError{fmt::format("`{}` is a program, and `--save` would write over it", line.save),
                    "name a .json file"};
  if (!line.save.empty()) refuse_other_baseline(line.save, kBaselineBeginning);
  auto& evaluator = *new Interpreter;  // the process ends with it
  catch_interrupts(WhenUnheard::kEndAtSecond);
  use_threads(line.threads);
  if (is_model_file(line.file)) return bench_file(line, evaluator);
  Sizes sizes;
  for (const std::string& each : line.sizes) add_size(sizes, each);
  uint32_t file = load_program(evaluator, line.file);
  std::vector<NamedModule> named;
  for (const std::string& name : line.paths) named.push_back(named_module(evaluator, name));
  if (line.paths.empty()) named.push_back(last_module(evaluator, file));
  if (std::ranges::all_of(named, [](const NamedModule& each) { return has_graphs(each.mod); }))
    return bench_graphs(line, evaluator, named);
  refuse_options_of_models(line);
  std::vector<NamedFunctions> modules;
  auto add = [&](NamedModule module) {
    if (line.schedule == "auto")
      module.mod = *module_in(evaluator, schedule_by_rules(evaluator, "cpu", module.mod, line.target));
    modules.push_back(functions_of(module, line.name));
  };
  for (NamedModule& each : named) add(std::move(each));

  bool coloured = print::wants_colour(STDOUT_FILENO);
  size_t width = isatty(STDOUT_FILENO) != 0 ? size_of_screen().second : 0;
  MeasureOptions options{.sizes = sizes, .seconds = line.budget};
  Progress progress;
  options.progress = [&](std::string_view what) { progress.at(std::string(what)); };
  std::vector<std::vector<Runnable>> wanted = groups_of(modules);
  require_sizes(wanted, sizes);
  std::optional<Baseline> before;
  if (!line.against.empty()) before = read_baseline(line.against, sizes);
  std::vector<std::vector<Measured>> groups;
  for (const std::vector<Runnable>& group : wanted) {
    groups.push_back(measure(group, options, evaluator));
    progress.clear();
    if (!line.json) fmt::print("{}", bench_text(groups.back(), width, coloured));
  }
  nlohmann::ordered_json found = bench_json(groups, sizes);
  return finish_bench(line, groups, std::move(found), before, line.paths.empty() && line.name.empty());
}

}  // namespace mlc::repl
