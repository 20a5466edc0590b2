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

constexpr uint64_t kSeeds[] = {7, 8, 9};
// Statements that compiled code may run, roughly ten seconds.
constexpr double kMostCompiledWork = 1e10;

}  // namespace

DifferentialRun::DifferentialRun(const ir::IRModule& mod, std::string name, const ir::PrimFunc& fn,
                                 ir::Host& host)
    : host_(&host), name_(std::move(name)), fn_(fn) {
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

std::string DifferentialRun::difference(const Run& run, bool* not_run) const {
  for (size_t i = 0; i < args_.size(); ++i) {
    try {
      auto found = interp::first_difference(expected_[i], run(name_, args_[i]));
      if (found) return found->text(fn_);
    } catch (const ir::Error& error) {
      if (error.first().name == "interpret-unsupported") {
        if (not_run != nullptr) *not_run = true;
        return "";
      }
      return fmt::format("it stops with {}: {}", error.first().name, error.what());
    }
  }
  return "";
}

std::string DifferentialRun::difference(const ir::IRModule& mod, bool* not_run) const {
  return difference([&](const std::string&, const std::vector<Any>& args) { return run(mod, args); },
                    not_run);
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
