// SPDX-License-Identifier: Apache-2.0
// Text that the editor is offered: the layout of `mlc fmt`, the names of `mlc fix`, what diagnostics suggest,
// and the ways out of a step that was refused.
#include <algorithm>

#include "frontend/fix/fix.h"
#include "frontend/format/format.h"
#include "ir/registry/context.h"
#include "repl/lsp/diagnostics.h"

namespace mlc::lsp {

namespace {

// Does the editor want actions of this kind? It may name kinds, or those above them.
bool wants(const json& params, std::string_view kind) {
  json only = params.at("context").value("only", json());
  if (!only.is_array()) return true;
  for (const json& each : only) {
    auto wanted = each.get<std::string>();
    if (kind == wanted || kind.starts_with(wanted + ".")) return true;
  }
  return false;
}

std::string in_backticks(std::string_view text, size_t from = 0) {
  size_t begin = text.find('`', from);
  size_t end = begin == text.npos ? begin : text.find('`', begin + 1);
  return end == text.npos ? "" : std::string(text.substr(begin + 1, end - begin - 1));
}

struct Suggestion {
  std::string title;
  size_t begin = 0, end = 0;
  std::string text;
};

// What the help of a diagnostic says can be typed in place of what it underlines.
std::optional<Suggestion> suggestion_of(const Document& document, const ir::Diagnostic& diagnostic) {
  std::string_view underlined = std::string_view(document.text().str());
  underlined = underlined.substr(0, diagnostic.span.end);
  underlined = underlined.substr(std::min<size_t>(diagnostic.span.begin, underlined.size()));
  std::string_view help = diagnostic.help;
  if (diagnostic.name == "unused-handle") {
    return Suggestion{fmt::format("Call it `_{}`", underlined), diagnostic.span.begin, diagnostic.span.begin,
                      "_"};
  }
  size_t question = help.find("did you mean `");
  if (question == help.npos) return std::nullopt;
  std::string better = in_backticks(help, question);
  // The wrong word is the first that the message quotes and the line has.
  for (char quote : {'`', '\''}) {
    for (size_t at = diagnostic.message.find(quote); at != std::string::npos;
         at = diagnostic.message.find(quote, at + 1)) {
      size_t close = diagnostic.message.find(quote, at + 1);
      if (close == std::string::npos) break;
      std::string wrong = diagnostic.message.substr(at + 1, close - at - 1);
      wrong = wrong.substr(wrong.rfind('.') + 1);
      size_t found = wrong.empty() ? underlined.npos : underlined.rfind(wrong);
      if (found == underlined.npos) continue;
      std::string last = better.substr(better.rfind('.') + 1);
      return Suggestion{fmt::format("Change to `{}`", last), diagnostic.span.begin + found,
                        diagnostic.span.begin + found + wrong.size(), last};
    }
  }
  return std::nullopt;
}

json edit_of(const Document& document, json edits) {
  return {{"changes", {{document.uri, std::move(edits)}}}};
}

// The statement at the left margin that has the offset, where it takes a step of a schedule.
const syntax::Stmt* step_at(Document& document, size_t offset) {
  for (const syntax::Stmt* stmt : document.reading().tree->module->body) {
    if (offset < stmt->span.begin || offset > stmt->span.end) continue;
    bool steps = std::ranges::any_of(document.index().members, [&](const Member& each) {
      return each.path.starts_with("Schedule.") && stmt->span.begin <= each.begin &&
             each.end <= stmt->span.end;
    });
    if (steps) return stmt;
  }
  return nullptr;
}

// What can stand in place of a refused step; where the program has not been run, the command that runs it.
void add_ways_out(json& actions, Document& document, size_t from, size_t to) {
  const auto& refused = document.refused;
  if (refused && refused->begin <= to && refused->end >= from) {
    for (const std::string& way : refused->ways) {
      json edit{{"range", range_of(document.text(), refused->begin, refused->end)}, {"newText", way}};
      actions.push_back({{"title", fmt::format("Change to `{}`", way)},
                         {"kind", "quickfix"},
                         {"diagnostics", json::array({to_json(document, refused->error)})},
                         {"edit", edit_of(document, json::array({std::move(edit)}))}});
    }
    return;
  }
  const syntax::Stmt* step = document.reading().problems.empty() ? step_at(document, from) : nullptr;
  if (step == nullptr) return;
  constexpr std::string_view kTitle = "Run the program to here, and try ways out where a step is refused";
  json where{{"uri", document.uri}, {"position", to_json(document.text().place(step->span.begin))}};
  actions.push_back(
      {{"title", kTitle},
       {"kind", "quickfix"},
       {"command",
        {{"title", kTitle}, {"command", "mlc.waysOut"}, {"arguments", json::array({std::move(where)})}}}});
}

// The text rewritten by a command that reads a registered file.
template <class Rewrite>
auto rewritten(const Document& document, Rewrite rewrite) {
  ir::Context context;
  ir::Context::Use use(context);
  return rewrite(ir::SourceMap::current().add("document", document.text().str()));
}

}  // namespace

json formatting(Server& server, const json& params) {
  Document& document = server.document(params);
  if (!document.reading().problems.empty())
    throw ResponseError{kRequestFailed, "a program with syntax errors is not formatted"};
  return edit_between(document.text(),
                      rewritten(document, [](uint32_t file) { return format::format(file); }));
}

json code_action(Server& server, const json& params) {
  Document& document = server.document(params);
  const Text& text = document.text();
  size_t from = text.offset(place_of(params.at("range").at("start")));
  size_t to = text.offset(place_of(params.at("range").at("end")));
  json actions = json::array();
  if (wants(params, "quickfix")) {
    for (const ir::Diagnostic& each : document.diagnostics()) {
      if (each.span.begin > to || each.span.end < from) continue;
      std::optional<Suggestion> found = suggestion_of(document, each);
      if (!found) continue;
      json edit{{"range", range_of(text, found->begin, found->end)}, {"newText", found->text}};
      actions.push_back({{"title", found->title},
                         {"kind", "quickfix"},
                         {"diagnostics", json::array({to_json(document, each)})},
                         {"isPreferred", true},
                         {"edit", edit_of(document, json::array({std::move(edit)}))}});
    }
    add_ways_out(actions, document, from, to);
  }
  if (wants(params, "source.fixAll.mlc") && document.reading().problems.empty()) {
    json edits = edit_between(text, rewritten(document, [](uint32_t file) { return fix::fix(file).text; }));
    if (!edits.empty())
      actions.push_back({{"title", "Use the names of today (mlc fix)"},
                         {"kind", "source.fixAll.mlc"},
                         {"edit", edit_of(document, std::move(edits))}});
  }
  return actions;
}

}  // namespace mlc::lsp
