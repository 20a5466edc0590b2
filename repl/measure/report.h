// SPDX-License-Identifier: Apache-2.0
// What was measured, as text and as JSON, and beside an earlier measurement.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "repl/measure/measure.h"

namespace mlc::repl {

// What its user calls a module, and its functions of TIR by name.
struct NamedFunctions {
  std::string name;
  ir::IRModule mod;
  std::vector<std::pair<std::string, ir::PrimFunc>> functions;
};
// Those that are compared with each other: functions of one name; where each module has one function, these.
std::vector<std::vector<Runnable>> groups_of(const std::vector<NamedFunctions>& modules);

// "n=1024". CallError for a text of another kind.
void add_size(Sizes& sizes, const std::string& text);

// CallError for a size that none of the functions has.
void require_sizes(const std::vector<std::vector<Runnable>>& groups, const Sizes& sizes);

// Functions that were measured in turn: their times, and each beside the first.
std::string bench_text(const std::vector<Measured>& group, size_t width, bool coloured);

// All groups of one call, with their samples: what `--json` prints and `--save` writes.
nlohmann::ordered_json bench_json(const std::vector<std::vector<Measured>>& groups, const Sizes& sizes);

}  // namespace mlc::repl
