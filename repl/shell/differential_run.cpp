// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/differential_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "backend/interp/compare.h"
#include "repl/shell/build_rows.h"

namespace mlc::repl {

using ir::Any;

namespace {

using Floats = interp::Values;
// Floats that no order of summation rounds, those that show rounding, the edges of types; and sizes that
// leave loops without a step, with one, and with a rest.
constexpr interp::Values kValues[] = {{.floats = Floats::kExact},
                                      {.floats = Floats::kUniform},
                                      {.floats = Floats::kBoundary, .boundary_integers = true},
                                      {.floats = Floats::kExact, .size = 0},
                                      {.floats = Floats::kExact, .size = 1},
                                      {.floats = Floats::kExact, .boundary_integers = true, .size = 33}};

bool has_sizes(const ir::PrimFunc& fn) {
  return std::any_of(fn->params.begin(), fn->params.end(), [](const ir::Var& param) {
    if (param->buffer() == nullptr) return param->dtype().is_int();
    const auto& shape = param->buffer()->shape;
    return std::any_of(shape.begin(), shape.end(), [](const ir::Expr& dim) { return !ir::const_int(dim); });
  });
}

// Statements that compiled code may run, roughly two seconds.
constexpr double kMostCompiledWork = 2e9;

}  // namespace

DifferentialRun::DifferentialRun(const ir::IRModule& mod, std::string name, const ir::PrimFunc& fn,
                                 ir::Host& host)
    : host_(&host), name_(std::move(name)), fn_(fn) {
  double work = interp::work(fn->body);
  bool threads = interp::has_threads(fn->body);
  if (work > interp::kMostWork && (threads || work > kMostCompiledWork)) {
    how_ = "it would take too long";
    return;
  }
  interpreted_ = work <= interp::kMostWork;
  interp::Rounding rounding = interp::rounding_of(fn->body);
  using interp::Agreement;
  uint64_t seed = 7;
  std::string stopped;
  for (interp::Values values : kValues) {
    if (values.size && !has_sizes(fn)) break;
    // What is added up depends on the order wherever there is a NaN or an infinity.
    if (rounding.accumulates && values.floats == Floats::kBoundary) values.floats = Floats::kExact;
    if (rounding.chooses) values.floats = Floats::kUniform;
    bool exact = !rounding.inexact && values.floats == Floats::kExact;
    Input input{.args = {}, .expected = {}, .interpreted = Agreement::kBits, .compiled = Agreement::kBits};
    if (rounding.accumulates) input.interpreted = exact ? Agreement::kValues : Agreement::kRounded;
    input.compiled = rounding.inexact ? Agreement::kRounded : input.interpreted;
    try {
      input.args = interp::random_arguments(fn, seed++, {}, values);
      input.expected = run(mod, input.args);
      inputs_.push_back(std::move(input));
    } catch (const ir::Error& error) {
      stopped = error.first().name;
      if (inputs_.empty()) break;
    }
    if (!interpreted_) break;
  }
  how_ = fmt::format("{}, {} random input{}", interpreted_ ? "interpreted" : "compiled", inputs_.size(),
                     inputs_.size() == 1 ? "" : "s");
  if (inputs_.empty()) how_ = fmt::format("on random inputs the beginning stops with {}", stopped);
}

std::string DifferentialRun::difference(const Run& run, bool* not_run, bool compiled) const {
  for (const Input& input : inputs_) {
    try {
      auto found = interp::first_difference(input.expected, run(name_, input.args),
                                            compiled ? input.compiled : input.interpreted);
      if (found) return found->text(fn_);
    } catch (const ir::Error& error) {
      if (error.first().name == "interpret-unsupported" || error.first().name == "wrong-argument") {
        if (not_run != nullptr) *not_run = true;
        return "";
      }
      return fmt::format("it stops with {}: {}", error.first().name, error.what());
    }
  }
  return "";
}

std::string DifferentialRun::difference(const ir::IRModule& mod, bool* not_run) const {
  return difference([&](const std::string&, const std::vector<Any>& args) { return run(mod, args); }, not_run,
                    !interpreted_);
}

std::vector<Any> DifferentialRun::run(const ir::IRModule& mod, const std::vector<Any>& args) const {
  if (interpreted_) return interp::interpret(mod, name_, args);
  return run_compiled(mod, name_, args, *host_);
}

std::vector<DifferentialRun> differential_runs_of(const ir::IRModule& mod, ir::Host& host) {
  std::vector<DifferentialRun> trials;
  for (const auto& [var, function] : mod->functions) {
    if (auto fn = Any(function).as<ir::PrimFunc>())
      trials.emplace_back(mod, std::string(var->name_hint), *fn, host);
  }
  return trials;
}

std::string difference(const std::vector<DifferentialRun>& trials, const ir::IRModule& mod, bool only_cheap) {
  for (const DifferentialRun& trial : trials) {
    if (only_cheap && !trial.cheap()) continue;
    if (std::string found = trial.difference(mod); !found.empty()) return found;
  }
  return "";
}

bool all_run(const std::vector<DifferentialRun>& trials) {
  return std::all_of(trials.begin(), trials.end(), [](const DifferentialRun& trial) { return trial.runs(); });
}

}  // namespace mlc::repl
