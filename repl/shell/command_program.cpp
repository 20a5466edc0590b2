// SPDX-License-Identifier: Apache-2.0
// The commands that read a program without compiling it: run, print, check.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <set>

#include "backend/perf.h"
#include "frontend/diagnostics/render.h"
#include "frontend/print/highlight.h"
#include "frontend/print/print.h"
#include "frontend/review/review.h"
#include "frontend/syntax/parse.h"
#include "repl/shell/command_line.h"
#include "repl/shell/interpreter.h"
#include "repl/shell/program.h"
#include "repl/shell/source.h"
#include "transform/schedule/primitive.h"

namespace mlc::repl {

int run_run(const CommandLine& line) {
  auto& evaluator = *new Interpreter;  // the process ends with it
  catch_interrupts(true);
  if (line.check_bounds) check_bounds(evaluator);
  if (line.perf_map) backend::tell_perf(backend::Perf::kMap);
  if (line.perf_jitdump) backend::tell_perf(backend::Perf::kJitdump);
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
  uint32_t file = load_program(evaluator, line.file);
  NamedModule found = chosen_module(evaluator, file, line.module);
  print::PrintOptions options;
  options.dialect = line.dialect == "classic" ? print::Dialect::kClassic : print::Dialect::kCurrent;
  std::string text = print::file_text(found.mod, options);
  if (print::wants_colour(1)) text = print::highlight(text);
  fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n");
  return 0;
}

namespace {

// Each chunk of a program runs as a text of its own, with the lines it has in the file.
bool same_place(ir::Span a, ir::Span b) {
  if (!a || !b) return false;
  const ir::SourceMap& sources = ir::SourceMap::current();
  return sources.describe(a) == sources.describe(b);
}

// Every error and warning of a program: those of its syntax, else those of its statements, run one by one. A
// name whose definition failed is missing afterwards; what fails only because of that is not reported again.
std::vector<ir::Diagnostic> errors_of(const std::string& path) {
  std::vector<ir::Diagnostic> errors;
  uint32_t file = 0;
  std::shared_ptr<const syntax::Tree> tree;
  try {
    file = read_source(path);
    tree = syntax::parse_file(file);
  } catch (const ir::Error& error) {
    return error.all();
  }
  Interpreter evaluator;
  evaluator.argv = {path};
  evaluator.set_global("__name__", ir::Any(ir::String("check")));
  evaluator.out = [](std::string_view) {};
  evaluator.warn = [&](const ir::Diagnostic& warning) { errors.push_back(warning); };
  std::set<std::string> missing;
  for (const Chunk& chunk : chunks_of(tree->module)) {
    try {
      run_chunk_of(evaluator, file, chunk);
    } catch (const ir::Error& error) {
      missing.insert(chunk.names.begin(), chunk.names.end());
      for (const ir::Diagnostic& diagnostic : error.all()) {
        bool follows = diagnostic.name == "undefined-name" &&
                       std::any_of(missing.begin(), missing.end(), [&](const std::string& name) {
                         return diagnostic.message.find("'" + name + "'") != std::string::npos;
                       });
        if (!follows) errors.push_back(diagnostic);
      }
    } catch (const script::Evaluator::SystemExit&) {
      break;
    }
  }
  std::vector<ir::Diagnostic> warnings = review::warnings_of(
      *tree->module, evaluator.builtin_names(), transform::handle_makers());
  for (ir::Diagnostic& warning : warnings) {
    // What has failed when it ran is no warning any more.
    bool failed = std::any_of(errors.begin(), errors.end(), [&](const ir::Diagnostic& error) {
      return error.name == warning.name && same_place(error.span, warning.span);
    });
    if (!failed) errors.push_back(std::move(warning));
  }
  return errors;
}

}  // namespace

int run_check(const CommandLine& line) {
  std::vector<ir::Diagnostic> errors = errors_of(line.file);
  if (line.json) {
    fmt::print("{}", diagnostics::to_json(errors));
  } else if (errors.empty()) {
    fmt::print("{}: no errors\n", line.file);
  } else {
    diagnostics::RenderOptions options;
    options.color = print::wants_colour(1);
    fmt::print("{}{}", diagnostics::render_all(errors, options),
               errors.size() == 1 ? "\n" + diagnostics::count_of(errors) + "\n" : "");
  }
  bool wrong = std::any_of(errors.begin(), errors.end(), [&](const ir::Diagnostic& one) {
    return line.strict || one.severity == ir::Diagnostic::Severity::kError;
  });
  return wrong ? 1 : 0;
}

}  // namespace mlc::repl
