// SPDX-License-Identifier: Apache-2.0
// How long graphs take in the virtual machine, and which of the functions that they call take that time.
#pragma once

#include <tvm/ffi/extra/module.h>

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "repl/measure/measure.h"

namespace mlc::repl {

// A graph that has been compiled.
struct GraphRunnable {
  std::string name;  // what its user calls the module
  std::string function;
  ir::ffi::Module machine;
  std::vector<ir::Any> arguments;
  ir::IRModule scheduled;                        // its tensor functions before they were lowered
  std::map<std::string, std::string> operators;  // that they came from: "R.matmul, R.add"
};

// One function that a graph calls, in one run of the graph.
struct OperatorTime {
  std::string function;
  std::string operators;  // "" of what belongs to the virtual machine
  int64_t calls = 0;
  double seconds = 0;  // of all calls: the median of the runs. Without what it calls in its turn
  // Of all calls, counted on its loops; 0 where they cannot be counted.
  double flops = 0, bytes = 0, least_seconds = 0;
  std::string bound;  // what would keep it from being faster
};

struct MeasuredGraph {
  Measured whole;                       // `flops`, `bytes` and `least_seconds` are sums over the functions
  std::vector<OperatorTime> functions;  // the one that takes longest first
  size_t runs = 0;                      // that their times are medians of
};

// Graphs that are measured in turn take the same arguments. `threads`: that parallel loops use.
std::vector<MeasuredGraph> measure_graphs(const std::vector<GraphRunnable>& graphs,
                                          const MeasureOptions& options, int threads, ir::Host& host);

// The functions of a graph as a table, and as JSON.
std::string operators_text(const MeasuredGraph& graph, size_t width, bool coloured);
nlohmann::ordered_json operators_json(const MeasuredGraph& graph);

}  // namespace mlc::repl
