// SPDX-License-Identifier: Apache-2.0
// What the server can do, and how places and diagnostics are written.
#include <algorithm>

#include "repl/lsp/diagnostics.h"

namespace mlc::lsp {

namespace {

constexpr int kSeverityError = 1, kSeverityWarning = 2;
constexpr int kTagUnnecessary = 1;
constexpr int kSyncIncremental = 2;

}  // namespace

json initialize(Server& server, const json& params) {
  server.phase = Server::Phase::kRunning;
  json formats = params.value("/capabilities/textDocument/hover/contentFormat"_json_pointer, json());
  server.markdown = !formats.is_array() || std::ranges::find(formats, json("markdown")) != formats.end();
  json capabilities{
      {"positionEncoding", "utf-16"},
      {"textDocumentSync", {{"openClose", true}, {"change", kSyncIncremental}, {"save", false}}},
      {"hoverProvider", true},
      {"definitionProvider", true},
      {"referencesProvider", true},
      {"documentHighlightProvider", true},
      {"renameProvider", {{"prepareProvider", true}}},
      {"documentSymbolProvider", true},
      {"foldingRangeProvider", true},
      {"semanticTokensProvider",
       {{"legend", {{"tokenTypes", token_types()}, {"tokenModifiers", {"declaration"}}}}, {"full", true}}},
      {"completionProvider", {{"triggerCharacters", {".", "\"", "'"}}}},
      {"documentFormattingProvider", true},
      {"codeActionProvider", {{"codeActionKinds", {"quickfix", "source.fixAll"}}}},
      {"inlayHintProvider", true},
      {"executeCommandProvider", {{"commands", {"mlc.runToHere", "mlc.waysOut"}}}},
  };
  return {{"capabilities", std::move(capabilities)},
          {"serverInfo", {{"name", "mlc"}, {"version", MLC_VERSION}}}};
}

Position place_of(const json& position) {
  return {position.at("line").get<uint32_t>(), position.at("character").get<uint32_t>()};
}
json to_json(Position place) { return {{"line", place.line}, {"character", place.character}}; }

json range_of(const Text& text, size_t begin, size_t end) {
  return {{"start", to_json(text.place(begin))}, {"end", to_json(text.place(std::max(begin, end)))}};
}

size_t offset_of(const Document& document, const json& params) {
  return document.text().offset(place_of(params.at("position")));
}

json edit_between(const Text& before, std::string_view after) {
  std::string_view old = before.str();
  if (old == after) return json::array();
  size_t same = 0;
  while (same < std::min(old.size(), after.size()) && old[same] == after[same]) ++same;
  while (same > 0 && old[same - 1] != '\n') --same;  // whole lines, which also keeps characters whole
  size_t rest = 0;
  while (rest < std::min(old.size(), after.size()) - same &&
         old[old.size() - 1 - rest] == after[after.size() - 1 - rest])
    ++rest;
  while (rest > 0 && old[old.size() - rest - 1] != '\n') --rest;
  json edit{{"range", range_of(before, same, old.size() - rest)},
            {"newText", after.substr(same, after.size() - rest - same)}};
  return json::array({std::move(edit)});
}

json to_json(const Document& document, const ir::Diagnostic& diagnostic) {
  const Text& text = document.text();
  bool error = diagnostic.severity == ir::Diagnostic::Severity::kError;
  std::string message = diagnostic.message;
  json related = json::array();
  for (const ir::Note& note : diagnostic.notes) {
    if (note.span)
      related.push_back(
          {{"location", {{"uri", document.uri}, {"range", range_of(text, note.span.begin, note.span.end)}}},
           {"message", note.message}});
    else
      message += "\nnote: " + note.message;
  }
  if (!diagnostic.help.empty()) message += "\nhelp: " + diagnostic.help;
  json made{{"range", range_of(text, diagnostic.span.begin, diagnostic.span.end)},
            {"severity", error ? kSeverityError : kSeverityWarning},
            {"code", diagnostic.name},
            {"source", "mlc"},
            {"message", std::move(message)}};
  if (!related.empty()) made["relatedInformation"] = std::move(related);
  if (diagnostic.name == "unused-handle" || diagnostic.name == "unreachable-code")
    made["tags"] = json::array({kTagUnnecessary});
  return made;
}

json diagnostics_of(Document& document) {
  json all = json::array();
  for (const ir::Diagnostic& each : document.diagnostics()) all.push_back(to_json(document, each));
  return all;
}

}  // namespace mlc::lsp
