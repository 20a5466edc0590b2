// SPDX-License-Identifier: Apache-2.0
// `mlc build`: a program's module as a file.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "backend/build.h"
#include "frontend/print/print.h"
#include "repl/command_line.h"
#include "repl/program.h"
#include "repl/source.h"
#include "repl/stages.h"

namespace mlc::repl {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// What --emit says, else what the ending of -o says, else a shared library.
backend::Emit chosen_kind(const CommandLine& line) {
  if (!line.emit.empty()) return backend::emit_kind(line.emit);
  std::string ending = fs::path(line.out).extension().string();
  for (const char* name : {"so", "obj", "ll", "asm"}) {
    backend::Emit kind = backend::emit_kind(name);
    if (!ending.empty() && ending == backend::file_ending(kind)) return kind;
  }
  return backend::Emit::kSharedLibrary;
}

fs::path output_path(const CommandLine& line, backend::Emit kind) {
  fs::path out = line.out;
  if (out.empty()) {
    out = line.file == "-" ? "stdin" : fs::path(line.from.empty() ? line.file : line.from).stem();
    out += backend::file_ending(kind);
  }
  std::error_code ignored;
  if (fs::is_directory(out, ignored)) {
    throw CallError{fmt::format("`{}` is a directory", out.string()),
                    "name the artefact with `-o FOLDER/NAME`"};
  }
  if (out.has_parent_path() && !fs::is_directory(out.parent_path(), ignored)) {
    throw CallError{fmt::format("there is no folder `{}`", out.parent_path().string()), ""};
  }
  return out;
}

std::string function_names(const ir::IRModule& mod) {
  std::string names;
  for (const auto& [var, fn] : mod->functions) {
    names += fmt::format("{}`{}`", names.empty() ? "" : ", ",
                         std::string_view(var->name_hint.data(), var->name_hint.size()));
  }
  return names;
}

void write_stage(const CommandLine& line, const transform::Pipeline& pipeline, size_t after,
                 const ir::IRModule& mod) {
  std::string head = after == 0 ? fmt::format("# before the first of the {} passes", pipeline.size())
                                : fmt::format("# after {} of the {} passes: {}", after, pipeline.size(),
                                              pipeline.pass_name(after - 1));
  fs::path path = fs::path(line.dump_folder) / (stage_name(pipeline, after) + ".mlc");
  write_file(path.string(),
             fmt::format("{} of the pipeline `{}`\n{}", head, line.pipeline, print::file_text(mod, {})));
}

// The module behind the last pass; stages that are asked for are written on the way.
ir::IRModule lowered(const CommandLine& line, const NamedModule& found, const ir::Target& target,
                     script::Evaluator& evaluator) {
  transform::Pipeline pipeline = pipeline_of(line, target, evaluator);
  std::vector<bool> dumped = stages_to_dump(pipeline, line.dump);
  size_t first = line.from.empty() ? 0 : passes_behind(pipeline, line.from);
  if (!line.dump.empty()) {
    std::error_code failed;
    fs::create_directories(line.dump_folder, failed);
    if (failed) throw CallError{fmt::format("`{}` cannot be made a folder", line.dump_folder), ""};
  }
  // A pass that changed nothing needs no file, unless it was asked for by name.
  const ir::IRModuleNode* last = nullptr;
  auto stage = [&](size_t after, const ir::IRModule& mod) {
    if (dumped[after] && (mod.get() != last || line.dump != "all")) write_stage(line, pipeline, after, mod);
    last = mod.get();
  };
  if (first == 0) stage(0, found.mod);
  last = found.mod.get();
  return pipeline.lower(found.mod, first, [&](size_t i, const ir::IRModule& mod) { stage(i + 1, mod); });
}

}  // namespace

int run_build(const CommandLine& line) {
  backend::Emit kind = chosen_kind(line);
  fs::path out = output_path(line, kind);
  ir::Target target = target_of(line);
  if (line.file.empty() && line.from.empty())
    throw CallError{"there is no program to build", "`mlc build FILE`, or `mlc build --from STAGE`"};

  Clock::time_point start = Clock::now();
  script::Evaluator evaluator;
  if (line.check_bounds) check_bounds(evaluator);
  uint32_t file = load_program(evaluator, line.from.empty() ? line.file : line.from);
  NamedModule found = chosen_module(evaluator, file, line.module);
  if (line.from.empty() && line.schedule == "auto" && target->kind == "llvm") {
    ir::Any schedule = schedule_by_rules(evaluator, "cpu", found.mod, line.target);
    found.mod = *module_in(evaluator, schedule);
  }
  double script_time = milliseconds_since(start);

  // Long code generation says what it is doing, where somebody is watching.
  bool watched = isatty(STDERR_FILENO) != 0;
  if (watched) fmt::print(stderr, "compiling `{}` ...", found.name);
  if (watched) std::fflush(stderr);
  start = Clock::now();
  backend::emit(lowered(line, found, target, evaluator), target, kind, out.string());
  double build_time = milliseconds_since(start);
  if (watched) fmt::print(stderr, "\r\x1b[K");

  fmt::print("{}: {} of `{}` for {}, {} bytes in {:.0f} ms (script {:.0f} ms, compilation {:.0f} ms)\n",
             out.string(), function_names(found.mod), found.name, line.target, fs::file_size(out),
             script_time + build_time, script_time, build_time);
  return 0;
}

}  // namespace mlc::repl
