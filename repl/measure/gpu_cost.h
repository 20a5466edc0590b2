// SPDX-License-Identifier: Apache-2.0
// What a function costs on a GPU that is not here: counted by the simulator, set beside the numbers of the
// GPU's maker.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "backend/interp/gpu/traffic.h"
#include "ir/core/module.h"
#include "ir/registry/host.h"

namespace mlc::repl {

// Limits and rates of one GPU.
struct GpuSheet {
  std::string_view name;
  int64_t multiprocessors;
  double clock;                  // Hz, of its peak rates
  int64_t shared_bytes;          // of a multiprocessor, for its blocks
  int64_t threads, blocks;       // of a multiprocessor, at most
  double flops32, tensor_flops;  // a second; float16 with sums in float32
  double bandwidth;              // bytes a second of its memory
};
std::optional<GpuSheet> gpu_sheet(std::string_view name);
std::vector<std::string> gpu_names();

// Blocks of one multiprocessor at a time, and what limits them. Registers are not known here.
struct Occupancy {
  int64_t blocks = 0;
  std::string_view limit;  // "threads", "shared memory", "blocks"
};
Occupancy occupancy_of(const interp::KernelCost& kernel, const GpuSheet& gpu);

// Runs some blocks of each kernel of the function on random arguments and says what they cost. Free symbolic
// dimensions get the value of `dims`, or 1024.
std::string gpu_cost_text(const ir::IRModule& mod, const std::string& name, const ir::PrimFunc& fn,
                          const GpuSheet& gpu, ir::Host& host,
                          const std::unordered_map<std::string, int64_t>& dims, size_t width, bool coloured);

}  // namespace mlc::repl
