// SPDX-License-Identifier: Apache-2.0
// llvm-mca is asked as a program: its library needs the assembly parser of every architecture, in a program that reads
// assembly nowhere else.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "backend/artefact/temporary_folder.h"
#include "backend/llvm/listing.h"

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

std::string output_of(const std::string& command, int& status) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  char buffer[4096];
  for (size_t read = 0; (read = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, read);
  status = pclose(pipe);
  return text;
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
  std::string command = fmt::format("'{}' -mtriple='{}' -mcpu='{}' -iterations={} -json '{}' 2>&1", program,
                                    listing.triple, listing.cpu, kIterations, file);
  int status = 0;
  std::string answer = output_of(command, status);
  auto read = nlohmann::json::parse(answer, nullptr, false);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || read.is_discarded()) {
    size_t error = answer.find("error: ");
    std::string said = error == std::string::npos ? answer : answer.substr(error);
    pressure.problem =
        fmt::format("llvm-mca does not know `{}`: {}", listing.cpu, said.substr(0, said.find('\n')));
    return pressure;
  }
  const auto& region = read["CodeRegions"][0];
  pressure.cycles = region["SummaryView"]["TotalCycles"].get<double>() / kIterations;
  pressure.instructions = region["SummaryView"]["IPC"].get<double>();
  const auto& names = read["TargetInfo"]["Resources"];
  // The entry behind the last instruction is the sum of all.
  for (const auto& each : region["ResourcePressureView"]["ResourcePressureInfo"]) {
    if (each["InstructionIndex"].get<size_t>() != count) continue;
    pressure.ports.emplace_back(names[each["ResourceIndex"].get<size_t>()].get<std::string>(),
                                each["ResourceUsage"].get<double>());
  }
  std::ranges::stable_sort(pressure.ports, std::greater(), &std::pair<std::string, double>::second);
  return pressure;
}

}  // namespace mlc::llvm_backend
