// SPDX-License-Identifier: Apache-2.0
// What code generators make of the module in force, with the lines of the program beside it.
#include <fmt/format.h>

#include <algorithm>

#include "backend/artefact/temporary_folder.h"
#include "backend/backend.h"
#include "backend/llvm/listing.h"
#include "frontend/print/print.h"
#include "ir/core/files.h"
#include "repl/session/commands.h"
#include "repl/session/lowering.h"
#include "repl/session/subject.h"
#include "repl/session/table.h"
#include "repl/shell/source.h"

namespace mlc::repl::commands_code {
namespace {

using llvm_backend::ListedFunction;
using llvm_backend::Listing;

// Instructions up to so many columns have what stands beside them in one column.
constexpr size_t kWidestText = 60;

struct Request {
  std::string name;  // of a module or function; "" for what is in force
  std::string target;
  bool all = false;  // entries and slower versions, too
};

Request request_of(std::string_view command, std::string_view arguments, std::string target) {
  Request request;
  request.target = std::move(target);
  for (std::string_view word = take_word(arguments); !word.empty(); word = take_word(arguments)) {
    if (word == "--all") {
      request.all = true;
    } else if (word == "--target") {
      request.target = take_target(arguments);
      if (request.target.empty())
        throw CallError{"for which target?", fmt::format("`:{} --target x86-64-v3`", command)};
    } else {
      if (!request.name.empty()) no_more(command, word);
      request.name = word;
    }
  }
  return request;
}

// The text of a line of a program that was read, without its indentation.
std::string source_line(const std::string& file, uint32_t line) {
  auto files = ir::SourceMap::current().files();
  auto found = std::find_if(files.rbegin(), files.rend(),
                            [&](const ir::SourceFile* each) { return each->name == file; });
  if (found == files.rend() || line == 0 || line > (*found)->lines.size()) return "";
  return std::string(trim((*found)->line(line)));
}

bool has_function(const Listing& listing, const std::string& name) {
  return std::ranges::find(listing.functions, name, &ListedFunction::name) != listing.functions.end();
}

// "mm_compute" where there is a "mm_compute_noalias": it runs when arguments overlap.
bool is_slower_version(const Listing& listing, const std::string& name) {
  size_t end = name.find("_compute");
  if (end == std::string::npos || name.find("_compute_noalias") != std::string::npos) return false;
  return has_function(listing, name.substr(0, end + 8) + "_noalias");
}

// One file's lines go by their number alone.
std::string place_of(const std::string& file, uint32_t line, bool one_file) {
  return one_file ? fmt::format("{}", line) : fmt::format("{}:{}", file, line);
}

bool in_one_file(const Listing& listing) {
  std::string file;
  for (const ListedFunction& function : listing.functions)
    for (const auto& line : function.lines) {
      if (line.file.empty() || function.is_entry) continue;
      if (!file.empty() && file != line.file) return false;
      file = line.file;
    }
  return true;
}

// A line of the program stands beside the first instruction of those that follow each other and come from it.
void add_lines(Table& table, const ListedFunction& function, bool one_file) {
  std::string last;
  for (const auto& line : function.lines) {
    if (line.is_label) {
      last.clear();
      table.add({{line.text, colour::kKind}});
      continue;
    }
    std::string place = line.line == 0 ? "" : place_of(line.file, line.line, one_file);
    bool again = place == last;
    last = place;
    table.add({{"  " + line.text},
               {again ? "" : place, colour::kQuiet, true},
               {again ? "" : source_line(line.file, line.line), colour::kQuiet}});
  }
}

std::string heading(const ListedFunction& function, bool assembly) {
  std::string text = fmt::format("{}: {}", function.name, counted(function.instructions(), "instruction"));
  if (assembly)
    text +=
        function.spills + function.reloads == 0
            ? ", no spills"
            : fmt::format(", {}, {}", counted(function.spills, "spill"), counted(function.reloads, "reload"));
  return text + "\n";
}

// What the vectorisers say of the functions that are shown, each sentence once.
std::string vectorisation(const Listing& listing, const std::vector<const ListedFunction*>& shown,
                          size_t width, bool coloured) {
  bool one_file = in_one_file(listing);
  Table table(kWidestText + 10);
  std::vector<std::string> said;
  for (const auto& remark : listing.remarks) {
    bool is_shown =
        std::ranges::any_of(shown, [&](const ListedFunction* each) { return each->name == remark.function; });
    std::string place = remark.line == 0 ? "" : place_of(remark.file, remark.line, one_file);
    std::string key = place + remark.text;
    if (!is_shown || std::ranges::find(said, key) != said.end()) continue;
    said.push_back(key);
    table.add({{remark.done ? "  +" : "  -", remark.done ? colour::kAdded : colour::kRemoved},
               {place, colour::kQuiet, true},
               {remark.text},
               {source_line(remark.file, remark.line), colour::kQuiet}});
  }
  return table.empty() ? "" : "loops in LLVM\n" + table.text(width, coloured);
}

std::string ports(const Listing& listing, const std::vector<const ListedFunction*>& shown) {
  std::string text;
  for (const ListedFunction* function : shown) {
    for (const llvm_backend::ListedLoop& loop : function->loops) {
      llvm_backend::PortPressure pressure = llvm_backend::port_pressure(listing, *function, loop);
      if (!pressure.problem.empty()) return fmt::format("ports: {}\n", pressure.problem);
      std::vector<std::string> busy;
      for (const auto& [port, cycles] : pressure.ports)
        if (busy.size() < 4 && cycles >= 0.01) busy.push_back(fmt::format("{} {:.2f}", port, cycles));
      text += fmt::format("  {} of {}: {:.1f} cycles an iteration, {:.1f} instructions a cycle; busy: {}\n",
                          std::string_view(function->lines[loop.begin].text)
                              .substr(0, function->lines[loop.begin].text.size() - 1),
                          function->name, pressure.cycles, pressure.instructions, fmt::join(busy, ", "));
    }
  }
  return text.empty()
             ? ""
             : fmt::format("ports of {} by llvm-mca, loads from the first cache\n{}", listing.cpu, text);
}

void show_listing(Session& session, std::string_view command, std::string_view arguments,
                  llvm_backend::Language language) {
  Request request = request_of(command, arguments, backend::default_target_kind());
  Subject subject = subject_of(session, request.name);
  Lowered ready = lowered(session, subject, request.target);
  if (ready.target->kind != "llvm")
    throw CallError{fmt::format("LLVM makes no code for the target `{}`", request.target), "`:c` shows C"};
  Listing listing = llvm_backend::list_code(ready.mod, ready.target, language);
  std::vector<const ListedFunction*> shown;
  std::vector<std::string> hidden;
  for (const ListedFunction& function : listing.functions) {
    bool is_hidden = function.is_entry || is_slower_version(listing, function.name);
    if (is_hidden && !request.all)
      hidden.push_back(function.name);
    else
      shown.push_back(&function);
  }
  bool assembly = language == llvm_backend::Language::kAssembly, coloured = session.options().colour;
  size_t width = width_of(session);
  std::string text =
      fmt::format("# {}{}{} for {}, {}{}{}\n", subject.name, subject.function.empty() ? "" : ".",
                  subject.function, listing.triple, listing.cpu.empty() ? "any" : listing.cpu,
                  ready.remark.empty() ? "" : ", ", ready.remark);
  bool one_file = in_one_file(listing);
  for (const ListedFunction* function : shown) {
    Table table(kWidestText);
    add_lines(table, *function, one_file);
    text += heading(*function, assembly) + table.text(width, coloured);
  }
  text += vectorisation(listing, shown, width, coloured);
  if (assembly) text += ports(listing, shown);
  if (!hidden.empty())
    text += fmt::format(
        "not shown: {} (entries, and versions for arguments that overlap); `:{} --all` shows them\n",
        fmt::join(hidden, ", "), command);
  session.page(text);
}

void show_assembly(Session& session, std::string_view arguments) {
  show_listing(session, "asm", arguments, llvm_backend::Language::kAssembly);
}

void show_ir(Session& session, std::string_view arguments) {
  show_listing(session, "llvm", arguments, llvm_backend::Language::kIr);
}

// A text that the backend of `kind` writes.
void show_text(Session& session, std::string_view command, std::string_view arguments,
               const std::string& kind, std::string_view artefact, std::string_view target = {}) {
  Request request = request_of(command, arguments, std::string(target.empty() ? kind : target));
  Subject subject = subject_of(session, request.name);
  Lowered ready = lowered(session, subject, request.target);
  if (std::string_view(ready.target->kind.data(), ready.target->kind.size()) != kind)
    throw CallError{fmt::format("`:{}` is for the target `{}`, not for `{}`", command, kind, request.target),
                    fmt::format("`:{}`", command)};
  const backend::Backend& maker = backend::backend_of(ready.target);
  backend::TemporaryFolder folder("mlc-text");
  std::string path = folder / "kernel";
  maker.emit(*backend::find_artefact(maker, artefact),
             {.lowered = ready.mod, .target = ready.target, .path = path, .print = [](const ir::Expr& e) {
                return print::text_of(ir::Any(e));
              }});
  std::string text = ir::read_file(path).value_or("");
  if (!ready.remark.empty()) return session.page(fmt::format("/* {} */\n{}", ready.remark, text));
  session.page(text);
}

void show_c(Session& session, std::string_view arguments) { show_text(session, "c", arguments, "c", "c"); }
void show_cuda(Session& session, std::string_view arguments) {
  show_text(session, "cu", arguments, "cuda", "cu");
}
// For the GPU that is here; without one TVM's target is older than what CUDA 13 still compiles for.
void show_ptx(Session& session, std::string_view arguments) {
  constexpr std::string_view kOldest = R"({"kind":"cuda","arch":"sm_75"})";
  ir::Target here = ir::parse_target(ir::Any(ir::String("cuda")));
  bool is_known = ir::target_attr<ir::String>(here, "arch", ir::String("sm_50")) != "sm_50";
  show_text(session, "ptx", arguments, "cuda", "ptx", is_known ? "cuda" : kOldest);
}
void show_opencl(Session& session, std::string_view arguments) {
  show_text(session, "cl", arguments, "opencl", "cl");
}

constexpr std::string_view kDetails =
    "    :asm\n    :asm sch.main\n    :asm --target x86-64-v3\n"
    "  Beside an instruction stands the line that it comes from, where that is another one than before; "
    "below, which\n"
    "  loops LLVM has vectorised and unrolled, or why not. `:asm` counts spills, and llvm-mca says how busy "
    "a processor's "
    "ports are with each\n"
    "  innermost loop. A stage that `:edit` has changed is where the code begins. NAME: a module, a "
    "schedule, one of its\n"
    "  functions, or a state.\n";

constexpr Command kRows[] = {
    {"asm", "[NAME] [--target T] [--all]", "the machine code, the program's lines beside it; spills, ports",
     kDetails, show_assembly, Argument::kName},
    {"llvm", "[NAME] [--target T] [--all]", "LLVM's code behind its optimiser, the program's lines beside it",
     kDetails, show_ir, Argument::kName},
    {"c", "[NAME]", "the module as C11", "    :c\n    :c sch.main\n", show_c, Argument::kName},
    {"cu", "[NAME] [--target T]", "the kernels as CUDA C++", R"(    :cu
    :cu --target {"kind":"cuda","arch":"sm_90"}
)",
     show_cuda, Argument::kName},
    {"ptx", "[NAME] [--target T]", "the kernels as PTX, where CUDA's compiler is",
     "    :ptx\n  For the GPU that is here, sm_75 where none is.\n", show_ptx, Argument::kName},
    {"cl", "[NAME] [--target T]", "the kernels as OpenCL C", "    :cl\n", show_opencl, Argument::kName},
};

}  // namespace

extern const Commands code{kRows};

}  // namespace mlc::repl::commands_code
