// SPDX-License-Identifier: Apache-2.0
#include "repl/measure/machine.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "backend/artefact/build_record.h"
#include "backend/artefact/write_file.h"
#include "backend/runtime/parallel.h"
#include "frontend/script/core/evaluator.h"
#include "ir/core/error.h"

namespace mlc::repl {

namespace {

using transform::Machine;
using transform::MemoryLevel;

// Rates per second and bytes of the last cache, from the makers' data sheets. Of GPUs: without tensor cores,
// whose products are of smaller types; their first caches belong to one multiprocessor and are left out.
struct Sheet {
  std::string_view name;
  double flops32, flops64, cache, bandwidth;
};
constexpr double kTera = 1e12, kGiga = 1e9, kMebi = 1048576;
constexpr Sheet kSheets[] = {
    {"nvidia-v100", 15.7 * kTera, 7.8 * kTera, 6 * kMebi, 900 * kGiga},
    {"nvidia-t4", 8.1 * kTera, 0.253 * kTera, 4 * kMebi, 320 * kGiga},
    {"nvidia-a100", 19.5 * kTera, 9.7 * kTera, 40 * kMebi, 1555 * kGiga},
    {"nvidia-h100", 67 * kTera, 34 * kTera, 50 * kMebi, 3350 * kGiga},
    {"geforce-rtx-3090", 35.6 * kTera, 0.556 * kTera, 6 * kMebi, 936 * kGiga},
    {"geforce-rtx-4090", 82.6 * kTera, 1.29 * kTera, 72 * kMebi, 1008 * kGiga},
};

int64_t or_else(long value, int64_t otherwise) { return value > 0 ? value : otherwise; }

std::string kept_path(bool all_cores) {
  std::string folder = backend::cache_folder();
  return folder.empty() ? "" : fmt::format("{}/roofline-{}.json", folder, all_cores ? "all" : "one");
}

// What must be the same for numbers that were kept to hold.
std::string fingerprint(int cores) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  std::string caches;
  for (const MemoryLevel& level : memory_levels()) caches += fmt::format(" {}", level.capacity);
  return fmt::format("mlc roofline 1, {}, {} cores, caches{}", host, cores, caches);
}

bool read_kept(const std::string& path, const std::string& key, Machine& machine) {
  std::ifstream file(path);
  if (!file) return false;
  try {
    auto kept = nlohmann::json::parse(file);
    if (kept.at("key") != key) return false;
    kept.at("flops32").get_to(machine.flops32);
    kept.at("flops64").get_to(machine.flops64);
    kept.at("bandwidth").get_to(machine.bandwidth);
  } catch (const nlohmann::json::exception&) {
    return false;  // damaged: it is measured again
  }
  return machine.flops32 > 0 && machine.bandwidth.size() == machine.levels.size();
}

void keep(const std::string& path, const std::string& key, const Machine& machine) {
  nlohmann::json kept = {{"key", key},
                         {"flops32", machine.flops32},
                         {"flops64", machine.flops64},
                         {"bandwidth", machine.bandwidth}};
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  try {
    backend::write_file(path, kept.dump(1) + "\n");
  } catch (const ir::Error&) {  // a folder that cannot be written to: it is measured again the next time
  }
}

}  // namespace

std::vector<MemoryLevel> memory_levels() {
  int64_t line = or_else(sysconf(_SC_LEVEL1_DCACHE_LINESIZE), 64);
  std::vector<MemoryLevel> levels{{"L1", or_else(sysconf(_SC_LEVEL1_DCACHE_SIZE), 32 << 10), line},
                                  {"L2", or_else(sysconf(_SC_LEVEL2_CACHE_SIZE), 512 << 10), line}};
  int64_t last = or_else(sysconf(_SC_LEVEL3_CACHE_SIZE), 0);
  if (last > 0) levels.push_back({"L3", last, line, true});
  levels.push_back({"memory", 0, line});
  return levels;
}

Machine this_machine(ir::Host& host, bool all_cores, bool again,
                     const std::function<void(std::string_view)>& progress) {
  Machine machine;
  machine.levels = memory_levels();
  int cores = all_cores ? mlc_num_threads() : 1;
  machine.cores = cores;
  machine.name = cores == 1 ? "this machine, one core" : fmt::format("this machine, {} cores", cores);
  std::string path = kept_path(all_cores), key = fingerprint(cores);
  if (!again && !path.empty() && read_kept(path, key, machine)) return machine;
  if (progress) progress("measuring what this machine can do, once");
  // Arrays that lie well within a cache; in memory, well beyond the one before it, as far as there is memory.
  constexpr double kMostCached = 32 << 20, kMostInMemory = 256 << 20;
  script::List sizes;
  double before = 0;
  for (const MemoryLevel& level : machine.levels) {
    double size = level.capacity > 0 ? std::min(static_cast<double>(level.capacity) / 2, kMostCached)
                                     : std::min(2 * before, kMostInMemory);
    sizes.push_back(ir::Any(static_cast<int64_t>(size)));
    before = static_cast<double>(level.capacity);
  }
  ir::Any arguments[] = {ir::Any(static_cast<int64_t>(cores)), ir::Any(sizes)};
  auto rates = host.call_library("mlc.roofline", "measure", arguments).cast<script::Dict>();
  auto rate = [&](const char* name) { return rates[ir::Any(ir::String(name))]; };
  machine.flops32 = rate("flops32").cast<double>();
  machine.flops64 = rate("flops64").cast<double>();
  for (const ir::Any& each : rate("bandwidth").cast<script::List>())
    machine.bandwidth.push_back(each.cast<double>());
  if (!path.empty()) keep(path, key, machine);
  return machine;
}

std::optional<Machine> named_machine(std::string_view name) {
  auto sheet = std::ranges::find(kSheets, name, &Sheet::name);
  if (sheet == std::end(kSheets)) return std::nullopt;
  Machine machine;
  machine.name = std::string(name);
  machine.flops32 = sheet->flops32;
  machine.flops64 = sheet->flops64;
  machine.levels = {{"L2", static_cast<int64_t>(sheet->cache), 32}, {"memory", 0, 32}};
  machine.bandwidth = {0, sheet->bandwidth};
  return machine;
}

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  for (const Sheet& each : kSheets) names.emplace_back(each.name);
  return names;
}

}  // namespace mlc::repl
