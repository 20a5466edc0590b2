// SPDX-License-Identifier: Apache-2.0
// `mlc import`: what reads a model file stands in stdlib/tvm/relax/frontend/import_model.mlc.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "frontend/print/print.h"
#include "ir/core/span.h"
#include "repl/shell/command_line.h"
#include "repl/shell/interpreter.h"
#include "repl/shell/program.h"
#include "repl/shell/progress.h"
#include "repl/shell/report.h"
#include "repl/shell/show_program.h"
#include "repl/shell/source.h"

namespace mlc::repl {

int run_import(const CommandLine& line) {
  Interpreter evaluator;
  Progress progress;
  progress.at("reading the model");
  auto list = [](const std::vector<std::string>& texts) {
    script::List all;
    for (const std::string& text : texts) all.push_back(script::str_value(text));
    return all;
  };
  uint32_t file = ir::SourceMap::current().add(
      "<mlc import>", "import tvm.relax.frontend.import_model as _command\n_command.run\n");
  ir::Any arguments[] = {script::str_value(line.file), script::str_value(line.weights), list(line.shapes),
                         list(line.values), line.opset == 0 ? ir::Any(nullptr) : ir::Any(line.opset)};
  ir::Any result;
  try {
    result = evaluator.call(evaluator.evaluate_repl(file), arguments);
  } catch (ir::Error& error) {  // about the model, not about the lines of the library that found it
    ir::Diagnostic& first = error.first();
    first.span = {};
    first.calls.clear();
    for (ir::Note& note : first.notes) note.span = {};
    throw;
  }
  progress.clear();
  auto parts = result.cast<ir::Array<ir::Any>>();
  std::string text = std::string(script::text_of(parts[1])) + print::file_text(parts[0].cast<ir::IRModule>());
  if (!text.ends_with('\n')) text += '\n';
  NamedModule module{"", parts[0].cast<ir::IRModule>()};
  if (line.out.empty() || line.out == "-") {
    show_program(line, module, text);
    return 0;
  }
  write_file(line.out, text);
  if (line.json) {
    print_event("result", {{"file", line.file}, {"functions", names_of(module.mod)}, {"written", line.out}});
  } else {
    fmt::print("{}: imported\n", line.out);
  }
  return 0;
}

}  // namespace mlc::repl
