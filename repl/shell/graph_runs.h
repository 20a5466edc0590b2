// SPDX-License-Identifier: Apache-2.0
// Runs of functions of graphs before and after a pass, in the interpreter, on the same random inputs.
#pragma once

#include <string>

#include "ir/core/module.h"
#include "ir/registry/host.h"

namespace mlc::repl {

struct GraphComparison {
  size_t compared = 0;      // functions
  std::string difference;   // "" where there is none
  std::string not_run;      // why a function was not compared; "" where all were
};
// The exported functions of graphs that both modules have, with as many parameters.
GraphComparison compare_graphs(const ir::IRModule& before, const ir::IRModule& after, ir::Host& host);

}  // namespace mlc::repl
