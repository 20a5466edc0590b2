// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/differential_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "backend/backend.h"
#include "backend/interp/compare.h"
#include "backend/interp/gpu/simulate.h"
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

// Statements that compiled code may run, roughly two seconds; and where the beginning has a schedule of
// mlc.schedule, with which it takes a tenth of that and leaves more for what is compared.
constexpr double kMostCompiledWork = 2e9;
constexpr double kMostScheduledWork = 1e10;

// What fills the arguments with random numbers is slower than compiled code.
constexpr double kMostElements = 1 << 26;

double elements_of(const ir::PrimFunc& fn) {
  double all = 0;
  for (const ir::Var& param : fn->params) {
    if (param->buffer() == nullptr) continue;
    double elements = 1;
    for (const ir::Expr& dim : param->buffer()->shape)
      if (auto size = ir::const_int(dim)) elements *= static_cast<double>(*size);
    all += elements;
  }
  return all;
}

// Why a run has stopped; where notes point to other lines, as those of a race do, with all lines.
std::string stop_text(const ir::Diagnostic& error) {
  const ir::SourceMap& map = ir::SourceMap::current();
  std::string text = fmt::format("it stops with {}: {}", error.name, error.message), lines;
  for (const ir::Note& note : error.notes)
    if (note.span) lines += fmt::format("; {}, {}", note.message, map.describe(note.span));
  return lines.empty() ? text : fmt::format("{}, {}{}", text, map.describe(error.span), lines);
}

bool is_interrupt(const ir::Error& error) { return error.first().kind == "KeyboardInterrupt"; }

ir::PrimFunc function_of(const ir::IRModule& mod, const std::string& name) {
  ir::GlobalVar var = mod->find(name);
  auto fn = var ? Any(mod->functions[var]).as<ir::PrimFunc>() : std::nullopt;
  return fn ? *fn : ir::PrimFunc();
}

// Rows that the sample has not, as they are in `expected`.
void take_other_rows(const RowSample& sample, const std::vector<Any>& expected, std::vector<Any>& actual) {
  for (size_t i = 0; i < sample.dimensions.size(); ++i) {
    if (!sample.dimensions[i]) continue;
    auto from = expected[i].cast<ir::ffi::Tensor>(), to = actual[i].cast<ir::ffi::Tensor>();
    size_t outer = 1, row_bytes = ir::ffi::GetDataSize(from);
    for (size_t d = 0; d <= *sample.dimensions[i]; ++d) row_bytes /= static_cast<size_t>(from.shape()[d]);
    for (size_t d = 0; d < *sample.dimensions[i]; ++d) outer *= static_cast<size_t>(from.shape()[d]);
    auto* source = static_cast<const char*>(from.data_ptr());
    auto* target = static_cast<char*>(to.data_ptr());
    for (size_t each = 0; each < outer; ++each) {
      for (int64_t row = 0; row < sample.rows; ++row, source += row_bytes, target += row_bytes)
        if (!sample.has(row)) std::memcpy(target, source, row_bytes);
    }
  }
}

}  // namespace

DifferentialRun::DifferentialRun(const ir::IRModule& mod, std::string name, const ir::PrimFunc& fn,
                                 ir::Host& host, const RunLimits& limits)
    : host_(&host), limits_(limits), name_(std::move(name)), fn_(fn) {
  double work = interp::work(fn->body);
  bool threads = interp::has_threads(fn->body);
  if (limits.most_work && work > *limits.most_work && !threads) sample_ = sample_rows(fn, *limits.most_work);
  scheduled_ = work > kMostCompiledWork && !threads && !sample_;
  bool large = work > kMostScheduledWork || (work > kMostCompiledWork && elements_of(fn) > kMostElements);
  if (work > interp::kMostWork && (threads || large) && !sample_) {
    how_ = "it would take too long";
    return;
  }
  ir::IRModule beginning = sample_ ? ir::with_function(mod, mod->find(name_), sample_->fn) : mod;
  interpreted_ = work <= interp::kMostWork;
  interp::Rounding rounding = interp::rounding_of(fn->body);
  using interp::Agreement;
  uint64_t seed = 7;
  Run first = runner(scheduled_ ? with_schedule(mod) : beginning);
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
      announce("the beginning");
      input.expected = first(name_, input.args);
      inputs_.push_back(std::move(input));
    } catch (const ir::Error& error) {
      if (is_interrupt(error)) throw;
      stopped = error.first().name;
      if (inputs_.empty()) break;
    }
    if (!interpreted_) break;
  }
  std::string_view how = interpreted_ ? "interpreted"
                         : scheduled_ ? "compiled, the beginning with the schedule that `mlc build` gives it"
                                      : "compiled";
  how_ = fmt::format("{}, {} random input{}", how, inputs_.size(), inputs_.size() == 1 ? "" : "s");
  if (sample_) how_ += ", " + sample_->text();
  if (inputs_.empty()) how_ = fmt::format("on random inputs the beginning stops with {}", stopped);
}

