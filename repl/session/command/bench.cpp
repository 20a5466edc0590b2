// SPDX-License-Identifier: Apache-2.0
// How long functions take, as they are now or were in other states, beside each other.
#include <fmt/format.h>

#include <algorithm>

#include "repl/measure/graph_measure.h"
#include "repl/measure/report.h"
#include "repl/session/commands.h"
#include "repl/session/session.h"
#include "repl/session/subject.h"
#include "repl/shell/graph_runs.h"
#include "repl/shell/models.h"
#include "repl/shell/progress.h"
#include "repl/shell/source.h"

namespace mlc::repl::commands_bench {
namespace {

// Graphs in the virtual machine, as `mlc bench` measures them.
void bench_graphs(Session& session, const std::vector<NamedFunctions>& modules, const MeasureOptions& options,
                  const std::string& function, bool by_operator) {
  CommandLine line;
  line.name = function;
  for (const auto& [name, size] : options.sizes) line.dims.push_back(fmt::format("{}={}", name, size));
  std::vector<Model> models;
  for (const NamedFunctions& each : modules)
    models.push_back(model_of_module(line, session.evaluator(), {each.name, each.mod}));
  Progress progress;
  std::vector<MeasuredGraph> measured =
      measure_models(models, session.evaluator(), options.seconds, progress);
  std::vector<Measured> whole;
  for (const Model& each : models) session.show(each.text);
  for (const MeasuredGraph& each : measured) whole.push_back(each.whole);
  session.show(bench_text(whole, width_of(session), session.options().colour));
  for (const MeasuredGraph& each : measured)
    if (by_operator) session.show(operators_text(each, width_of(session), session.options().colour));
}

void bench(Session& session, std::string_view arguments) {
  MeasureOptions options;
  bool by_operator = false;
  std::vector<std::string_view> words;
  while (!arguments.empty()) {
    std::string_view word = take_word(arguments);
    if (word == "--size") {
      add_size(options.sizes, std::string(take_word(arguments)));
    } else if (word == "--budget") {
      options.seconds = seconds_of(take_word(arguments));
    } else if (word == "--by-op") {
      by_operator = true;
    } else if (word.starts_with("--")) {
      throw CallError{fmt::format("`:bench` takes no option `{}`", word),
                      "`--size n=1024`, `--budget 10`, `--by-op`"};
    } else {
      words.push_back(word);
    }
  }
  if (words.empty()) words.emplace_back();
  std::vector<NamedFunctions> modules;
  std::vector<Subject> subjects;
  for (std::string_view word : words) subjects.push_back(subject_of(session, word));
  bool graphs = std::ranges::all_of(subjects, [](const Subject& each) {
    auto asked = each.function.empty() ? std::nullopt : std::optional(each.mod->lookup(each.function));
    return asked ? ir::Any(*asked).as<ir::PrimFuncNode>() == nullptr : has_graphs(each.mod);
  });
  if (by_operator && !graphs) throw CallError{"`--by-op` is for graphs", "`:help bench`"};
  for (size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i];
    const Subject& subject = subjects[i];
    // A state is called by its number: its modules have the names of those of other states.
    std::string name(subject.function.empty() && !word.empty() ? word : std::string_view(subject.name));
    if (graphs) {
      modules.push_back({name, subject.mod, {}});
    } else {
      modules.push_back({name, subject.mod, functions_of(subject)});
    }
  }
  if (graphs) return bench_graphs(session, modules, options, subjects.front().function, by_operator);
  Progress progress;
  options.progress = [&](std::string_view what) { progress.at(std::string(what)); };
  std::vector<std::vector<Runnable>> groups = groups_of(modules);
  require_sizes(groups, options.sizes);
  for (const std::vector<Runnable>& group : groups) {
    std::vector<Measured> found = measure(group, options, session.evaluator());
    progress.clear();
    session.show(bench_text(found, width_of(session), session.options().colour));
  }
}

constexpr Command kRows[] = {
    {"bench", "[NAME or STATE...] [--size n=VALUE] [--budget N] [--by-op]",
     "how long functions take; of several, beside each other",
     "    :bench\n    :bench Module sch\n    :bench 3 5 --size n=1024 --budget 10\n"
     "  Of the module or schedule that was changed last, or of those named: modules, schedules, their "
     "functions\n"
     "  (`sch.main`), states. Each round runs all of them in turn on fresh buffers, with warm and with cold "
     "caches.\n"
     "  `--size`: a symbolic dimension or integer parameter. `--budget`: seconds for each function, 1 by "
     "default.\n"
     "  Graphs run in the virtual machine; `--by-op` says which of their calls take the time.\n",
     bench, Argument::kName},
};

}  // namespace

extern const Commands bench{kRows};

}  // namespace mlc::repl::commands_bench
