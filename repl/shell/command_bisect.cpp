// SPDX-License-Identifier: Apache-2.0
// mlc bisect: the first pass that changes what a program computes. mlc opt: a program after passes.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "backend/artefact/build.h"
#include "backend/backend.h"
#include "frontend/print/highlight.h"
#include "frontend/print/print.h"
#include "frontend/script/modules/global_functions.h"
#include "repl/shell/command_line.h"
#include "repl/shell/interpreter.h"
#include "repl/shell/module_runs.h"
#include "repl/shell/program.h"
#include "repl/shell/progress.h"
#include "repl/shell/report.h"
#include "repl/shell/show_program.h"
#include "repl/shell/source.h"
#include "repl/shell/stages.h"

namespace mlc::repl {

using ir::Any;

namespace {

// The verdicts on the steps, one line each, until a step is wrong.
class Bisection {
 public:
  Bisection(const ir::IRModule& mod, script::Evaluator& evaluator, bool json)
      : runs_(mod, evaluator), last_(mod), json_(json) {
    progress_.clear();
    for (const std::string& how : runs_.how()) {
      if (!json_) fmt::print("  {}\n", visible(how));
    }
  }
  const std::vector<std::string>& how() const { return runs_.how(); }
  void at(const std::string& step) { progress_.at(visible(step)); }
  void report(std::string_view verdict, const std::string& name, const std::string& why) {
    progress_.clear();
    if (json_) {
      print_event("step", {{"step", name}, {"verdict", verdict}, {"reason", why}});
    } else {
      fmt::print("  {:<9}  {}{}{}\n", verdict, visible(name), why.empty() ? "" : ": ", visible(why));
      std::fflush(stdout);
    }
  }
  bool any_runs() const { return runs_.any_runs(); }
  const std::string& wrong() const { return wrong_; }

  // `pass_name`: as the pipeline calls it; `name`: with its number.
  void step(const std::string& name, const std::string& pass_name, const ir::IRModule& mod) {
    if (!wrong_.empty()) return;
    if (mod.same_as(last_)) return report("unchanged", name, "");
    last_ = mod;
    judged(name, runs_.judge(pass_name, mod, ModuleRuns::Effort::kCompile));
  }
  // `words`: what is compiled.
  void compiled(const std::string& words, const ir::IRModule& mod, const ir::ffi::Module& built) {
    if (wrong_.empty()) judged(words, runs_.judge_compiled(mod, built));
  }

 private:
  void judged(const std::string& name, const ModuleRuns::Judgement& judgement) {
    if (!judgement.difference.empty()) {
      wrong_ = name;
      return report("DIFFERENT", name, judgement.difference);
    }
    report(judgement.not_run.empty() ? "same" : "not run", name, judgement.not_run);
  }

