// SPDX-License-Identifier: Apache-2.0
// Runs of functions of graphs on random inputs, beside runs of what became of them. Results and what is left in the
// arguments are compared; a pass that works in place on what is not its own shows.
#pragma once

#include <tvm/ffi/extra/module.h>

#include <string>
#include <vector>

#include "ir/core/module.h"
#include "ir/registry/host.h"
#include "ir/relax/expr.h"
#include "repl/shell/differential_run.h"

namespace mlc::repl {

// One function as it was at the beginning, with inputs and what it makes of them. Graphs run in the interpreter; where
// their tensor functions would take it too long, these are compiled.
class GraphRun {
 public:
  // `host`: whose library legalises operators; lives as long as this.
  GraphRun(const ir::IRModule& mod, std::string name, const relax::Function& fn, ir::Host& host,
           const RunLimits& limits = {});

  bool runs() const { return !inputs_.empty(); }
  const std::string& name() const { return name_; }
  const relax::Function& function() const { return fn_; }
  std::string how() const { return "graph `" + name_ + "`: " + (runs() ? "" : "not run: ") + how_; }
  const std::string& why_not() const { return how_; }  // where it does not run

  // Of the function of that name in `mod`: does it take what this one takes?
  bool same_parameters(const relax::FunctionNode* other) const;
  // What differs in `mod`; empty when nothing does. `not_run` says why it could not be run there. `built`: with the
  // tensor functions of that compiled module.
  std::string difference(const ir::IRModule& mod, std::string& not_run, const ir::ffi::Module* built = nullptr) const;

 private:
  struct Input {
    std::vector<ir::Any> args, expected;
  };
  ir::ffi::Function prepared(const ir::IRModule& mod) const;
  // Its results, and what it leaves in copies of the arguments.
  std::vector<ir::Any> run(const ir::ffi::Function& graph, const std::vector<ir::Any>& args) const;
  void announce(const char* part) const;

  ir::Host* host_;
  RunLimits limits_;
  std::string name_;
  relax::Function fn_;
  bool interpreted_ = true;
  std::vector<Input> inputs_;
  std::string how_;  // it runs, or why it does not
};

// Null where there is none of that name.
ir::BaseFunc function_named(const ir::IRModule& mod, std::string_view name);
bool has_graphs(const ir::IRModule& mod);
// A module of the tensor functions alone; those that are seen inside of it alone are seen outside, too, by their names.
ir::IRModule tensor_functions_of(const ir::IRModule& mod);
// Of the graphs that can be called from outside: those with a `global_symbol`.
std::vector<GraphRun> graph_runs_of(const ir::IRModule& mod, ir::Host& host, const RunLimits& limits = {});

// Two modules: the graphs that can be called from outside of the one, beside those of the other.
struct GraphComparison {
  size_t compared = 0;     // functions
  std::string difference;  // "" where there is none
  std::string not_run;     // why a function was not compared; "" where all were
};
GraphComparison compare_graphs(const ir::IRModule& before, const ir::IRModule& after, ir::Host& host);
// With what graph_runs_of() found of the one, to compare many with it.
GraphComparison compare_graphs(const std::vector<GraphRun>& before, const ir::IRModule& after);

}  // namespace mlc::repl