std::string DifferentialRun::difference(const Run& run, bool* not_run, bool compiled) const {
  for (const Input& input : inputs_) {
    try {
      announce("what became of it");
      std::vector<Any> actual = run(name_, input.args);
      if (sample_) take_other_rows(*sample_, input.expected, actual);
      auto found =
          interp::first_difference(input.expected, actual, compiled ? input.compiled : input.interpreted);
      if (found) return found->text(fn_);
    } catch (const ir::Error& error) {
      if (is_interrupt(error)) throw;
      if (error.first().name == "interpret-unsupported" || error.first().name == "wrong-argument") {
        if (not_run != nullptr) *not_run = true;
        return "";
      }
      return stop_text(error.first());
    }
  }
  return "";
}

std::string DifferentialRun::difference(const ir::IRModule& mod, bool* not_run) const {
  ir::PrimFunc fn = function_of(mod, name_);
  if (!interpreted_ && fn && interp::has_threads(fn->body)) {  // this machine has none to run its code
    if (not_run != nullptr) *not_run = true;
    return "";
  }
  return difference(runner(mod), not_run, !interpreted_);
}

void DifferentialRun::announce(const char* part) const {
  if (limits_.before) limits_.before(fmt::format("running `{}`, {}", name_, part));
}

ir::IRModule DifferentialRun::with_schedule(const ir::IRModule& mod) const {
  Any arguments[] = {mod, ir::String(backend::default_target_kind())};
  Any schedule = host_->call_library("mlc.schedule", "cpu", arguments);
  Any scheduled;
  MLC_CHECK(host_->find_attribute(schedule, "mod", scheduled), "the rules of mlc.schedule return a schedule");
  return scheduled.cast<ir::IRModule>();
}

DifferentialRun::Run DifferentialRun::runner(const ir::IRModule& mod) const {
  if (!interpreted_)
    return [this, mod](const std::string&, const std::vector<Any>& args) {
      return run_compiled(mod, name_, args, *host_);
    };
  ir::PrimFunc fn = function_of(mod, name_);
  if (fn && interp::has_threads(fn->body)) {
    // A schedule that is half done may be one that no pipeline takes yet: some reductions lie across threads
    // only until the next step. Its threads are loops.
    try {
      ir::IRModule threads = interp::with_threads_lowered(mod, *host_, true);
      return [this, threads](const std::string&, const std::vector<Any>& args) {
        return interp::simulate(threads, name_, args);
      };
    } catch (const ir::Error& error) {
      if (is_interrupt(error)) throw;
    }
  }
  return [this, mod](const std::string&, const std::vector<Any>& args) {
    return interp::interpret(mod, name_, args);
  };
}

std::vector<DifferentialRun> differential_runs_of(const ir::IRModule& mod, ir::Host& host,
                                                  const RunLimits& limits) {
  std::vector<DifferentialRun> trials;
  for (const auto& [var, function] : mod->functions) {
    if (auto fn = Any(function).as<ir::PrimFunc>())
      trials.emplace_back(mod, std::string(var->name_hint), *fn, host, limits);
  }
  return trials;
}

std::string difference(const std::vector<DifferentialRun>& trials, const ir::IRModule& mod, bool only_cheap,
                       bool* not_run) {
  for (const DifferentialRun& trial : trials) {
    if (only_cheap && !trial.cheap()) continue;
    if (std::string found = trial.difference(mod, not_run); !found.empty()) return found;
  }
  return "";
}

bool all_run(const std::vector<DifferentialRun>& trials) {
  return std::all_of(trials.begin(), trials.end(), [](const DifferentialRun& trial) { return trial.runs(); });
}

}  // namespace mlc::repl
