// SPDX-License-Identifier: Apache-2.0
// llvm-mca is asked as a program: its library needs the assembly parser of every architecture, in a program
// that reads assembly nowhere else.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>

#include "backend/artefact/run_tool.h"
#include "backend/artefact/temporary_folder.h"
#include "backend/llvm/listing.h"
#include "ir/core/files.h"

namespace mlc::llvm_backend {

namespace {

// The first of the programs that $PATH has.
std::string find_program(std::initializer_list<const char*> names) {
  const char* path = std::getenv("PATH");
  for (const char* name : names) {
    std::string_view rest = path == nullptr ? "" : path;
    while (!rest.empty()) {
      std::string_view folder = rest.substr(0, rest.find(':'));
      rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
      std::string file = fmt::format("{}/{}", folder, name);
      if (access(file.c_str(), X_OK) == 0) return file;
    }
  }
  return "";
}

}  // namespace

PortPressure port_pressure(const Listing& listing, const ListedFunction& function, const ListedLoop& loop) {
  std::string program = find_program({"llvm-mca-19", "llvm-mca"});
  PortPressure pressure;
  if (program.empty()) {
    pressure.problem =
        "llvm-mca, which says how busy they are, is not installed; `apt install llvm-19` brings it";
    return pressure;
  }
  std::string text;
  size_t count = 0;
  for (size_t i = loop.begin; i < loop.end; ++i) {
    text += (function.lines[i].is_label ? "" : "\t") + function.lines[i].text + "\n";
    count += function.lines[i].is_label ? 0 : 1;
  }
  backend::TemporaryFolder folder("mlc-mca");
  std::string file = folder.write("loop.s", text);
  constexpr int kIterations = 200;
  int status = backend::run_tool({program, "-mtriple=" + listing.triple, "-mcpu=" + listing.cpu,
                                  fmt::format("-iterations={}", kIterations), "-json", file},
                                 folder / "log");
  std::string answer = ir::read_file(folder / "log").value_or("");
  if (status != 0) {
    size_t error = answer.find("error: ");
    std::string said = error == std::string::npos ? answer : answer.substr(error);
    pressure.problem =
        fmt::format("llvm-mca does not know `{}`: {}", listing.cpu, said.substr(0, said.find('\n')));
    return pressure;
  }
  try {
    auto read = nlohmann::json::parse(answer);
    const auto& region = read.at("CodeRegions").at(0);
    const auto& summary = region.at("SummaryView");
    pressure.cycles = summary.at("TotalCycles").get<double>() / kIterations;
    pressure.instructions = summary.at("IPC").get<double>();
    const auto& names = read.at("TargetInfo").at("Resources");
    // The entry behind the last instruction is the sum of all.
    for (const auto& each : region.at("ResourcePressureView").at("ResourcePressureInfo")) {
      if (each.at("InstructionIndex").get<size_t>() != count) continue;
      pressure.ports.emplace_back(names.at(each.at("ResourceIndex").get<size_t>()).get<std::string>(),
                                  each.at("ResourceUsage").get<double>());
    }
  } catch (const nlohmann::json::exception&) {
    pressure.problem =
        fmt::format("`{}` answers in a form that is not known: is it LLVM's of version 19?", program);
    return pressure;
  }
  std::ranges::stable_sort(pressure.ports, std::greater(), &std::pair<std::string, double>::second);
  return pressure;
}

}  // namespace mlc::llvm_backend
