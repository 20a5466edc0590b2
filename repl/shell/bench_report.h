// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "repl/measure/baseline.h"
#include "repl/shell/command_line.h"

namespace mlc::repl {

// The end of `mlc bench`: compares with a baseline, prints JSON and keeps it where the command line asks.
// `all`: as compare_with_baseline has it. Returns the exit code, 1 where something has become slower.
int finish_bench(const CommandLine& line, const std::vector<std::vector<Measured>>& groups,
                 nlohmann::ordered_json found, const std::optional<Baseline>& before, bool all);

}  // namespace mlc::repl
