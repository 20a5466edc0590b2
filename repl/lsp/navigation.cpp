// SPDX-License-Identifier: Apache-2.0
// Where a name is made and used, and giving it another one.
#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <tuple>

#include "repl/lsp/server.h"

namespace mlc::lsp {

namespace {

constexpr int kHighlightRead = 2, kHighlightWrite = 3;

constexpr auto kReserved = std::to_array<std::string_view>(
    {"False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
     "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
     "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
     "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"});

struct Target {
  Document& document;
  std::vector<const Use*> uses;  // at the position
};

Target target_of(Server& server, const json& params) {
  Document& document = server.document(params);
  return {document, document.index().uses_at(offset_of(document, params))};
}

// What the position names, where it is made: in this file, or in the one that it is imported from.
std::vector<Origin> origins_at(Server& server, const json& params) {
  Target target = target_of(server, params);
  std::vector<Origin> found;
  auto add = [&](const Origin& origin) {
    if (std::ranges::find(found, origin) == found.end()) found.push_back(origin);
  };
  for (const Use* use : target.uses) add(server.workspace().origin(target.document, use->entity));
  if (!found.empty()) return found;
  const Member* member = target.document.index().member_at(offset_of(target.document, params));
  if (member != nullptr && !member->path.empty())
    if (auto origin = server.workspace().origin(target.document, member->path)) add(*origin);
  return found;
}

json location(const Document& document, size_t begin, size_t end) {
  return {{"uri", document.uri}, {"range", range_of(document.text(), begin, end)}};
}

// The one entity that the position names. ResponseError where it is none that can have another name.
uint32_t renamed(const Target& target) {
  const Index& index = target.document.index();
  if (target.uses.empty())
    throw ResponseError{kRequestFailed, "there is no name here that the program makes"};
  if (target.uses.size() > 1)
    throw ResponseError{kRequestFailed,
                        fmt::format("this string may mean one of {} things called `{}`", target.uses.size(),
                                    index.entities[target.uses[0]->entity].name)};
  uint32_t entity = target.uses[0]->entity;
  if (!index.entities[entity].can_rename)
    throw ResponseError{kRequestFailed,
                        "this is the name of what is imported: write `as NAME` behind it first"};
  for (const Use* use : index.uses_of(entity)) {
    if (use->certain) continue;
    throw ResponseError{
        kRequestFailed,
        fmt::format("line {} may mean another `{}`: say there which function it is of",
                    target.document.text().line_of(use->begin) + 1, index.entities[entity].name)};
  }
  return entity;
}

bool is_name(std::string_view word) {
  auto letter = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0;
  };
  auto part = [&](char c) { return letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; };
  return !word.empty() && letter(word[0]) && std::ranges::all_of(word, part) &&
         std::ranges::find(kReserved, word) == kReserved.end();
}

// Is what stands in a scope seen from within another one?
bool is_seen_from(const Index& index, uint32_t scope, uint32_t inner) {
  if (index.scopes[scope].is_class) return inner == scope;
  for (uint32_t at = inner; at != kNone; at = index.scopes[at].outer)
    if (at == scope) return true;
  return false;
}

// A name of a class is used behind dots, `self.add`, of values whose class the text does not say.
void must_be_no_member(const Text& text, const Index& index, uint32_t entity) {
  const Entity& old = index.entities[entity];
  if (!index.scopes[old.scope].is_class) return;
  if (old.name.starts_with("__"))
    throw ResponseError{kRequestFailed, fmt::format("`{}` has its meaning by its name", old.name)};
  std::set<uint32_t> known;
  for (const Use* use : index.uses_of(entity)) known.insert(use->begin);
  for (const Member& member : index.members) {
    if (known.contains(member.begin) ||
        text.str().substr(member.begin, member.end - member.begin) != old.name)
      continue;
    throw ResponseError{kRequestFailed,
                        fmt::format("line {} may mean it: `.{}` of a value whose class the text does not say",
                                    text.line_of(member.begin) + 1, old.name)};
  }
}

// That nothing is called so where the name is used.
void must_be_free(const Text& text, const Index& index, uint32_t entity, const std::string& name) {
  const Entity& old = index.entities[entity];
  if (old.kind == Kind::kBlock) {
    bool well = !name.empty() && name.find_first_of("\"'\\\n\r{}") == std::string::npos;
    if (!well) throw ResponseError{kRequestFailed, "a block's name has no quotes, braces and backslashes"};
    for (const Entity& other : index.entities) {
      if (other.kind == Kind::kBlock && other.inside == old.inside && other.name == name)
        throw ResponseError{kRequestFailed, fmt::format("the function has a block `{}` already", name)};
    }
    return;
  }
  if (!is_name(name)) throw ResponseError{kRequestFailed, fmt::format("`{}` cannot be a name", name)};
  std::vector<uint32_t> scopes{old.scope};
  for (const Use* use : index.uses_of(entity)) scopes.push_back(index.scope_at(use->begin));
  for (uint32_t scope : scopes) {
    if (index.find(name, scope) != kNone)
      throw ResponseError{kRequestFailed,
                          fmt::format("`{}` already means something where this is used", name)};
  }
  // A builtin, or what is not written yet, would mean this.
  for (const FreeName& each : index.free_names) {
    if (each.name != name || !is_seen_from(index, old.scope, each.scope)) continue;
    throw ResponseError{kRequestFailed,
                        fmt::format("`{}` in line {} means something else, and would mean this", name,
                                    text.line_of(each.begin) + 1)};
  }
}

}  // namespace

