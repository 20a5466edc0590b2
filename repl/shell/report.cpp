// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/report.h"

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "frontend/diagnostics/render.h"
#include "frontend/diagnostics/visible.h"
#include "ir/core/span.h"
#include "repl/shell/explain_refusal.h"

namespace mlc::repl {

namespace {

size_t code_points(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

// The first line of the span without its indentation, and carets under what the span covers of it.
std::string line_and_caret(ir::Span span) {
  const ir::SourceMap& sources = ir::SourceMap::current();
  const ir::SourceFile& file = sources.file(span.file);
  uint32_t number = sources.position(span.file, span.begin).line;
  std::string_view line = file.line(number);
  size_t start = file.lines[number - 1];
  size_t blanks = std::min(line.find_first_not_of(" \t"), line.size());
  size_t begin = std::clamp<size_t>(span.begin - start, blanks, line.size());
  size_t end = std::clamp<size_t>(span.end - start, begin, line.size());
  std::string carets(std::max<size_t>(1, code_points(line.substr(begin, end - begin))), '^');
  return fmt::format("  {}\n  {}{}\n", line.substr(blanks),
                     std::string(code_points(line.substr(blanks, begin - blanks)), ' '), carets);
}

}  // namespace

std::string full_report(const ir::Error& error, bool colour) {
  diagnostics::RenderOptions options;
  options.color = colour;
  options.links = colour && diagnostics::shows_links(STDERR_FILENO);
  return diagnostics::render_all(error.all(), options);
}

std::string compact_report(const ir::Diagnostic& diagnostic) {
  bool warning = diagnostic.severity == ir::Diagnostic::Severity::kWarning;
  std::string text =
      fmt::format("{}[{}]: {}\n", warning ? "warning" : "error", diagnostic.name, diagnostic.message);
  if (diagnostic.span) text += line_and_caret(diagnostic.span);
  for (const ir::Note& note : ir::all_notes(diagnostic)) {
    text += fmt::format("note: {}\n", note.message);
    if (note.span) text += line_and_caret(note.span);
  }
  if (!diagnostic.help.empty()) text += fmt::format("help: {}\n", diagnostic.help);
  return text;
}

std::string compact_report(const ir::Error& error) {
  std::string text;
  for (const ir::Diagnostic& diagnostic : error.all()) text += compact_report(diagnostic);
  return text;
}

std::string where_explained(const std::vector<ir::Diagnostic>& errors) {
  std::vector<std::string> names;
  for (const ir::Diagnostic& error : errors) {
    if (error.name == "raised") continue;  // an exception of the program itself, in its own words
    const ir::Refusal* rule = find_refusal(error.name);
    bool more = rule != nullptr && (!rule->meaning.empty() || !rule->wrong.empty());
    std::string name = fmt::format("`mlc explain {}`", error.name);
    if (more && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  if (names.empty()) return "";
  constexpr size_t kMost = 3;
  names.resize(std::min(names.size(), kMost));
  return fmt::format("{} {} more\n", fmt::join(names, ", "), names.size() == 1 ? "says" : "say");
}

std::string interrupt_report(const ir::Error& error) {
  const ir::Diagnostic& first = error.first();
  if (!first.span) return first.message + "\n";
  const ir::SourceMap& sources = ir::SourceMap::current();
  uint32_t line = sources.position(first.span.file, first.span.begin).line;
  std::string_view text = sources.file(first.span.file).line(line);
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return fmt::format("{} at {}: {}\n", first.message, sources.describe(first.span), text.substr(0, 120));
}

int exit_code_of(const ir::Error& error) {
  const ir::Diagnostic& first = error.first();
  if (first.kind == "KeyboardInterrupt") return 130;  // what shells give a program that SIGINT ended
  if (first.name == "out-of-memory") return 3;
  return first.name == "cannot-write" && !first.span ? 2 : 1;
}

std::string call_report(const CallError& error, bool colour) {
  std::string text = fmt::format("{}error{}: {}\n", colour ? "\x1b[1;31m" : "", colour ? "\x1b[0m" : "",
                                 diagnostics::visible(error.message));
  if (!error.help.empty()) {
    text += fmt::format("{}help{}: {}\n", colour ? "\x1b[1;32m" : "", colour ? "\x1b[0m" : "",
                        diagnostics::visible(error.help));
  }
  return text;
}

ir::Diagnostic call_diagnostic(const CallError& error) {
  ir::Diagnostic diagnostic;
  diagnostic.name = "wrong-call";
  diagnostic.kind = "SystemExit";
  diagnostic.message = error.message;
  diagnostic.help = error.help;
  return diagnostic;
}

std::string event_text(std::string_view event, const nlohmann::ordered_json& what) {
  nlohmann::ordered_json all{{"event", event}};
  all.update(what);
  return json_text(all) + "\n";
}

void print_event(std::string_view event, const nlohmann::ordered_json& what) {
  fmt::print("{}", event_text(event, what));
}

std::string event_text(const std::vector<ir::Diagnostic>& diagnostics) {
  std::string text;
  for (const ir::Diagnostic& each : diagnostics)
    text += event_text("diagnostic", nlohmann::ordered_json::parse(diagnostics::to_json(each)));
  return text;
}

std::string json_text(const nlohmann::ordered_json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string internal_report(const char* what, const std::string& program) {
  std::string text = fmt::format("internal error: {}\n", what);
  text += "This is a defect of mlc, not of your program.";
  if (!program.empty())
    text +=
        fmt::format(" `{}` reproduces it; please report it with this file and the output of `mlc --version`.",
                    diagnostics::visible(program));
  return text + "\n";
}

}  // namespace mlc::repl
