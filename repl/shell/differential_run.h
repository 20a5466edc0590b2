// SPDX-License-Identifier: Apache-2.0
// Runs of a module's functions on random inputs, beside runs of what became of it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backend/interp/compare.h"
#include "ir/core/module.h"
#include "ir/registry/host.h"
#include "repl/shell/row_sample.h"

namespace mlc::repl {

// How much is run.
struct RunLimits {
  // Statements (interp::work): of a function that would run more some rows are compared, where it has rows.
  std::optional<double> most_work = {};
  // Called before each run with what it is of; what it throws ends the comparison.
  std::function<void(const std::string& what)> before = {};
};

// One function of a module as it was at the beginning, with inputs and what it makes of them. What the
// interpreter would take too long for is compiled; what would still take too long gets a schedule first. A
// KeyboardInterrupt says nothing of either run: it comes out of all functions here.
class DifferentialRun {
 public:
  // `host`: whose library has the pipeline of what is compiled; lives as long as this.
  DifferentialRun(const ir::IRModule& mod, std::string name, const ir::PrimFunc& fn, ir::Host& host,
                  const RunLimits& limits = {});

  bool runs() const { return !inputs_.empty(); }
  const std::string& name() const { return name_; }
  bool cheap() const { return interpreted_; }
  std::string how() const { return "`" + name_ + "`: " + (runs() ? "" : "not run: ") + how_; }
  const std::string& why_not() const { return how_; }  // where it does not run

  // What runs give that leave their results in copies of the arguments.
  using Run =
      std::function<std::vector<ir::Any>(const std::string& function, const std::vector<ir::Any>& args)>;
  // What differs in those of compiled code; empty when nothing does. Where the interpreter cannot run it,
  // `not_run` is set.
  std::string difference(const Run& run, bool* not_run = nullptr, bool compiled = true) const;
  // The same, of a module that is interpreted or compiled as this one was.
  std::string difference(const ir::IRModule& mod, bool* not_run = nullptr) const;

 private:
  // Arguments before and after a run, and how floats must agree after another one.
  struct Input {
    std::vector<ir::Any> args, expected;
    interp::Agreement interpreted, compiled;
  };
  // Runs of a module: compiled, by the threads of a simulated GPU, or interpreted.
  Run runner(const ir::IRModule& mod) const;

  ir::IRModule with_schedule(const ir::IRModule& mod) const;
  void announce(const char* part) const;

  ir::Host* host_;
  RunLimits limits_;
  std::string name_;
  ir::PrimFunc fn_;
  bool interpreted_ = true;
  std::optional<RowSample> sample_;  // what is compared, where that is not all
  bool scheduled_ = false;           // the rules of mlc.schedule make the beginning fast enough to run
  std::vector<Input> inputs_;
  std::string how_;  // it runs, or why it does not
};

std::vector<DifferentialRun> differential_runs_of(const ir::IRModule& mod, ir::Host& host,
                                                  const RunLimits& limits = {});
// `not_run`: set where one of them has no result of `mod`.
std::string difference(const std::vector<DifferentialRun>& trials, const ir::IRModule& mod,
                       bool only_cheap = false, bool* not_run = nullptr);
bool all_run(const std::vector<DifferentialRun>& trials);

}  // namespace mlc::repl
