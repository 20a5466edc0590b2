// SPDX-License-Identifier: Apache-2.0
// What schedules and passes have made, beside what they began with.
#include <fmt/format.h>

#include <algorithm>

#include "repl/session/commands.h"
#include "repl/session/session.h"
#include "repl/shell/deadline.h"
#include "repl/shell/progress.h"
#include "repl/shell/source.h"
#include "repl/shell/verify.h"

namespace mlc::repl::commands_check {
namespace {

constexpr double kSeconds = 10;  // unless `--budget` says otherwise
constexpr double kWorkPerSecond =
    5e7;  // of the budget, for one run: a fifth of what loops of one statement reach

// What is left of a check: what it may run, and what has stopped it.
class Check {
 public:
  explicit Check(double seconds) : deadline_(seconds) {
    limits.most_work = seconds * kWorkPerSecond;
    limits.before = [this](const std::string& what) {
      deadline_.check();
      progress.at(what);
    };
  }
  // Compares something. False when it was stopped, be it by the clock or by Ctrl-C: then it is blamed for
  // nothing.
  template <class F>
  bool compare(Session& session, const std::string& name, F&& run) {
    try {
      deadline_.check();
      run();
      return true;
    } catch (const ir::Error& error) {
      if (error.first().kind != "KeyboardInterrupt") throw;
      progress.clear();
      session.show(
          deadline_.passed()
              ? fmt::format("{}: not finished in {:g} s; nothing differed until then: `:check --budget "
                            "{:g}` goes on longer\n",
                            name, deadline_.seconds(), deadline_.seconds() * 6)
              : fmt::format("{}: interrupted; nothing differed until then\n", name));
      return false;
    }
  }

  RunLimits limits;
  Progress progress;

 private:
  Deadline deadline_;
};

// Every schedule that is bound, against its beginning. False when it was stopped.
bool check_schedules(Session& session, std::string_view wanted, Check& check, bool& any) {
  std::vector<const ir::ffi::Object*> seen;
  for (const auto& [name, value] : session.evaluator().globals()) {
    if (!wanted.empty() && name != wanted) continue;
    if (!script::is_object(value) || name == "_") continue;
    auto schedule = value.as<transform::Schedule>();
    if (!schedule || std::find(seen.begin(), seen.end(), schedule->get()) != seen.end()) continue;
    seen.push_back(schedule->get());
    any = true;
    BesideBeginning found;
    bool finished = check.compare(
        session, name, [&] { found = compare_with_beginning(session.evaluator(), *schedule, check.limits); });
    if (!finished) return false;
    check.progress.clear();
    session.show(fmt::format("{}: {}\n", name,
                             !found.difference.empty() ? "differs: " + found.difference
                             : found.all_run           ? "nothing differs from the beginning"
                                                       : "nothing that was run differs from the beginning"));
    for (const std::string& function : found.functions) session.show(fmt::format("  {}\n", function));
    if (!found.difference.empty() || !found.all_run) continue;
    for (size_t each : session.path()) {
      const State& state = session.states()[each];
      bool is_of_it = std::ranges::find(state.schedules, name) != state.schedules.end();
      if (is_of_it && state.verdict != "proved") session.set_verdict(each, "tested");
    }
  }
  return true;
}

std::string shown(const StepVerdict& verdict) {
  return verdict.reason.empty() ? std::string(name_of(verdict.verdict))
                                : fmt::format("{}: {}", name_of(verdict.verdict), verdict.reason);
}

// The passes that steps have called, each row of them against the module that it began with. False when it
// was stopped.
bool check_passes(Session& session, std::string_view wanted, Check& check, bool& any) {
  std::vector<transform::PassRun> runs;
  std::vector<size_t> step_of;
  for (size_t each : session.path()) {
    for (const transform::PassRun& run : session.states()[each].passes) {
      runs.push_back(run);
      step_of.push_back(each);
    }
  }
  const std::vector<NamedModule>& modules = session.states()[session.position()].modules;
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
    std::string name = named == modules.end() ? "passes" : named->name;
    Verification found;
    bool finished = check.compare(session, name,
                                  [&] { found = verify_passes(session.evaluator(), row, {}, check.limits); });
    if (!finished) return false;
    check.progress.clear();
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
    session.show(fmt::format("{}: {} from the module that its passes began with\n", name,
                             found.wrong ? "differs"
                             : ran       ? "nothing differs"
                                         : "nothing that was run differs"));
    session.show(text);
    for (const std::string& function : found.functions) session.show(fmt::format("  {}\n", function));
  }
  return true;
}

void check_all(Session& session, std::string_view arguments) {
  std::string_view wanted;
  double seconds = kSeconds;
  while (!arguments.empty()) {
    std::string_view word = take_word(arguments);
    if (word == "--budget") {
      seconds = seconds_of(take_word(arguments));
    } else if (word.starts_with("--") || !wanted.empty()) {
      no_more("check", word);
    } else {
      wanted = word;
    }
  }
  Check check(seconds);
  bool any = false;
  if (!check_schedules(session, wanted, check, any) || !check_passes(session, wanted, check, any) || any)
    return;
  throw CallError{wanted.empty() ? "no schedule is bound, and no statement has called a pass"
                                 : fmt::format("no schedule `{}` is bound, and no pass has made it", wanted),
                  "`sch = tvm.s_tir.Schedule(Module)` makes one"};
}

constexpr Command kRows[] = {
    {"check", "[NAME] [--budget N]",
     "run what schedules and passes have made beside what they began with, on random inputs",
     "    :check\n    :check sch --budget 60\n"
     "  It takes N seconds at most, 10 by default. Of a function that would take longer some rows are "
     "compared; it\n"
     "  says which.\n",
     check_all, Argument::kName},
};

}  // namespace

extern const Commands check{kRows};

}  // namespace mlc::repl::commands_check
