// SPDX-License-Identifier: Apache-2.0
// mlc verify: the verdict on each step of each schedule that a program makes, and on each pass it calls.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "backend/backend.h"
#include "repl/session/table.h"
#include "repl/shell/command_line.h"
#include "repl/shell/interpreter.h"
#include "repl/shell/program.h"
#include "repl/shell/progress.h"
#include "repl/shell/report.h"
#include "repl/shell/source.h"
#include "repl/shell/verify.h"

namespace mlc::repl {

namespace {

// What the program calls a schedule, or which one it is.
std::string name_of(const script::Evaluator& evaluator, const transform::Schedule& schedule, size_t number) {
  for (const auto& [name, value] : evaluator.globals()) {
    if (script::is_object(value) && script::raw_object(value) == schedule.get())
      return fmt::format("`{}`", name);
  }
  return fmt::format("number {}", number);
}

// `what`: "schedule `sch`, 3 steps".
void print_text(const std::string& file, const std::string& what, const Verification& found) {
  fmt::print("{}: {}\n", visible(file), visible(what));
  for (size_t i = 0; i < found.steps.size(); ++i) {
    const StepVerdict& step = found.steps[i];
    fmt::print("  {:>3}  {:<9}  {}\n", i + 1, repl::name_of(step.verdict), step.step);
    if (step.reason.empty()) continue;
    bool trusted = step.trusts && step.verdict != Verdict::kWrong;
    fmt::print("       {:<9}  {}{}\n", "", trusted ? "taken on trust: " : "", step.reason);
  }
  for (const std::string& function : found.functions) fmt::print("  {}\n", function);
  fmt::print("  {}\n", found.wrong ? "it does not compute what the beginning does"
                                   : "nothing differs from the beginning");
}

// `kind`: "schedule", with its name, or "passes", with the number of the row of passes.
void print_json(const std::string& file, const std::string& kind, const std::string& name,
                const Verification& found) {
  nlohmann::ordered_json steps = nlohmann::ordered_json::array();
  for (const StepVerdict& step : found.steps) {
    steps.push_back({{"step", step.step},
                     {"verdict", step.verdict == Verdict::kWrong ? "wrong" : repl::name_of(step.verdict)},
                     {"reason", step.reason}});
  }
  nlohmann::ordered_json all = {
      {"file", file}, {kind, name}, {"wrong", found.wrong}, {"steps", steps}, {"functions", found.functions}};
  print_event("verdict", all);
}

}  // namespace

namespace {

// Notes the schedules that a program makes, and the passes that it calls, while it lives.
struct Notes {
  transform::PassNotes passes;

  Notes(std::vector<transform::Schedule>& schedules, std::vector<transform::PassRun>& runs) : passes(&runs) {
    transform::schedules_made() = &schedules;
  }
  ~Notes() { transform::schedules_made() = nullptr; }
  Notes(const Notes&) = delete;
};

}  // namespace

int run_verify(const CommandLine& line) {
  Progress progress;
  progress.at("running the program");
  backend::simulate_gpus(backend::Simulate::kMissing);
  Interpreter evaluator;
  evaluator.out = [](std::string_view) {};
  std::vector<transform::Schedule> schedules;
  std::vector<transform::PassRun> passes;
  try {
    Notes notes(schedules, passes);
    line.main_part ? run_program(evaluator, line.file, line.arguments)
                   : static_cast<void>(load_program(evaluator, line.file));
  } catch (const script::Evaluator::SystemExit&) {
    // What it has made by then counts.
  }
  size_t count = 0;
  bool wrong = false;
  for (const transform::Schedule& schedule : schedules) {
    if (schedule->trace->instructions.empty()) continue;
    std::string name = name_of(evaluator, schedule, ++count);
    Verification found = verify_schedule(evaluator, schedule, [&](const std::string& step) {
      progress.at(fmt::format("schedule {}: {}", visible(name), visible(step)));
    });
    progress.clear();
    if (found.steps.empty()) continue;
    wrong = wrong || found.wrong;
    std::string what = fmt::format("schedule {}, {}", name, counted(found.steps.size(), "step"));
    line.json ? print_json(line.file, "schedule", name, found) : print_text(line.file, what, found);
  }
  size_t row = 0;
  for (std::span<const transform::PassRun> runs : rows_of(passes)) {
    Verification found = verify_passes(evaluator, runs, [&](const std::string& step) {
      progress.at(fmt::format("row {} of passes: {}", row + 1, visible(step)));
    });
    progress.clear();
    wrong = wrong || found.wrong;
    std::string what = counted(runs.size(), "pass");
    line.json ? print_json(line.file, "passes", fmt::format("row {}", ++row), found)
              : print_text(line.file, what, found);
  }
  progress.clear();
  if (count == 0 && passes.empty() && !line.json) {
    fmt::print("{}: no schedule was made and no pass called{}\n", visible(line.file),
               line.main_part
                   ? ""
                   : "; `mlc verify --main` runs what stands under `if __name__ == \"__main__\"` as well");
  }
  return wrong ? 1 : 0;
}

}  // namespace mlc::repl
