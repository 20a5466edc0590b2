// SPDX-License-Identifier: Apache-2.0
// `mlc.waysOut`: the program's beginning runs in a session that a program drives (`mlc repl --json`), whose
// events say which step was refused and what was tried in its place.
#include "repl/lsp/server.h"

namespace mlc::lsp {

namespace {

// The event of that name, or null.
json first_event(std::string_view lines, std::string_view name) {
  while (!lines.empty()) {
    size_t end = std::min(lines.find('\n'), lines.size());
    json event = json::parse(lines.substr(0, end), nullptr, false);
    if (event.is_object() && event.value("event", "") == name) return event;
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return nullptr;
}

// Lines from 1, and columns from 1 in code points.
size_t offset_of(const Text& text, size_t line, size_t column) {
  if (line == 0 || line > text.lines()) return text.str().size();
  std::string_view rest = text.line(line - 1);
  size_t offset = 0;
  for (size_t left = column - std::min<size_t>(column, 1); left > 0 && offset < rest.size(); --left) do
      ++offset;
    while (offset < rest.size() && (rest[offset] & 0xc0) == 0x80);
  return text.line_begin(line - 1) + offset;
}

}  // namespace

json result_of_ways_out(Server& server, const Child& child, int status) {
  auto answer = [](const std::string& error, const json& ways) -> json {
    return {{"ok", error.empty()}, {"error", error}, {"ways", ways}};
  };
  json event = first_event(child.shown, "error");
  if (event.is_null()) return answer(end_of(child, status), json::array());
  const json& first = event.at("diagnostics").at(0);
  std::vector<std::string> ways = event.value("ways_out", std::vector<std::string>());
  auto message = first.at("message").get<std::string>();
  const json& span = first.at("span");
  auto found = server.documents().find(child.uri);
  // Only of the text as it ran, and not of what lies in another file.
  bool here = span.is_object() && span.at("file").get<std::string>().starts_with("<repl>");
  if (!here || found == server.documents().end() || found->second.version != child.version)
    return answer(message, ways);
  Document& document = found->second;
  RefusedStep step;
  step.error.name = first.at("name");
  step.error.message = message;
  step.error.help = first.at("help");
  size_t begin = offset_of(document.text(), span.at("line"), span.at("column"));
  size_t end = offset_of(document.text(), span.at("end_line"), span.at("end_column"));
  step.error.span = {1, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  for (const syntax::Stmt* stmt : document.reading().tree->module->body)
    if (stmt->span.begin <= begin && end <= stmt->span.end)
      step.begin = stmt->span.begin, step.end = stmt->span.end;
  step.ways = ways;
  document.refused = std::move(step);
  document.published = false;
  return answer(message, ways);
}

}  // namespace mlc::lsp
