// SPDX-License-Identifier: Apache-2.0
// Why calls of a graph are computed together or not, and which tensors share memory: what FuseOps and
// StaticPlanBlockMemory have decided, in words. The decisions are those of the passes themselves
// (transform/graph/fusion_groups.h, memory_plan.h).
#pragma once

#include <string>
#include <vector>

#include "ir/core/module.h"
#include "ir/registry/host.h"

namespace mlc::repl {

// What a module is on its way through the default pipeline of graphs when that pass sees it; passes that have nothing
// left to do leave it as it is.
ir::IRModule before_fusion(const ir::IRModule& mod, ir::Host& host);
ir::IRModule before_planning(const ir::IRModule& mod, ir::Host& host);

struct ReasonOptions {
  std::string function;           // "" for all graphs
  std::vector<std::string> about;  // variables, or functions that are called; empty for all
  size_t width = 0;
  bool coloured = false;
};
// CallError where the module has no graph, or none has what it is to be about.
std::string fusion_reasons(const ir::IRModule& mod, ir::Host& host, const ReasonOptions& options);
std::string memory_reasons(const ir::IRModule& mod, ir::Host& host, const ReasonOptions& options);

}  // namespace mlc::repl
