// SPDX-License-Identifier: Apache-2.0
// The commands that read a program without compiling it: run, print.
#include <fmt/format.h>

#include "backend/backend.h"
#include "backend/perf.h"
#include "frontend/print/highlight.h"
#include "frontend/print/print.h"
#include "repl/shell/command_line.h"
#include "repl/shell/interpreter.h"
#include "repl/shell/models.h"
#include "repl/shell/program.h"
#include "repl/shell/progress.h"
#include "repl/shell/source.h"

namespace mlc::repl {

int run_run(const CommandLine& line) {
  auto& evaluator = *new Interpreter;  // the process ends with it
  catch_interrupts(WhenUnheard::kEndAtSecond);
  enter_sandbox(line.sandbox);
  if (line.check_bounds) check_bounds(evaluator);
  if (line.simulate) backend::simulate_gpus(backend::Simulate::kAll);
  if (line.perf_map) backend::tell_perf(backend::Perf::kMap);
  if (line.perf_jitdump) backend::tell_perf(backend::Perf::kJitdump);
  if (!line.text && is_model_file(line.file)) return run_model(line, evaluator);
  if (!line.inputs.empty() || !line.dims.empty() || !line.out.empty() || !line.name.empty())
    throw CallError{"`--input`, `--dim`, `--output` and `--function` are for models, and this is a program",
                    "options of the program stand behind its name"};
  use_threads(line.threads);
  if (line.text) {
    evaluator.argv = {"-c"};
    evaluator.argv.insert(evaluator.argv.end(), line.arguments.begin(), line.arguments.end());
    evaluator.run_source(ir::SourceMap::current().add("<string>", *line.text));
  } else {
    run_program(evaluator, line.file, line.arguments);
  }
  return 0;
}

int run_print(const CommandLine& line) {
  Interpreter evaluator;
  Progress progress;
  progress.at("running the program");
  uint32_t file = load_program(evaluator, line.file);
  progress.clear();
  NamedModule found = chosen_module(evaluator, file, line.module);
  print::PrintOptions options;
  options.dialect = line.dialect == "classic" ? print::Dialect::kClassic : print::Dialect::kCurrent;
  std::string text = print::file_text(found.mod, options);
  if (print::wants_colour(1)) text = print::highlight(text);
  fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n");
  return 0;
}

}  // namespace mlc::repl
