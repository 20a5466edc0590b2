// SPDX-License-Identifier: Apache-2.0
// What schedules and passes have made, beside what they began with.
#include <fmt/format.h>

#include <algorithm>

#include "repl/session/commands.h"
#include "repl/session/session.h"
#include "repl/shell/source.h"
#include "repl/shell/verify.h"

namespace mlc::repl::commands_check {
namespace {

// Every schedule that is bound, against its beginning.
bool check_schedules(Session& session, std::string_view wanted) {
  std::vector<const ir::ffi::Object*> seen;
  for (const auto& [name, value] : session.evaluator().globals()) {
    if (!wanted.empty() && name != wanted) continue;
    if (!script::is_object(value) || name == "_") continue;
    auto schedule = value.as<transform::Schedule>();
    if (!schedule || std::find(seen.begin(), seen.end(), schedule->get()) != seen.end()) continue;
    seen.push_back(schedule->get());
    std::vector<std::string> functions;
    bool all_run = false;
    std::string found = compare_with_beginning(session.evaluator(), *schedule, functions, all_run);
    session.show(fmt::format("{}: {}\n", name,
                             found.empty() ? "nothing differs from the beginning" : "differs: " + found));
    for (const std::string& function : functions) session.show(fmt::format("  {}\n", function));
    if (!found.empty() || !all_run) continue;
    for (size_t each : session.path()) {
      const State& state = session.states()[each];
      bool is_of_it = std::ranges::find(state.schedules, name) != state.schedules.end();
      if (is_of_it && state.verdict != "proved") session.set_verdict(each, "tested");
    }
  }
  return !seen.empty();
}

std::string shown(const StepVerdict& verdict) {
  return verdict.reason.empty() ? std::string(name_of(verdict.verdict))
                                : fmt::format("{}: {}", name_of(verdict.verdict), verdict.reason);
}

// The passes that steps have called, each row of them against the module that it began with.
bool check_passes(Session& session, std::string_view wanted) {
  std::vector<transform::PassRun> runs;
  std::vector<size_t> step_of;
  for (size_t each : session.path()) {
    for (const transform::PassRun& run : session.states()[each].passes) {
      runs.push_back(run);
      step_of.push_back(each);
    }
  }
  const std::vector<NamedModule>& modules = session.states()[session.position()].modules;
  bool any = false;
  for (std::span<const transform::PassRun> row : rows_of(runs)) {
    auto named_after = [&](const transform::PassRun& run) {
      return std::find_if(modules.begin(), modules.end(), [&](const NamedModule& m) {
        return m.mod.same_as(run.after) && (wanted.empty() || m.name == wanted);
      });
    };
    // The row as far as the module asked for; else all of it.
    while (!wanted.empty() && !row.empty() && named_after(row.back()) == modules.end())
      row = row.first(row.size() - 1);
    if (row.empty()) continue;
    auto named = named_after(row.back());
    any = true;
    Verification found = verify_passes(session.evaluator(), row);
    std::string text;
    for (size_t i = 0; i < found.steps.size(); ++i) {
      const StepVerdict& verdict = found.steps[i];
      text += fmt::format("  {}: {}\n", verdict.step, shown(verdict));
      size_t step = step_of[row.data() - runs.data() + i];
      bool first = i == 0 || step_of[row.data() - runs.data() + i - 1] != step;
      if (first || verdict.verdict >= Verdict::kUnchecked) session.set_verdict(step, shown(verdict));
    }
    bool ran = std::none_of(found.steps.begin(), found.steps.end(),
                            [](const StepVerdict& v) { return v.verdict == Verdict::kUnchecked; });
    session.show(fmt::format("{}: {} from the module that its passes began with\n",
                             named == modules.end() ? "passes" : named->name,
                             found.wrong ? "differs"
                             : ran       ? "nothing differs"
                                         : "nothing that was run differs"));
    session.show(text);
    for (const std::string& function : found.functions) session.show(fmt::format("  {}\n", function));
  }
  return any;
}

void check_all(Session& session, std::string_view arguments) {
  std::string_view wanted = take_word(arguments);
  no_more("check", arguments);
  bool schedules = check_schedules(session, wanted);
  bool passes = check_passes(session, wanted);
  if (schedules || passes) return;
  throw CallError{wanted.empty() ? "no schedule is bound, and no statement has called a pass"
                                 : fmt::format("no schedule `{}` is bound, and no pass has made it", wanted),
                  "`sch = tvm.s_tir.Schedule(Module)` makes one"};
}

constexpr Command kRows[] = {
    {"check", "[NAME]",
     "run what schedules and passes have made beside what they began with, on random inputs",
     "    :check\n    :check sch\n", check_all, Argument::kName},
};

}  // namespace

extern const Commands check{kRows};

}  // namespace mlc::repl::commands_check
