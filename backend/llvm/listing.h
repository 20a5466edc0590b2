// SPDX-License-Identifier: Apache-2.0
// Generated code to be read: instructions with the lines of the program that they come from, what LLVM's
// vectorisers say, and how busy the ports of a processor are with a loop. No LLVM types here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/core/module.h"
#include "ir/target/target.h"

namespace mlc::llvm_backend {

struct ListedLine {
  std::string text;  // "vmovups (%rdi,%rax), %ymm0"; "for.body:" of a label
  bool is_label = false;
  std::string file;   // of the source map; "" where nothing is known
  uint32_t line = 0;  // 0: nothing is known
};
// The instructions of an innermost loop, by index into the lines.
struct ListedLoop {
  size_t begin = 0, end = 0;
};
struct ListedFunction {
  std::string name;       // "main_compute"
  bool is_entry = false;  // it checks arguments and calls the code of the function: not what was scheduled
  std::vector<ListedLine> lines;
  std::vector<ListedLoop> loops;   // of assembly
  size_t spills = 0, reloads = 0;  // instructions that store and load registers of which there were too few
  size_t instructions() const;
};
// What a vectoriser has done with a loop or a row of statements, or why not.
struct Remark {
  std::string function;
  bool done = false;
  std::string text;  // "vectorized loop (vectorization width: 8, interleaved count: 4)"
  std::string file;
  uint32_t line = 0;
  bool operator==(const Remark&) const = default;
};
struct Listing {
  std::string triple, cpu;
  std::vector<ListedFunction> functions;
  std::vector<Remark> remarks;
};

enum class Language : uint8_t { kAssembly, kIr };
// Errors are those of compile().
Listing list_code(const ir::IRModule& lowered, const ir::Target& target, Language language);

// What llvm-mca says of a loop that runs for long, all loads hitting the first cache.
struct PortPressure {
  std::string problem;  // why nothing is known: llvm-mca is not there, or does not know the processor; ""
  double cycles = 0;        // of one iteration
  double instructions = 0;  // that begin in one cycle
  std::vector<std::pair<std::string, double>>
      ports;  // cycles of an iteration that each is busy, the busiest first
};
// By the installed llvm-mca, of this LLVM's version if that is there.
PortPressure port_pressure(const Listing& listing, const ListedFunction& function, const ListedLoop& loop);

}  // namespace mlc::llvm_backend
