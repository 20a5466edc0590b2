// SPDX-License-Identifier: Apache-2.0
// Where a name is made and used, and giving it another one.
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
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
  const Member* member;          // where there are none: the word behind a dot, or null
};

Target target_of(Server& server, const json& params) {
  Document& document = server.document(params);
  size_t offset = offset_of(document, params);
  auto uses = document.index().uses_at(offset);
  return {document, uses, uses.empty() ? document.index().member_at(offset) : nullptr};
}

// What the position names, where it is made: in this file, or in the one that it is imported from.
std::vector<Origin> origins_at(Server& server, const json& params) {
  Target target = target_of(server, params);
  std::vector<Origin> found;
  auto add = [&](const Origin& origin) {
    if (std::ranges::find(found, origin) == found.end()) found.push_back(origin);
  };
  for (const Use* use : target.uses) add(server.workspace().origin(target.document, use->entity));
  if (target.member != nullptr && !target.member->path.empty())
    if (auto origin = server.workspace().origin(target.document, target.member->path)) add(*origin);
  return found;
}

json location(const Document& document, size_t begin, size_t end) {
  return {{"uri", document.uri}, {"range", range_of(document.text(), begin, end)}};
}

std::string file_of(const Document& document) {
  std::string path = path_of_uri(document.uri);
  return path.empty() ? "the program" : "`" + std::filesystem::path(path).filename().string() + "`";
}
// In a message: a place of another document than that at hand.
std::string line_of(const Document& document, size_t offset) {
  return fmt::format("line {} of {}", document.text().line_of(offset) + 1, file_of(document));
}

void must_be_certain(Document& document, uint32_t entity) {
  const Index& index = document.index();
  for (const Use* use : index.uses_of(entity)) {
    if (use->certain) continue;
    throw ResponseError{kRequestFailed,
                        fmt::format("line {} may mean another `{}`: say there which function it is of",
                                    document.text().line_of(use->begin) + 1, index.entities[entity].name)};
  }
}

// The one entity that the position names, where it is made. ResponseError where it is none that can have
// another name.
Origin renamed(Server& server, const Target& target) {
  const Index& index = target.document.index();
  if (target.member != nullptr) {
    auto found = server.workspace().origin(target.document, target.member->path);
    if (found && found->entity != kNone) {
      must_be_certain(*found->document, found->entity);
      return *found;
    }
  }
  if (target.uses.empty())
    throw ResponseError{kRequestFailed, "there is no name here that the program makes"};
  if (target.uses.size() > 1)
    throw ResponseError{kRequestFailed,
                        fmt::format("this string may mean one of {} things called `{}`", target.uses.size(),
                                    index.entities[target.uses[0]->entity].name)};
  uint32_t entity = target.uses[0]->entity;
  Origin found{&target.document, entity};
  if (!index.entities[entity].can_rename) {
    found = server.workspace().origin(target.document, entity);
    if (found.document == &target.document || found.entity == kNone)
      throw ResponseError{kRequestFailed,
                          "this is the name of what is imported: write `as NAME` behind it first"};
  }
  must_be_certain(*found.document, found.entity);
  return found;
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
void must_be_free(Document& document, uint32_t entity, const std::string& name) {
  const Text& text = document.text();
  const Index& index = document.index();
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
  renamed(server, target);
  uint32_t begin = target.member != nullptr ? target.member->begin : target.uses[0]->begin;
  uint32_t end = target.member != nullptr ? target.member->end : target.uses[0]->end;
  return {{"range", range_of(target.document.text(), begin, end)},
          {"placeholder", target.document.text().str().substr(begin, end - begin)}};
}

namespace {

// The edits of a rename, each once.
class Edits {
 public:
  explicit Edits(const std::string& name) : name_(name) {}
  void add(const Document& document, uint32_t begin, uint32_t end) {
    if (seen_.emplace(document.uri, begin).second)
      changes_[document.uri].push_back(
          {{"range", range_of(document.text(), begin, end)}, {"newText", name_}});
  }
  json take() { return {{"changes", std::move(changes_)}}; }

 private:
  const std::string& name_;
  std::set<std::pair<std::string, uint32_t>> seen_;
  std::map<std::string, json> changes_;
};

void must_be_whole(Document& document) {
  if (!document.reading().left_out.empty())
    throw ResponseError{
        kRequestFailed,
        fmt::format("{} has syntax errors: names on those lines would be left behind", file_of(document))};
}

// In the other files that name it, which may call it something else: there the import alone has the old name.
void rename_elsewhere(Server& server, const Origin& origin, const std::string& old, const std::string& name,
                      Edits& edits) {
  for (const Workspace::Mention& each : server.workspace().mentions(origin)) {
    Document& document = *each.document;
    const std::string& text = document.text().str();
    must_be_whole(document);
    if (each.import == kNone) {
      edits.add(document, each.begin, each.end);
      continue;
    }
    const Entity& import = document.index().entities[each.import];
    if (import.can_rename) {
      if (text.compare(import.from, old.size(), old) != 0)
        throw ResponseError{kRequestFailed,
                            line_of(document, import.from) + " imports it in a way that is not understood"};
      edits.add(document, import.from, import.from + static_cast<uint32_t>(old.size()));
      continue;
    }
    must_be_certain(document, each.import);
    must_be_free(document, each.import, name);
    edits.add(document, each.begin, each.end);
  }
}

}  // namespace

json rename_symbol(Server& server, const json& params) {
  Target target = target_of(server, params);
  auto name = params.at("newName").get<std::string>();
  Origin origin = renamed(server, target);
  Document& document = *origin.document;
  const Index& index = document.index();
  must_be_whole(document);
  std::string old = index.entities[origin.entity].name;
  if (name == old) return nullptr;
  must_be_no_member(document.text(), index, origin.entity);
  must_be_free(document, origin.entity, name);
  Edits edits(name);
  for (const Use* use : index.uses_of(origin.entity)) edits.add(document, use->begin, use->end);
  rename_elsewhere(server, origin, old, name, edits);
  return edits.take();
}

}  // namespace mlc::lsp
