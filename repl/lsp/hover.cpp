// SPDX-License-Identifier: Apache-2.0
// What a name is: hover, and the hints between the words.
#include <algorithm>

#include "repl/lsp/server.h"
#include "repl/session/session.h"

namespace mlc::lsp {

namespace {

constexpr int kHintOfType = 1;

std::string_view kind_word(Kind kind) {
  switch (kind) {
    case Kind::kImport:
      return "import";
    case Kind::kFunction:
      return "function";
    case Kind::kClass:
      return "class";
    case Kind::kVariable:
      return "variable";
    case Kind::kParameter:
      return "parameter";
    case Kind::kBuffer:
      return "buffer";
    case Kind::kLoop:
      return "loop";
    case Kind::kIterator:
      return "block iterator";
    case Kind::kBlock:
      return "block";
    case Kind::kDimension:
      return "symbolic dimension";
  }
  return "";
}

// The line on which it is made, or the header of a function or class up to its colon.
std::string source_of(const Document& document, const Entity& entity) {
  const Text& text = document.text();
  size_t line = text.line_of(entity.begin);
  std::string source(repl::trim(text.line(line)));
  if (entity.kind != Kind::kFunction && entity.kind != Kind::kClass) return source;
  for (size_t next = line + 1; !source.ends_with(':') && next < text.lines() && next < line + 20; ++next)
    source += "\n    " + std::string(repl::trim(text.line(next)));
  return source;
}

// `value`: what is known of it where it is asked about, if anything.
std::string about_entity(Server& server, Document& document, const Entity& entity, const Fact* value = nullptr) {
  if (entity.kind == Kind::kImport && !entity.path.empty()) {
    const std::string& doc = server.library().explain(entity.path);
    if (!doc.empty()) return doc;
  }
  const Fact* fact = value != nullptr ? value : document.fact(entity);
  std::string_view kind =
      entity.is_ir ? (entity.kind == Kind::kClass ? "module" : "function of the IR") : kind_word(entity.kind);
  std::string text = fmt::format("{}: {}", entity.name, fact != nullptr ? fact->text : std::string(kind));
  if (!entity.type.empty()) text += ", a " + entity.type;
  const Index& index = document.index();
  if (entity.inside != kNone && entity.kind != Kind::kImport)
    text += fmt::format("\nof {}", index.entities[entity.inside].name);
  return fmt::format("{}\n\n{}\n", text, source_of(document, entity));
}

bool is_annotated(std::string_view text, size_t name_end) {
  size_t next = text.find_first_not_of(" \t", name_end);
  return next != text.npos && text[next] == ':';
}

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

json hover(Server& server, const json& params) {
  Document& document = server.document(params);
  size_t offset = offset_of(document, params);
  const Index& index = document.index();
  std::string text;
  size_t begin = offset, end = offset;
  if (auto uses = index.uses_at(offset); !uses.empty()) {
    begin = uses[0]->begin;
    end = uses[0]->end;
    for (const Use* use : uses) {
      Origin origin = server.workspace().origin(document, use->entity);
      if (origin.entity == kNone) origin = {&document, use->entity};
      const Use* bound = origin.document == &document ? index.write_before(*use) : nullptr;
      text += (text.empty() ? "" : "\n") +
              about_entity(server, *origin.document, origin.document->index().entities[origin.entity],
                           bound == nullptr ? nullptr
                                            : document.value_bound_at(bound->begin, bound == use
                                                                                        ? Document::Bound::kThere
                                                                                        : Document::Bound::kAtTheEnd));
    }
  } else if (const Member* member = index.member_at(offset); member != nullptr) {
    begin = member->begin;
    end = member->end;
    std::optional<Origin> origin;
    if (!member->path.empty()) origin = server.workspace().origin(document, member->path);
    if (origin && origin->entity != kNone)
      text = about_entity(server, *origin->document, origin->document->index().entities[origin->entity]);
    else if (!member->path.empty())
      text = server.library().explain(member->path);
  } else {
    const std::string& all = document.text().str();
    while (begin > 0 && in_name(all[begin - 1])) --begin;
    while (end < all.size() && in_name(all[end])) ++end;
    std::string word = all.substr(begin, end - begin);
    if (std::ranges::find(server.library().builtins(), word) != server.library().builtins().end())
      text = server.library().explain(word);
  }
  if (text.empty()) return nullptr;
  if (server.markdown) text = fmt::format("```text\n{}```\n", text.ends_with('\n') ? text : text + "\n");
  json contents{{"kind", server.markdown ? "markdown" : "plaintext"}, {"value", std::move(text)}};
  return {{"contents", std::move(contents)}, {"range", range_of(document.text(), begin, end)}};
}

json inlay_hint(Server& server, const json& params) {
  Document& document = server.document(params);
  const Text& text = document.text();
  size_t from = text.offset(place_of(params.at("range").at("start")));
  size_t to = text.offset(place_of(params.at("range").at("end")));
  document.check(-1);
  json hints = json::array();
  for (const Entity& entity : document.index().entities) {
    if (entity.begin < from || entity.end > to) continue;
    const Fact* fact = document.fact(entity);
    if (fact == nullptr) continue;
    // What the line says itself needs no hint.
    std::string_view line = text.line(text.line_of(entity.begin));
    std::string_view shape = std::string_view(fact->hint).substr(0, fact->hint.rfind(' '));
    bool said = entity.kind == Kind::kBuffer
                    ? line.find(shape) != line.npos
                    : entity.kind == Kind::kLoop && line.find(fact->hint) != line.npos;
    if (said) continue;
    hints.push_back({{"position", to_json(text.place(entity.end))},
                     {"label", ": " + fact->hint},
                     {"kind", kHintOfType},
                     {"tooltip", fact->text}});
  }
  for (const Use& use : document.index().uses) {
    if (!use.writes || use.begin < from || use.end > to) continue;
    const Fact* value = document.value_bound_at(use.begin);
    if (value == nullptr || is_annotated(text.str(), use.end)) continue;
    hints.push_back({{"position", to_json(text.place(use.end))}, {"label", ": " + value->hint}, {"kind", kHintOfType}});
  }
  return hints;
}

}  // namespace mlc::lsp
