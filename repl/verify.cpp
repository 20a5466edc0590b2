// SPDX-License-Identifier: Apache-2.0
#include "repl/verify.h"

#include <optional>

#include "backend/build.h"
#include "backend/interp/compare.h"
#include "transform/schedule/primitive.h"

namespace mlc::repl {

using ir::Any;
using transform::Schedule;

namespace {

constexpr uint64_t kSeeds[] = {7, 8, 9};
// Statements that compiled code may run, roughly ten seconds.
constexpr double kMostCompiledWork = 1e10;

// One function of a module as it was at the beginning, with inputs and what it makes of them.
class Trial {
 public:
  Trial(const ir::IRModule& mod, std::string name, const ir::PrimFunc& fn) : name_(std::move(name)), fn_(fn) {
    double work = interp::work(fn->body);
    bool threads = interp::has_threads(fn->body);
    if (work > interp::kMostWork && (threads || work > kMostCompiledWork)) {
      how_ = "not run: it would take too long";
      return;
    }
    interpreted_ = work <= interp::kMostWork;
    try {
      for (uint64_t seed : kSeeds) {
        std::vector<Any> args = interp::random_arguments(fn, seed);
        expected_.push_back(run(mod, args));
        args_.push_back(std::move(args));
        if (!interpreted_) break;
      }
      how_ = fmt::format("{}, {} random input{}", interpreted_ ? "interpreted" : "compiled", args_.size(),
                         args_.size() == 1 ? "" : "s");
    } catch (const ir::Error& error) {
      args_.clear();
      how_ = fmt::format("not run: on random inputs the beginning stops with {}", error.first().name);
    }
  }

  bool runs() const { return !args_.empty(); }
  bool cheap() const { return interpreted_; }
  std::string how() const { return fmt::format("`{}`: {}", name_, how_); }

  // What differs in a later module; empty when nothing does.
  std::string difference(const ir::IRModule& mod) const {
    for (size_t i = 0; i < args_.size(); ++i) {
      try {
        auto found = interp::first_difference(expected_[i], run(mod, args_[i]));
        if (found) return found->text(fn_);
      } catch (const ir::Error& error) {
        if (error.first().name == "interpret-unsupported") return "";
        return fmt::format("it stops with {}: {}", error.first().name, error.what());
      }
    }
    return "";
  }

 private:
  std::vector<Any> run(const ir::IRModule& mod, const std::vector<Any>& args) const {
    if (interpreted_) return interp::interpret(mod, name_, args);
    return backend::run_compiled(mod, name_, args);
  }

  std::string name_;
  ir::PrimFunc fn_;
  bool interpreted_ = true;
  std::vector<std::vector<Any>> args_, expected_;
  std::string how_;
};

std::vector<Trial> trials_of(const ir::IRModule& mod) {
  std::vector<Trial> trials;
  for (const auto& [var, function] : mod->functions) {
    if (auto fn = Any(function).as<ir::PrimFunc>())
      trials.emplace_back(mod, std::string(var->name_hint), *fn);
  }
  return trials;
}

std::string difference(const std::vector<Trial>& trials, const ir::IRModule& mod, bool only_cheap = false) {
  for (const Trial& trial : trials) {
    if (only_cheap && !trial.cheap()) continue;
    if (std::string found = trial.difference(mod); !found.empty()) return found;
  }
  return "";
}

bool all_run(const std::vector<Trial>& trials) {
  return std::all_of(trials.begin(), trials.end(), [](const Trial& trial) { return trial.runs(); });
}

}  // namespace

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
