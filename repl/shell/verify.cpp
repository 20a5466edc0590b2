// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/verify.h"

#include <optional>

#include "repl/shell/differential_run.h"
#include "repl/shell/module_runs.h"
#include "transform/schedule/primitive.h"

namespace mlc::repl {

using transform::Schedule;

std::string_view name_of(Verdict verdict) {
  static constexpr std::string_view names[] = {"proved", "tested", "unchecked", "WRONG"};
  return names[static_cast<size_t>(verdict)];
}

Verification verify_schedule(script::Evaluator& evaluator, const Schedule& schedule, const AtWork& at_work) {
  auto at = [&](const std::string& step) {
    if (at_work) at_work(step);
  };
  Verification result;
  at("its beginning runs");
  std::vector<DifferentialRun> trials = differential_runs_of(schedule->beginning, evaluator);
  for (const DifferentialRun& trial : trials) result.functions.push_back(trial.how());
  std::vector<std::string> lines = schedule->trace->lines(false);
  const auto& instructions = schedule->trace->instructions;
  // Compiled code is run at the end; only when that differs, after each step.
  bool every_step = false;
  auto take = [&] {
    result.steps.clear();
    result.wrong = false;
    Schedule again = transform::make_schedule(schedule->beginning, 1, schedule->enable_check);
    const ir::IRModuleNode* last = schedule->beginning.get();
    size_t done = 0;
    auto step = [&](size_t index) {
      done = index + 1;
      if (transform::is_pure(*instructions[index].primitive)) return;
      at(lines[index]);
      StepVerdict verdict{.step = lines[index], .reason = {}};
      verdict.reason = transform::assumption_of(instructions[index], *schedule);
      verdict.trusts = !verdict.reason.empty();
      if (verdict.trusts) verdict.verdict = all_run(trials) ? Verdict::kTested : Verdict::kUnchecked;
      const ir::IRModule& now = again->state->mod();
      if (now.get() != last && !result.wrong) {
        if (std::string found = difference(trials, now, !every_step); !found.empty()) {
          verdict.verdict = Verdict::kWrong;
          verdict.reason = found;
          result.wrong = true;
        }
      }
      last = now.get();
      result.steps.push_back(std::move(verdict));
    };
    try {
      transform::apply_trace(*schedule->trace, transform::mutable_schedule(again), evaluator, false, nullptr,
                             step);
    } catch (const ir::Error& error) {
      result.wrong = true;
      result.steps.push_back({.step = lines[done],
                              .verdict = Verdict::kWrong,
                              .reason = fmt::format("refused when it is taken again: {}", error.what())});
    }
  };
  take();
  at("its end runs");
  if (!result.wrong && !difference(trials, schedule->state->mod()).empty()) {
    every_step = true;
    take();
  }
  return result;
}

std::vector<std::span<const transform::PassRun>> rows_of(std::span<const transform::PassRun> runs) {
  std::vector<std::span<const transform::PassRun>> result;
  for (size_t first = 0, i = 1; i <= runs.size(); ++i) {
    if (i < runs.size() && runs[i].before.same_as(runs[i - 1].after)) continue;
    result.push_back(runs.subspan(first, i - first));
    first = i;
  }
  return result;
}

Verification verify_passes(script::Evaluator& evaluator, std::span<const transform::PassRun> runs,
                           const AtWork& at_work, const RunLimits& limits) {
  Verification result;
  ModuleRuns module_runs(runs.front().before, evaluator, limits);
  result.functions = module_runs.how();
  for (const transform::PassRun& run : runs) {
    if (at_work) at_work(run.name);
    StepVerdict verdict;
    if (run.after.same_as(run.before)) {
      verdict.reason = "it changes nothing";
    } else {
      ModuleRuns::Judgement judgement = module_runs.judge(run.name, run.after, ModuleRuns::Effort::kInterpret);
      verdict.verdict = !judgement.difference.empty() ? Verdict::kWrong
                        : !judgement.not_run.empty()  ? Verdict::kUnchecked
                                                      : Verdict::kTested;
      verdict.reason = judgement.difference.empty() ? judgement.not_run : judgement.difference;
    }
    verdict.step = run.name;
    result.wrong = result.wrong || verdict.verdict == Verdict::kWrong;
    result.steps.push_back(std::move(verdict));
    if (result.wrong) break;  // what follows goes on from there
  }
  return result;
}

BesideBeginning compare_with_beginning(script::Evaluator& evaluator, const Schedule& schedule,
                                       const RunLimits& limits) {
  BesideBeginning found;
  std::vector<DifferentialRun> trials = differential_runs_of(schedule->beginning, evaluator, limits);
  for (const DifferentialRun& trial : trials) found.functions.push_back(trial.how());
  bool not_run = false;
  found.difference = difference(trials, schedule->state->mod(), false, &not_run);
  found.all_run = all_run(trials) && !not_run;
  return found;
}

}  // namespace mlc::repl
