// SPDX-License-Identifier: Apache-2.0
// All of a module that can be run: its tensor functions and its graphs, beside what steps make of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "repl/shell/differential_run.h"
#include "repl/shell/graph_runs.h"

namespace mlc::repl {

// Of a module with graphs, the tensor functions that cannot be called from outside run where graphs call them, and not
// by themselves: passes of graphs make, fuse and drop them.
class ModuleRuns {
 public:
  // The functions of `mod` as they are, with inputs and results. `host` lives as long as this.
  ModuleRuns(const ir::IRModule& mod, ir::Host& host, const RunLimits& limits = {});

  const std::vector<std::string>& how() const { return how_; }  // each was run, or why it was not
  bool any_runs() const;

  struct Judgement {
    std::string difference;  // "" where nothing differs
    std::string not_run;     // why something was not compared; "" where all was
  };
  enum class Effort : uint8_t {
    kInterpret,  // tensor functions that the interpreter takes too long for are left out
    kCompile,    // they are compiled
  };
  // What `mod` computes, which a step of that name has made of the module before. Where a graph computes something else
  // on purpose or takes other parameters, later ones are compared with what this step has left.
  Judgement judge(std::string_view step, const ir::IRModule& mod, Effort effort);
  // The same of `mod` with its tensor functions as `built` has them.
  Judgement judge_compiled(const ir::IRModule& mod, const ir::ffi::Module& built) const;

 private:
  void judge_tensor_functions(const ir::IRModule& mod, Effort effort, Judgement& judgement) const;
  void judge_graph(GraphRun& run, std::string_view step, const ir::IRModule& mod, Judgement& judgement);

  ir::Host* host_;
  RunLimits limits_;
  std::vector<DifferentialRun> tensor_functions_;
  std::vector<GraphRun> graphs_;
  std::vector<std::string> how_;
};

}  // namespace mlc::repl
