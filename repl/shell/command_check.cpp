// SPDX-License-Identifier: Apache-2.0
// mlc check: what is wrong with a program, as far as its text says.
#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "frontend/diagnostics/render.h"
#include "frontend/print/highlight.h"
#include "repl/session/table.h"
#include "repl/shell/check_program.h"
#include "repl/shell/command_line.h"
#include "repl/shell/progress.h"
#include "repl/shell/report.h"
#include "repl/shell/source.h"

namespace mlc::repl {

namespace {

// What the verdict does not cover; "" where it covers all.
std::string left_open(const CheckedProgram& checked, const std::string& path) {
  std::string text;
  for (const Unchecked& one : checked.unchecked) {
    text += fmt::format("not checked: `{}`, {}: only a run knows {}\n", one.name,
                        ir::SourceMap::current().describe(one.span), one.needs);
  }
  size_t others = checked.not_run - checked.unchecked.size();
  if (others > 0) {
    text +=
        fmt::format("not run: {}, of which syntax and names were looked at; `mlc check --run {}` runs {}\n",
                    counted(others, "statement"), path, others == 1 ? "it" : "them");
  }
  return text;
}

void print_json(const CheckedProgram& checked) {
  fmt::print("{}", event_text(checked.found));
  for (const Unchecked& one : checked.unchecked) {
    const ir::SourceMap& sources = ir::SourceMap::current();
    ir::Position begin = sources.position(one.span.file, one.span.begin);
    nlohmann::ordered_json all = {
        {"severity", "note"},
        {"name", "not-checked"},
        {"message", fmt::format("`{}` is not checked: only a run knows {}", one.name, one.needs)},
        {"span",
         {{"file", sources.file(one.span.file).name}, {"line", begin.line}, {"column", begin.column}}}};
    print_event("diagnostic", all);
  }
  size_t others = checked.not_run - checked.unchecked.size();
  if (others > 0) {
    nlohmann::ordered_json all = {{"severity", "note"},
                                  {"name", "not-run"},
                                  {"message", fmt::format("{} not run", counted(others, "statement"))},
                                  {"span", nullptr}};
    print_event("diagnostic", all);
  }
}

}  // namespace

int run_check(const CommandLine& line) {
  Progress progress;
  progress.at(line.run_it ? "running the program" : "reading the program");
  CheckedProgram checked = [&]() -> CheckedProgram {
    try {
      return check_program(read_source(line.file), line.file, line.run_it);
    } catch (const ir::Error& error) {  // no text
      if (error.first().kind == "KeyboardInterrupt") throw;
      return {error.all(), {}, 0};
    }
  }();
  progress.clear();
  const std::vector<ir::Diagnostic>& errors = checked.found;
  std::string open = left_open(checked, visible(line.file));
  if (line.json) {
    print_json(checked);
  } else if (errors.empty()) {
    fmt::print("{}: no errors\n{}", visible(line.file), open);
  } else {
    diagnostics::RenderOptions options;
    options.color = print::wants_colour(STDOUT_FILENO);
    options.links = options.color && diagnostics::shows_links(STDOUT_FILENO);
    fmt::print("{}{}{}{}", diagnostics::render_all(errors, options),
               errors.size() == 1 ? "\n" + diagnostics::count_of(errors) + "\n" : "", open,
               where_explained(errors));
  }
  bool wrong = std::any_of(errors.begin(), errors.end(), [&](const ir::Diagnostic& one) {
    return line.strict || one.severity == ir::Diagnostic::Severity::kError;
  });
  return wrong ? 1 : 0;
}

}  // namespace mlc::repl
