// SPDX-License-Identifier: Apache-2.0
// The commands about mlc itself: test, explain, targets.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "backend/backend.h"
#include "backend/interp/compare.h"
#include "ir/relax/expr.h"
#include "ir/target/target.h"
#include "repl/measure/gpu_cost.h"
#include "repl/report/program_report.h"
#include "repl/session/commands.h"
#include "repl/session/graph_reasons.h"
#include "repl/shell/command_line.h"
#include "repl/shell/explain.h"
#include "repl/shell/golden.h"
#include "repl/shell/interpreter.h"
#include "repl/shell/kept_files.h"
#include "repl/shell/models.h"
#include "repl/shell/program.h"
#include "repl/shell/report.h"
#include "repl/shell/source.h"

namespace mlc::repl {

int run_test(const CommandLine& line) {
  GoldenOptions options;
  options.update = line.update;
  options.quiet = line.quiet;
  options.json = line.json;
  options.jobs = line.jobs;
  std::vector<std::string> files = collect_files(line.paths);
  if (files.empty()) {  // nothing that passes would look like everything that passes
    throw CallError{
        fmt::format("there is nothing to test in `{}`", fmt::join(line.paths, "`, `")),
        "goldens are files that end in .mlc, .repl or .md; those of Markdown are named one by one"};
  }
  return run_goldens(files, options) == 0 ? 0 : 1;
}

namespace {

// The text of something that has a name, or both as JSON.
void show(std::string_view kind, const std::string& name, const std::string& text, bool json) {
  if (json) {
    print_event("result", {{kind, name}, {"text", text}});
  } else {
    fmt::print("{}", text);
  }
}

void explain_schedule(const CommandLine& line) {
  Interpreter evaluator;
  uint32_t file = load_program(evaluator, line.schedule_file);
  ir::Any text = schedule_by_rules(evaluator, "explained", last_module(evaluator, file).mod, line.target);
  show("schedule", line.schedule_file, evaluator.str(text) + "\n", line.json);
}

void explain_graph(const CommandLine& line) {
  bool fusion = !line.fusion_file.empty();
  const std::string& file = fusion ? line.fusion_file : line.memory_file;
  Interpreter evaluator;
  ir::IRModule mod = is_model_to_build(file)
                         ? model_to_build(line, evaluator, file, false)
                         : chosen_module(evaluator, load_program(evaluator, file), line.module).mod;
  if (!is_model_to_build(file)) mod = graphs_to_build(line, evaluator, mod);
  use_dispatch(evaluator, line.dispatch);
  ReasonOptions options;
  ir::GlobalVar function = line.name.empty() ? ir::GlobalVar(nullptr) : mod->find(line.name);
  if (function && mod->functions.at(function).as<relax::FunctionNode>()) {
    options.function = line.name;
  } else if (!line.name.empty()) {
    options.about.push_back(line.name);
  }
  std::string text = fusion ? fusion_reasons(mod, evaluator, options) : memory_reasons(mod, evaluator, options);
  show(fusion ? "fusion" : "memory", file, take_dispatch_report(evaluator) + text, line.json);
}

void explain_gpu(const CommandLine& line) {
  auto gpu = gpu_sheet(line.gpu);
  if (!gpu) {
    std::string near = ir::closest(line.gpu, gpu_names());
    throw CallError{fmt::format("nothing is known of a GPU `{}`", line.gpu),
                    near.empty() ? fmt::format("there are {}", fmt::join(gpu_names(), ", "))
                                 : fmt::format("did you mean `{}`?", near)};
  }
  std::unordered_map<std::string, int64_t> dims;
  for (const std::string& dim : line.dims) {
    size_t equals = dim.find('=');
    auto value =
        equals == std::string::npos ? std::nullopt : number_of(std::string_view(dim).substr(equals + 1));
    if (!value) throw CallError{fmt::format("`--dim {}` gives no dimension a number", dim), "`--dim n=1024`"};
    dims[dim.substr(0, equals)] = static_cast<int64_t>(*value);
  }
  backend::simulate_gpus(backend::Simulate::kMissing);  // what the program runs on the way
  Interpreter evaluator;
  ir::IRModule mod = chosen_module(evaluator, load_program(evaluator, line.gpu_file), line.module).mod;
  auto costs_of = [&](const ir::IRModule& of) {
    std::string text;
    for (const auto& [var, function] : of->functions) {
      auto fn = ir::Any(function).as<ir::PrimFunc>();
      std::string name(var->name_hint);
      if (fn && interp::is_kernel((*fn)->body) && (line.name.empty() || line.name == name))
        text += gpu_cost_text(of, name, *fn, *gpu, evaluator, dims, 0, false);
    }
    return text;
  };
  std::string text = costs_of(mod);
  if (text.empty()) {  // as `mlc build` would schedule it for that GPU
    auto made =
        module_in(evaluator, schedule_by_rules(evaluator, "gpu", mod, fmt::format("nvidia/{}", gpu->name)));
    if (made && !(text = costs_of(*made)).empty())
      text = "nobody has scheduled it: by the rules of mlc.schedule\n" + text;
  }
  if (text.empty())
    throw CallError{line.name.empty() ? fmt::format("no function of `{}` has threads of a GPU", line.gpu_file)
                                      : fmt::format("`{}` is no function with threads of a GPU", line.name),
                    "bind loops of a PrimFunc to blockIdx and threadIdx; one that nobody has scheduled is "
                    "scheduled by rules"};
  show("gpu", line.gpu_file, text, line.json);
}

int write_report(const CommandLine& line) {
  if (!line.report.ends_with(".html"))
    throw CallError{fmt::format("`{}` is no name for a page", line.report),
                    "`mlc explain --report matmul.html matmul.mlc`"};
  std::error_code absent;
  if (std::filesystem::equivalent(line.report, line.name, absent))
    throw CallError{fmt::format("`{}` is the program, which the page would overwrite", line.report),
                    "name another file"};
  refuse_other_page(line.report);
  ProgramReport report = report_program(line.name);
  write_file(line.report, report.page);
  fmt::print("{}: {} {} of {}{}\n", line.report, report.steps, report.steps == 1 ? "step" : "steps",
             line.name, report.refused ? "; it ended with an error, which is shown" : "");
  return report.refused ? 1 : 0;
}

}  // namespace

int run_explain(const CommandLine& line) {
  if (!line.fusion_file.empty() || !line.memory_file.empty()) {
    explain_graph(line);
    return 0;
  }
  if (!line.gpu_file.empty()) {
    explain_gpu(line);
    return 0;
  }
  if (line.schedule_file.empty() && line.name.empty())
    throw CallError{"`mlc explain` is followed by a name",
                    "`mlc explain split`, or `mlc explain --schedule FILE`"};
  if (!line.schedule_file.empty()) {
    explain_schedule(line);
    return 0;
  }
  if (!line.report.empty()) return write_report(line);
  Interpreter evaluator;
  Explained explained = explain_name(evaluator, line.name);
  if (!explained.known) {
    explained.text.pop_back();
    throw CallError{explained.text, ""};
  }
  show("name", line.name, explained.text, line.json);
  return 0;
}

int run_targets(const CommandLine& line) {
  // Those that code can be generated for; scripts may name others.
  for (const std::string& name : ir::target_names()) {
    ir::Target target = ir::parse_target(ir::Any(ir::String(name)));
    if (backend::find_backend(target) == nullptr) continue;
    if (line.json) {
      nlohmann::ordered_json one{
          {"name", name}, {"kind", std::string(target->kind)}, {"target", ir::target_text(target)}};
      print_event("target", one);
    } else {
      fmt::print("{:<24} {}\n", name, ir::target_text(target));
    }
  }
  return 0;
}

}  // namespace mlc::repl
