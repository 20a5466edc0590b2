// SPDX-License-Identifier: Apache-2.0
#include "repl/verify.h"

#include <optional>

#include "repl/trial.h"
#include "transform/schedule/primitive.h"

namespace mlc::repl {

using transform::Schedule;

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kProved:
      return "proved";
    case Verdict::kTested:
      return "tested";
    case Verdict::kUnchecked:
      return "unchecked";
    case Verdict::kWrong:
      return "WRONG";
  }
  return "";
}

Verdict verdict_of(const transform::Instruction& instruction, const Schedule& schedule) {
  return transform::assumption_of(instruction, *schedule).empty() ? Verdict::kProved : Verdict::kUnchecked;
}

Verification verify_schedule(script::Evaluator& evaluator, const Schedule& schedule) {
  Verification result;
  std::vector<Trial> trials = trials_of(schedule->beginning);
  for (const Trial& trial : trials) result.functions.push_back(trial.how());
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
      StepVerdict verdict{.step = lines[index], .reason = {}};
      verdict.reason = transform::assumption_of(instructions[index], *schedule);
      if (!verdict.reason.empty()) verdict.verdict = all_run(trials) ? Verdict::kTested : Verdict::kUnchecked;
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
  if (!result.wrong && !difference(trials, schedule->state->mod()).empty()) {
    every_step = true;
    take();
  }
  return result;
}

std::string compare_with_beginning(const Schedule& schedule, std::vector<std::string>& functions) {
  std::vector<Trial> trials = trials_of(schedule->beginning);
  for (const Trial& trial : trials) functions.push_back(trial.how());
  return difference(trials, schedule->state->mod());
}

}  // namespace mlc::repl
