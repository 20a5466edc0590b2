// SPDX-License-Identifier: Apache-2.0
// mlc verify: the verdict on each step of each schedule that a program makes.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "repl/command_line.h"
#include "repl/program.h"
#include "repl/verify.h"

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

void print_text(const std::string& file, const std::string& name, const Verification& found) {
  fmt::print("{}: schedule {}, {} step{}\n", file, name, found.steps.size(),
             found.steps.size() == 1 ? "" : "s");
  for (size_t i = 0; i < found.steps.size(); ++i) {
    const StepVerdict& step = found.steps[i];
    fmt::print("  {:>3}  {:<9}  {}\n", i + 1, repl::name_of(step.verdict), step.step);
    if (step.reason.empty()) continue;
    bool trusted = step.verdict != Verdict::kWrong;
    fmt::print("       {:<9}  {}{}\n", "", trusted ? "taken on trust: " : "", step.reason);
  }
  for (const std::string& function : found.functions) fmt::print("  {}\n", function);
  fmt::print("  {}\n", found.wrong ? "it does not compute what the beginning does"
                                   : "nothing differs from the beginning");
}

void print_json(const std::string& file, const std::string& name, const Verification& found) {
  nlohmann::ordered_json steps = nlohmann::ordered_json::array();
  for (const StepVerdict& step : found.steps) {
    steps.push_back({{"step", step.step},
                     {"verdict", step.verdict == Verdict::kWrong ? "wrong" : repl::name_of(step.verdict)},
                     {"reason", step.reason}});
  }
  nlohmann::ordered_json all = {{"file", file},
                                {"schedule", name},
                                {"wrong", found.wrong},
                                {"steps", steps},
                                {"functions", found.functions}};
  fmt::print("{}\n", all.dump());
}

}  // namespace

int run_verify(const CommandLine& line) {
  script::Evaluator evaluator;
  std::vector<transform::Schedule> made;
  transform::schedules_made() = &made;
  evaluator.out = [](std::string_view) {};
  try {
    run_program(evaluator, line.file, line.arguments);
  } catch (const script::Evaluator::SystemExit&) {
    // What it has made by then counts.
  } catch (...) {
    transform::schedules_made() = nullptr;
    throw;
  }
  transform::schedules_made() = nullptr;
  size_t count = 0;
  bool wrong = false;
  for (const transform::Schedule& schedule : made) {
    if (schedule->trace->instructions.empty()) continue;
    std::string name = name_of(evaluator, schedule, ++count);
    Verification found = verify_schedule(evaluator, schedule);
    if (found.steps.empty()) continue;
    wrong = wrong || found.wrong;
    line.json ? print_json(line.file, name, found) : print_text(line.file, name, found);
  }
  if (count == 0 && !line.json) fmt::print("{}: no schedule was made\n", line.file);
  return wrong ? 1 : 0;
}

}  // namespace mlc::repl
