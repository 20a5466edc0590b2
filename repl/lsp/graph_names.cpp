// SPDX-License-Identifier: Apache-2.0
// Names of functions of graphs: symbolic dimensions, which a signature defines within quotes, `R.Tensor(("n", 4))`, and
// the module by the name that a function gives it, `cls = Module`.
#include <cctype>

#include "frontend/review/review.h"
#include "repl/lsp/index_builder.h"

namespace mlc::lsp {

using namespace syntax;  // NOLINT: the names of the tree

namespace {

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool in_graph_name(char c) { return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

// A name alone defines a dimension, or means the one that is defined; in `"n * 2"` names are only meant.
void IndexBuilder::mentions_in_shape(const Constant& text, bool defines) {
  ir::Span inner = inside_quotes(&text);
  if (!inner) return;
  std::string_view all = text.text;
  for (size_t at = 0; at < all.size();) {
    if (!begins_name(all[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < all.size() && in_graph_name(all[end])) ++end;
    bool alone = at == 0 && end == all.size();
    bool member = (at > 0 && all[at - 1] == '.') || (end < all.size() && all[end] == '.');  // T.max
    Symbol name(all.substr(at, end - at));
    ir::Span span{inner.file, inner.begin + static_cast<uint32_t>(at), inner.begin + static_cast<uint32_t>(end)};
    const auto& known = index_.scopes[scope_].names;
    if (defines && alone && !known.contains(name))
      make({name, Kind::kDimension, span, span}, true);
    else if (!defines && !member)
      if (uint32_t entity = index_.find(name.str(), scope_); entity != kNone && index_.entities[entity].begin != span.begin)
        use(span, entity, false);
    at = end;
  }
}

void IndexBuilder::dimensions(const FunctionDef& def) {
  std::vector<const Expr*> annotations;
  review::each_parameter(*def.args, [&](const Arg& arg) {
    if (arg.annotation != nullptr) annotations.push_back(arg.annotation);
  });
  if (def.returns != nullptr) annotations.push_back(def.returns);
  for (bool defines : {true, false}) {
    for (const Expr* annotation : annotations) {
      each_expr(annotation, [&](const Expr& e) {
        Seq<Expr> parts;
        if (auto* tuple = as<Tuple>(&e)) parts = tuple->elts;
        if (auto* list = as<List>(&e)) parts = list->elts;
        for (const Expr* part : parts) {
          auto* text = as<Constant>(part);
          if (text != nullptr && text->type == Constant::Type::kStr) mentions_in_shape(*text, defines);
        }
        return true;
      });
    }
  }
  for (const Expr* annotation : annotations) walk(annotation, *this);
}

uint32_t IndexBuilder::module_of(const Expr* value) const {
  uint32_t named = entity_of(value);
  return named != kNone && index_.entities[named].kind == Kind::kClass ? named : kNone;
}

}  // namespace mlc::lsp
