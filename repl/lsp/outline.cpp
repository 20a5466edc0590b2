// SPDX-License-Identifier: Apache-2.0
// The shape of a document: symbols, folds, and what its words are.
#include <algorithm>
#include <array>

#include "frontend/syntax/walk.h"
#include "repl/lsp/server.h"
#include "repl/session/session.h"

namespace mlc::lsp {

namespace {

// Numbers of the protocol's SymbolKind.
int symbol_kind(const Entity& entity, bool in_class) {
  constexpr int kModule = 2, kClass = 5, kMethod = 6, kFunction = 12, kVariable = 13, kArray = 18,
                kObject = 19;
  switch (entity.kind) {
    case Kind::kClass:
      return entity.is_ir ? kModule : kClass;
    case Kind::kFunction:
      return in_class ? kMethod : kFunction;
    case Kind::kBuffer:
      return kArray;
    case Kind::kBlock:
      return kObject;
    default:
      return kVariable;
  }
}

bool is_in_outline(const Index& index, const Entity& entity) {
  switch (entity.kind) {
    case Kind::kFunction:
    case Kind::kClass:
    case Kind::kBlock:
    case Kind::kBuffer:
      return true;
    case Kind::kVariable:
      return entity.scope == 0 || index.scopes[entity.scope].is_class;
    default:
      return false;
  }
}

json symbol(const Document& document, const Index& index, const Entity& entity) {
  bool in_class = entity.inside != kNone && index.entities[entity.inside].kind == Kind::kClass;
  return {{"name", entity.name},
          {"kind", symbol_kind(entity, in_class)},
          {"range", range_of(document.text(), entity.from, entity.to)},
          {"selectionRange", range_of(document.text(), entity.begin, entity.end)}};
}

constexpr auto kTokens =
    std::to_array<std::string_view>({"namespace", "class", "function", "method", "property", "parameter",
                                     "variable", "buffer", "loop", "iterator", "block"});

size_t token_type(const Entity& entity) {
  std::string_view type = "variable";
  switch (entity.kind) {
    case Kind::kImport:
      type = "namespace";
      break;
    case Kind::kClass:
      type = "class";
      break;
    case Kind::kFunction:
      type = "function";
      break;
    case Kind::kParameter:
    case Kind::kDimension:
      type = "parameter";
      break;
    case Kind::kBuffer:
      type = "buffer";
      break;
    case Kind::kLoop:
      type = "loop";
      break;
    case Kind::kIterator:
      type = "iterator";
      break;
    case Kind::kBlock:
      type = "block";
      break;
    case Kind::kVariable:
      break;
  }
  return static_cast<size_t>(std::ranges::find(kTokens, type) - kTokens.begin());
}

struct Token {
  uint32_t begin, end;
  size_t type;
  int modifiers;
};

std::vector<Token> tokens_of(const Document& document, const Index& index) {
  std::vector<Token> tokens;
  for (const Use& use : index.uses) {
    const Entity& entity = index.entities[use.entity];
    tokens.push_back({use.begin, use.end, token_type(entity), use.begin == entity.begin ? 1 : 0});
  }
  const std::string& text = document.text().str();
  auto method = static_cast<size_t>(std::ranges::find(kTokens, "method") - kTokens.begin());
  auto property = static_cast<size_t>(std::ranges::find(kTokens, "property") - kTokens.begin());
  for (const Member& member : index.members) {
    bool called = member.end < text.size() && text[member.end] == '(';
    tokens.push_back({member.begin, member.end, called ? method : property, 0});
  }
  std::ranges::stable_sort(tokens, {}, &Token::begin);
  return tokens;
}

class Folds final : public syntax::Visitor {
 public:
  Folds(const Text& text, json& folds) : text_(text), folds_(folds) {}

  bool enter(const syntax::Expr&) override { return false; }
  bool enter(const syntax::Stmt& stmt) override {
    using enum syntax::StmtKind;
    bool import = stmt.kind == kImport || stmt.kind == kImportFrom;
    if (import) {
      if (imports_ == 0) first_import_ = stmt.span;
      last_import_ = stmt.span;
      ++imports_;
    } else {
      end_imports();
    }
    add(stmt.span, "");
    return true;
  }
  void end_imports() {
    if (imports_ > 1) add({first_import_.file, first_import_.begin, last_import_.end}, "imports");
    imports_ = 0;
  }
  void add(ir::Span span, std::string_view kind) {
    if (span.end <= span.begin) return;
    size_t first = text_.line_of(span.begin), last = text_.line_of(span.end - 1);
    if (first == last) return;
    json fold{{"startLine", first}, {"endLine", last}};
    if (!kind.empty()) fold["kind"] = kind;
    folds_.push_back(std::move(fold));
  }

 private:
  const Text& text_;
  json& folds_;
  size_t imports_ = 0;
  ir::Span first_import_, last_import_;
};

// Comments of several lines: what a step prints is one.
void fold_comments(const Text& text, json& folds) {
  size_t run = 0;
  for (size_t line = 0; line <= text.lines(); ++line) {
    bool comment = line < text.lines() && repl::trim(text.line(line)).starts_with('#');
    if (comment) {
      ++run;
      continue;
    }
    if (run > 1) folds.push_back({{"startLine", line - run}, {"endLine", line - 1}, {"kind", "comment"}});
    run = 0;
  }
}

}  // namespace

std::vector<std::string> token_types() { return {kTokens.begin(), kTokens.end()}; }

json document_symbol(Server& server, const json& params) {
  Document& document = server.document(params);
  const Index& index = document.index();
  std::vector<std::vector<uint32_t>> below(index.entities.size());
  std::vector<uint32_t> top;
  for (uint32_t id = 0; id < index.entities.size(); ++id) {
    const Entity& entity = index.entities[id];
    if (!is_in_outline(index, entity)) continue;
    (entity.inside == kNone ? top : below[entity.inside]).push_back(id);
  }
  auto tree = [&](auto& self, uint32_t id) -> json {
    json made = symbol(document, index, index.entities[id]);
    json children = json::array();
    for (uint32_t child : below[id]) children.push_back(self(self, child));
    if (!children.empty()) made["children"] = std::move(children);
    return made;
  };
  json symbols = json::array();
  for (uint32_t id : top) symbols.push_back(tree(tree, id));
  return symbols;
}

json folding_range(Server& server, const json& params) {
  Document& document = server.document(params);
  json folds = json::array();
  Folds visitor(document.text(), folds);
  syntax::walk(document.reading().tree->module->body, visitor);
  visitor.end_imports();
  fold_comments(document.text(), folds);
  return folds;
}

json semantic_tokens(Server& server, const json& params) {
  Document& document = server.document(params);
  const Text& text = document.text();
  json data = json::array();
  Position last;
  size_t end = 0;
  for (const Token& token : tokens_of(document, document.index())) {
    if (token.begin < end) continue;  // two uses of one word
    end = token.end;
    Position place = text.place(token.begin), behind = text.place(token.end);
    if (place.line != behind.line) continue;
    data.push_back(place.line - last.line);
    data.push_back(place.line == last.line ? place.character - last.character : place.character);
    data.push_back(behind.character - place.character);
    data.push_back(token.type);
    data.push_back(token.modifiers);
    last = place;
  }
  return {{"data", std::move(data)}};
}

}  // namespace mlc::lsp
