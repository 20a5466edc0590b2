// SPDX-License-Identifier: Apache-2.0
// What machines can do: this one as measured, others by the numbers that their makers give.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/registry/host.h"
#include "transform/analysis/cost.h"

namespace mlc::repl {

// The caches of a core of this machine, and memory: without capacities that the system does not tell.
std::vector<transform::MemoryLevel> memory_levels();

// This machine, with one core or all that parallel loops use. Measured once by code that mlc compiles (mlc.roofline), about
// a second and a half, and kept beside the builds of the user; `again` measures anew. `progress` is told before.
transform::Machine this_machine(ir::Host& host, bool all_cores, bool again = false,
                                const std::function<void(std::string_view what)>& progress = {});

// By name: "nvidia-a100". nullopt for one that nobody has a row for.
std::optional<transform::Machine> named_machine(std::string_view name);
std::vector<std::string> machine_names();

}  // namespace mlc::repl
