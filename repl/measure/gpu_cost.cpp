// SPDX-License-Identifier: Apache-2.0
#include "repl/measure/gpu_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "backend/interp/compare.h"
#include "backend/interp/gpu/simulate.h"
#include "backend/interp/interp.h"
#include "repl/session/table.h"

namespace mlc::repl {

namespace {

using interp::KernelCost;
using interp::Requests;

// From the makers' data sheets, and the table "Technical Specifications per Compute Capability" of CUDA's
// programming guide. Clocks are those that the peak rates are given for.
constexpr GpuSheet kGpuSheets[] = {
    {"nvidia-v100", 80, 1.53e9, 98304, 2048, 32, 15.7e12, 125e12, 900e9},
    {"nvidia-t4", 40, 1.59e9, 65536, 1024, 16, 8.1e12, 65e12, 320e9},
    {"nvidia-a100", 108, 1.41e9, 167936, 2048, 32, 19.5e12, 312e12, 1555e9},
    {"nvidia-h100", 132, 1.98e9, 233472, 2048, 32, 67e12, 989e12, 3350e9},
    {"geforce-rtx-3090", 82, 1.695e9, 102400, 1536, 16, 35.6e12, 71e12, 936e9},
    {"geforce-rtx-4090", 128, 2.52e9, 102400, 1536, 24, 82.6e12, 165e12, 1008e9},
};

// Blocks need a little shared memory for the system since compute capability 8.
constexpr int64_t kSystemShared = 1024;
constexpr double kSector = 32;
constexpr double kUnsampled = 4e6;  // statements that are run without asking
constexpr int64_t kMostBlocks = 16;

// Where a statement is: "matmul.mlc:12".
std::string place_text(ir::Span span) {
  if (!span) return "made by a pass";
  const ir::SourceMap& map = ir::SourceMap::current();
  std::string_view name = map.file(span.file).name;
  return fmt::format("{}:{}", name.substr(name.rfind('/') + 1), map.position(span.file, span.begin).line);
}

std::string percent_text(double part, double all) {
  return all > 0 ? fmt::format("{:.0f} %", 100 * part / all) : "-";
}

std::string rate(double value, std::string_view unit) {
  constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P"};
  size_t prefix = 0;
  while (value >= 1000 && prefix + 1 < std::size(kPrefixes)) value /= 1000, ++prefix;
  return fmt::format("{:.3g} {}{}", value, kPrefixes[prefix], unit);
}

void add_requests(Table& table, const KernelCost& kernel, double scale) {
  table.add({{"  statement", colour::kQuiet},
             {"memory", colour::kQuiet},
             {"requests", colour::kQuiet, true},
             {"bytes", colour::kQuiet, true},
             {"units", colour::kQuiet, true},
             {"at best", colour::kQuiet, true},
             {}});
  std::vector<Requests> rows = kernel.requests;
  std::stable_sort(rows.begin(), rows.end(), [](const Requests& a, const Requests& b) {
    return std::pair(a.span.file, a.span.begin) < std::pair(b.span.file, b.span.begin);
  });
  for (const Requests& each : rows) {
    bool global = each.scope == "global";
    std::string remark;
    double times = static_cast<double>(each.units) / static_cast<double>(std::max<int64_t>(each.least, 1));
    if (each.units > each.least)
      remark = global ? fmt::format("{:.1f} times the sectors", times)
                      : fmt::format("{:.1f}-way bank conflicts", times);
    table.add({{"  " + place_text(each.span), colour::kName},
               {fmt::format("{} {} {}", each.scope, each.stores ? "store" : "load", each.buffer), {}},
               {count_text(static_cast<double>(each.requests) * scale), {}, true},
               {bytes_text(static_cast<double>(each.bytes) * scale), {}, true},
               {fmt::format("{} {}", count_text(static_cast<double>(each.units) * scale),
                            global ? "sectors" : "passes"),
                {},
                true},
               {count_text(static_cast<double>(each.least) * scale), {}, true},
               {remark, colour::kKind}});
  }
}

// `argument_bytes`: of all tensors, which memory must move once at least.
std::string kernel_text(const KernelCost& kernel, const GpuSheet& gpu, double argument_bytes, size_t width,
                        bool coloured) {
  const auto& e = kernel.extents;
  int64_t threads = e[3] * e[4] * e[5];
  double scale =
      kernel.blocks_run > 0 ? static_cast<double>(kernel.blocks) / static_cast<double>(kernel.blocks_run) : 1;
  std::string text = fmt::format("kernel at {}: {} blocks ({}, {}, {}) of {} threads ({}, {}, {})",
                                 place_text(kernel.span), count_text(static_cast<double>(kernel.blocks)),
                                 e[0], e[1], e[2], threads, e[3], e[4], e[5]);
  if (kernel.cluster > 1) text += fmt::format(" in clusters of {}", kernel.cluster);
  if (kernel.blocks_run < kernel.blocks)
    text += fmt::format("; {} of them run, the others like them", kernel.blocks_run);
  text += "\n";
  Table requests;
  add_requests(requests, kernel, scale);
  text += requests.text(width, coloured);
  if (kernel.branches > 0)
    text +=
        fmt::format("  {} of {} branches of warps go both ways\n",
                    percent_text(static_cast<double>(kernel.divergent), static_cast<double>(kernel.branches)),
                    count_text(static_cast<double>(kernel.branches) * scale));
  text += fmt::format("  {} barriers and {} of shared memory a block\n",
                      kernel.barriers / std::max<int64_t>(kernel.blocks_run, 1),
                      bytes_text(static_cast<double>(kernel.shared_bytes)));
  Occupancy occupancy = occupancy_of(kernel, gpu);
  if (occupancy.blocks == 0)
    return text + fmt::format("  no block fits {}: too many {}\n", gpu.name, occupancy.limit);
  text += fmt::format(
      "  {} blocks of a multiprocessor at a time, {} of its threads, limited by {}; registers not counted\n",
      occupancy.blocks,
      percent_text(static_cast<double>(occupancy.blocks * threads), static_cast<double>(gpu.threads)),
      occupancy.limit);
  double sectors = 0, passes = 0;
  for (const Requests& each : kernel.requests)
    (each.scope == "global" ? sectors : passes) += static_cast<double>(each.units) * scale;
  struct Level {
    std::string what, work, rate;
    double seconds;
  };
  double once = std::min(argument_bytes, sectors * kSector);
  double shared_rate = static_cast<double>(gpu.multiprocessors) * gpu.clock;
  std::vector<Level> levels{
      {"compute", count_text(kernel.flops * scale), rate(gpu.flops32, "FLOP/s"),
       kernel.flops * scale / gpu.flops32},
      {"shared memory", count_text(passes) + " passes", rate(shared_rate, "passes/s"), passes / shared_rate},
      {"memory, each byte once", bytes_text(once), rate(gpu.bandwidth, "B/s"), once / gpu.bandwidth}};
  if (kernel.tensor_flops > 0)
    levels.insert(levels.begin() + 1,
                  {"tensor cores", count_text(kernel.tensor_flops * scale), rate(gpu.tensor_flops, "FLOP/s"),
                   kernel.tensor_flops * scale / gpu.tensor_flops});
  // Sectors that come back to what a cache still holds cost no time of memory: an upper bound beside the
  // others.
  Level uncached{"memory, without a cache", bytes_text(sectors * kSector), rate(gpu.bandwidth, "B/s"),
                 sectors * kSector / gpu.bandwidth};
  auto bound = std::max_element(levels.begin(), levels.end(),
                                [](const Level& a, const Level& b) { return a.seconds < b.seconds; });
  Table roofline;
  for (const Level& level : levels)
    roofline.add({{"  " + level.what, colour::kName},
                  {level.work, {}, true},
                  {level.rate, {}, true},
                  {time_text(level.seconds), {}, true},
                  {&level == &*bound ? "<- bound" : "", colour::kKind}});
  roofline.add({{"  " + uncached.what, colour::kName},
                {uncached.work, {}, true},
                {uncached.rate, {}, true},
                {time_text(uncached.seconds), {}, true},
                {}});
  text += fmt::format("roofline of {}\n{}", gpu.name, roofline.text(width, coloured));
  // A launch with fewer blocks than multiprocessors leaves some of them idle.
  double waves = std::ceil(static_cast<double>(kernel.blocks) /
                           static_cast<double>(gpu.multiprocessors * occupancy.blocks));
  double filled = static_cast<double>(kernel.blocks) /
                  (waves * static_cast<double>(gpu.multiprocessors * occupancy.blocks));
  text +=
      fmt::format("  at least {}, bound by {}; {} wave{} of blocks, {} filled\n", time_text(bound->seconds),
                  bound->what, count_text(waves), waves == 1 ? "" : "s", percent_text(filled, 1));
  return text;
}

}  // namespace

std::optional<GpuSheet> gpu_sheet(std::string_view name) {
  auto found = std::ranges::find(kGpuSheets, name, &GpuSheet::name);
  return found == std::end(kGpuSheets) ? std::nullopt : std::optional(*found);
}

std::vector<std::string> gpu_names() {
  std::vector<std::string> names;
  for (const GpuSheet& sheet : kGpuSheets) names.emplace_back(sheet.name);
  return names;
}

Occupancy occupancy_of(const KernelCost& kernel, const GpuSheet& gpu) {
  int64_t threads = kernel.extents[3] * kernel.extents[4] * kernel.extents[5];
  int64_t in_warps = (std::max<int64_t>(threads, 1) + 31) / 32 * 32;
  Occupancy found{gpu.threads / in_warps, "threads"};
  if (kernel.shared_bytes > 0 && gpu.shared_bytes / (kernel.shared_bytes + kSystemShared) < found.blocks)
    found = {gpu.shared_bytes / (kernel.shared_bytes + kSystemShared), "shared memory"};
  if (gpu.blocks < found.blocks) found = {gpu.blocks, "blocks"};
  return found;
}

std::string gpu_cost_text(const ir::IRModule& mod, const std::string& name, const ir::PrimFunc& fn,
                          const GpuSheet& gpu, ir::Host& host,
                          const std::unordered_map<std::string, int64_t>& dims, size_t width, bool coloured) {
  constexpr int64_t kSize = 1024;
  ir::IRModule threads = interp::with_threads_lowered(mod, host);
  interp::Traffic traffic;
  interp::Options options;
  options.simulate = true;
  options.traffic = &traffic;
  options.most_blocks = interp::work(fn->body) > kUnsampled ? 2 : kMostBlocks;
  std::vector<ir::Any> args = interp::random_arguments(fn, 1, dims, {.size = kSize});
  interp::run(threads, name, args, options);
  std::string text = fmt::format("{}: {} {}\n", name, traffic.kernels.size(),
                                 traffic.kernels.size() == 1 ? "kernel" : "kernels");
  double bytes = 0;
  for (const ir::Any& arg : args)
    if (auto tensor = arg.as<ir::ffi::Tensor>()) bytes += static_cast<double>(ir::ffi::GetDataSize(*tensor));
  for (const KernelCost& kernel : traffic.kernels) text += kernel_text(kernel, gpu, bytes, width, coloured);
  return text;
}

}  // namespace mlc::repl