json definition(Server& server, const json& params) {
  json found = json::array();
  for (const Origin& origin : origins_at(server, params)) {
    const Entity* entity =
        origin.entity == kNone ? nullptr : &origin.document->index().entities[origin.entity];
    found.push_back(location(*origin.document, entity == nullptr ? 0 : entity->begin,
                             entity == nullptr ? 0 : entity->end));
  }
  return found;
}

json references(Server& server, const json& params) {
  bool declaration = params.at("context").value("includeDeclaration", true);
  std::set<std::tuple<std::string, uint32_t, uint32_t>> seen;
  json found = json::array();
  auto add = [&](const Document& document, uint32_t begin, uint32_t end) {
    if (seen.emplace(document.uri, begin, end).second) found.push_back(location(document, begin, end));
  };
  for (const Origin& origin : origins_at(server, params)) {
    if (origin.entity == kNone) continue;  // of a module as a whole
    const Index& index = origin.document->index();
    uint32_t made = index.entities[origin.entity].begin;
    for (const Use* use : index.uses_of(origin.entity))
      if (declaration || use->begin != made) add(*origin.document, use->begin, use->end);
    for (const Workspace::Mention& each : server.workspace().mentions(origin))
      add(*each.document, each.begin, each.end);
  }
  return found;
}

json document_highlight(Server& server, const json& params) {
  Target target = target_of(server, params);
  json found = json::array();
  for (const Use* at : target.uses) {
    for (const Use* use : target.document.index().uses_of(at->entity))
      found.push_back({{"range", range_of(target.document.text(), use->begin, use->end)},
                       {"kind", use->writes ? kHighlightWrite : kHighlightRead}});
  }
  return found;
}

json prepare_rename(Server& server, const json& params) {
  Target target = target_of(server, params);
  uint32_t entity = renamed(target);
  return {{"range", range_of(target.document.text(), target.uses[0]->begin, target.uses[0]->end)},
          {"placeholder", target.document.index().entities[entity].name}};
}

json rename_symbol(Server& server, const json& params) {
  Target target = target_of(server, params);
  auto name = params.at("newName").get<std::string>();
  uint32_t entity = renamed(target);
  const Index& index = target.document.index();
  if (!target.document.reading().left_out.empty())
    throw ResponseError{kRequestFailed,
                        "the program has syntax errors: names on those lines would be left behind"};
  if (name == index.entities[entity].name) return nullptr;
  auto mentions = server.workspace().mentions({&target.document, entity});
  if (!mentions.empty()) {
    const Workspace::Mention& first = mentions.front();
    throw ResponseError{
        kRequestFailed,
        fmt::format("line {} of `{}` names it as well: rename stays in one file",
                    first.document->text().line_of(first.begin) + 1,
                    std::filesystem::path(path_of_uri(first.document->uri)).filename().string())};
  }
  must_be_no_member(target.document.text(), index, entity);
  must_be_free(target.document.text(), index, entity, name);
  json edits = json::array();
  for (const Use* use : index.uses_of(entity))
    edits.push_back({{"range", range_of(target.document.text(), use->begin, use->end)}, {"newText", name}});
  return {{"changes", {{target.document.uri, std::move(edits)}}}};
}

}  // namespace mlc::lsp
