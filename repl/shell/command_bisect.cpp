// SPDX-License-Identifier: Apache-2.0
// mlc bisect: the first pass that changes what a program computes. mlc opt: a program after passes.
#include <fmt/format.h>

#include "backend/artefact/build.h"
#include "frontend/print/highlight.h"
#include "frontend/print/print.h"
#include "frontend/script/modules/global_functions.h"
#include "repl/shell/command_line.h"
#include "repl/shell/differential_run.h"
#include "repl/shell/interpreter.h"
#include "repl/shell/program.h"
#include "repl/shell/source.h"
#include "repl/shell/stages.h"

namespace mlc::repl {

using ir::Any;

namespace {

// The verdicts on the steps, one line each, until a step is wrong.
class Bisection {
 public:
  Bisection(const ir::IRModule& mod, script::Evaluator& evaluator)
      : trials_(differential_runs_of(mod, evaluator)), last_(mod) {
    for (const DifferentialRun& trial : trials_) fmt::print("  {}\n", trial.how());
  }
  bool any_runs() const {
    return std::any_of(trials_.begin(), trials_.end(), [](const DifferentialRun& trial) { return trial.runs(); });
  }
  const std::string& wrong() const { return wrong_; }

  void step(const std::string& name, const ir::IRModule& mod) {
    if (!wrong_.empty()) return;
    if (mod.same_as(last_)) return report("unchanged", name, "");
    last_ = mod;
    judge(name, [&](const DifferentialRun& trial, bool* not_run) { return trial.difference(mod, not_run); });
  }
  void compiled(const ir::ffi::Module& built) {
    if (!wrong_.empty()) return;
    judge("compiled code", [&](const DifferentialRun& trial, bool* not_run) {
      return trial.difference(
          [&](const std::string& function, const std::vector<Any>& args) {
            return backend::run_built(built, function, args);
          },
          not_run);
    });
  }

 private:
  void report(std::string_view verdict, const std::string& name, const std::string& why) {
    fmt::print("  {:<9}  {}{}{}\n", verdict, name, why.empty() ? "" : ": ", why);
  }
  template <class F>
  void judge(const std::string& name, F&& difference) {
    bool not_run = false;
    for (const DifferentialRun& trial : trials_) {
      std::string found = difference(trial, &not_run);
      if (found.empty()) continue;
      wrong_ = name;
      return report("DIFFERENT", name, found);
    }
    report(not_run ? "not run" : "same", name, not_run ? "the interpreter does not know all of it" : "");
  }

  std::vector<DifferentialRun> trials_;
  ir::IRModule last_;
  std::string wrong_;
};

}  // namespace

int run_bisect(const CommandLine& line) {
  ir::Target target = target_of(line);
  Interpreter evaluator;
  if (line.check_bounds) check_bounds(evaluator);
  NamedModule found = chosen_module(evaluator, load_program(evaluator, line.file), line.module);
  transform::Pipeline pipeline = pipeline_of(line, target, evaluator);
  fmt::print("{}: `{}`, pipeline `{}`, {} passes\n", line.file, found.name, line.pipeline, pipeline.size());
  Bisection bisection(found.mod, evaluator);
  if (!bisection.any_runs()) {
    fmt::print("  no function of it can be run\n");
    return 1;
  }
  ir::IRModule mod = found.mod;
  const backend::Backend& maker = backend::backend_of(target);
  if (line.schedule == "auto" && !maker.schedule_rules.empty()) {
    mod = *module_in(evaluator, schedule_by_rules(evaluator, maker.schedule_rules, mod, line.target));
    bisection.step("schedule by the rules of mlc.schedule", mod);
  }
  for (size_t i = 0; i < pipeline.size() && bisection.wrong().empty(); ++i) {
    try {
      mod = pipeline.run(i, mod);
    } catch (const ir::Error& error) {
      fmt::print("  {:<9}  {}\n", "REFUSED", stage_name(pipeline, i + 1));
      throw;
    }
    bisection.step(stage_name(pipeline, i + 1), mod);
  }
  bool own = line.target == std::string(target->kind);  // no attributes: this machine's
  if (own && bisection.wrong().empty()) {
    script::define_of_library(mod, evaluator);
    bisection.compiled(backend::build_lowered(mod, target));
  }
  if (bisection.wrong().empty()) {
    fmt::print("  no step changes what it computes\n");
    return 0;
  }
  fmt::print("  the first step that changes what it computes: {}\n", bisection.wrong());
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
  NamedModule found = chosen_module(evaluator, load_program(evaluator, line.file), line.module);
  uint32_t source = ir::SourceMap::current().add(
      "<--passes>", fmt::format("import mlc.pipeline\nimport tvm\n{}\n", sequence));
  Any arguments[] = {found.mod};
  Any result = evaluator.call(evaluator.evaluate_repl(source), arguments);
  std::string text = print::file_text(*module_in(evaluator, result), {});
  if (print::wants_colour(1)) text = print::highlight(text);
  fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n");
  return 0;
}

}  // namespace mlc::repl