  ModuleRuns runs_;
  ir::IRModule last_;
  std::string wrong_;
  bool json_;
  Progress progress_;
};

}  // namespace

int run_bisect(const CommandLine& given) {
  CommandLine line = given;
  ir::Target target = target_of(line);
  if (const backend::Backend* maker = backend::find_backend(target);
      maker != nullptr && maker->device != kDLCPU)
    throw CallError{
        fmt::format("`bisect` compares runs on the CPU, and `{}` is for a device", std::string(target->kind)),
        "`mlc build --dump all` writes the stages; `mlc.interpret` runs each of them"};
  Interpreter evaluator;
  if (line.check_bounds) check_bounds(evaluator);
  NamedModule found = chosen_module(evaluator, load_program(evaluator, line.file), line.module);
  bool graphs = has_graphs(found.mod);
  if (graphs && line.pipeline == "default") line.pipeline = "graph";
  transform::Pipeline pipeline = pipeline_of(line, target, evaluator);
  if (!line.json) {
    fmt::print("{}: `{}`, pipeline `{}`, {} passes\n", visible(line.file), visible(found.name), line.pipeline,
               pipeline.size());
    std::fflush(stdout);
  }
  Bisection bisection(found.mod, evaluator, line.json);
  // What it came to: in words, and as the last object.
  auto result = [&](const std::string& words) {
    if (!line.json) {
      fmt::print("  {}\n", words);
      return;
    }
    nlohmann::ordered_json all{{"file", line.file},          {"module", found.name},
                               {"pipeline", line.pipeline},  {"functions", bisection.how()},
                               {"wrong", bisection.wrong()}, {"result", words}};
    print_event("result", all);
  };
  if (!bisection.any_runs()) {
    result("no function of it can be run");
    return 1;
  }
  ir::IRModule mod = found.mod;
  const backend::Backend& maker = backend::backend_of(target);
  if (line.schedule == "auto" && !maker.schedule_rules.empty() && !graphs) {
    mod = *module_in(evaluator, schedule_by_rules(evaluator, maker.schedule_rules, mod, line.target));
    bisection.step("schedule by the rules of mlc.schedule", "", mod);
  }
  for (size_t i = 0; i < pipeline.size() && bisection.wrong().empty(); ++i) {
    bisection.at(stage_name(pipeline, i + 1));
    try {
      mod = pipeline.run(i, mod);
    } catch (const ir::Error& error) {
      bisection.report("REFUSED", stage_name(pipeline, i + 1), "");
      throw;
    }
    bisection.step(stage_name(pipeline, i + 1), pipeline.pass_name(i), mod);
  }
  bool own = line.target == std::string(target->kind);  // no attributes: this machine's
  if (own && bisection.wrong().empty()) {
    std::string words = graphs ? "compiled tensor functions" : "compiled code";
    bisection.at(words);
    script::define_of_library(mod, evaluator);
    bisection.compiled(words, mod, backend::build_lowered(graphs ? tensor_functions_of(mod) : mod, target));
  }
  if (bisection.wrong().empty()) {
    result("no step changes what it computes");
    return 0;
  }
  result(fmt::format("the first step that changes what it computes: {}", bisection.wrong()));
  return 1;
}

namespace {

// `StmtSimplify` and `NarrowDataType(32)` as scripts write them: with the namespace and parentheses.
std::string as_call(std::string_view word) {
  std::string_view name = word.substr(0, word.find('('));
  const transform::Pass& pass = transform::find_pass(name);
  return fmt::format("tvm.{}.{}{}", pass.owner, word, name.size() == word.size() ? "()" : "");
}

// At commas outside of parentheses, brackets and braces.
std::vector<std::string> split_calls(const std::string& text) {
  std::vector<std::string> words(1);
  int depth = 0;
  for (char c : text) {
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0) {
      words.emplace_back();
    } else if (c != ' ' || depth > 0) {
      words.back() += c;
    }
  }
  return words;
}

}  // namespace

int run_opt(const CommandLine& line) {
  Interpreter evaluator;
  std::string sequence = "mlc.pipeline.get()";
  if (!line.passes.empty()) {
    sequence = "tvm.transform.Sequential([";
    for (const std::string& word : split_calls(line.passes)) {
      try {
        sequence += as_call(word) + ", ";
      } catch (const ir::Error& error) {
        throw CallError{error.first().message, error.first().help};
      }
    }
    sequence += "])";
  }
  Progress progress;
  progress.at("running the program");
  NamedModule found = chosen_module(evaluator, load_program(evaluator, line.file), line.module);
  progress.at(fmt::format("passes on `{}`", visible(found.name)));
  uint32_t source = ir::SourceMap::current().add(
      "<--passes>", fmt::format("import mlc.pipeline\nimport tvm\n{}\n", sequence));
  Any arguments[] = {found.mod};
  Any result = evaluator.call(evaluator.evaluate_repl(source), arguments);
  found.mod = *module_in(evaluator, result);
  std::string text = print::file_text(found.mod, {});
  progress.clear();
  show_program(line, found, text);
  return 0;
}

}  // namespace mlc::repl
