// SPDX-License-Identifier: Apache-2.0
#include "frontend/syntax/reuse.h"

#include <concepts>
#include <cstring>

#include "frontend/syntax/fields.h"

namespace mlc::syntax {
namespace {

// Copies what a field holds, and leaves the copy in the field.
class Copier {
 public:
  Copier(Tree& into, int64_t shift) : into_(into), shift_(shift) {}

  Copier& operator()(std::string_view, auto& field) {
    one(field);
    return *this;
  }

  void one(const Stmt*& node) {
    if (node == nullptr) return;
#define MLC_WHOLE(name)   \
  case StmtKind::k##name: \
    return whole<name>(node);
    switch (node->kind) { MLC_SYNTAX_STMTS(MLC_WHOLE) }
#undef MLC_WHOLE
  }

 private:
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T> || std::same_as<T, Symbol>
  void one(T&) {}
  void one(std::string_view& text) {
    if (text.empty()) return;
    auto* kept = static_cast<char*>(into_.allocate(text.size(), 1));
    std::memcpy(kept, text.data(), text.size());
    text = {kept, text.size()};
  }
  void one(ir::Span& span) {
    if (span.file == 0) return;
    span = {into_.file, static_cast<uint32_t>(span.begin + shift_), static_cast<uint32_t>(span.end + shift_)};
  }
  template <class T>
  void one(std::span<T>& items) {
    using Item = std::remove_const_t<T>;
    if (items.empty()) return;
    auto* slots = static_cast<Item*>(into_.allocate(items.size() * sizeof(Item), alignof(Item)));
    for (size_t i = 0; i < items.size(); ++i) one(*new (slots + i) Item(items[i]));
    items = {slots, items.size()};
  }
  void one(const Expr*& node) {
    if (node == nullptr) return;
#define MLC_WHOLE(name)   \
  case ExprKind::k##name: \
    return whole<name>(node);
    switch (node->kind) { MLC_SYNTAX_EXPRS(MLC_WHOLE) }
#undef MLC_WHOLE
  }
  template <Part T>
  void one(const T*& node) {
    if (node != nullptr) whole<T>(node);
  }
  template <class T, class Base>
  void whole(const Base*& node) {
    T* made = into_.make<T>(static_cast<const T&>(*node));
    // What the evaluator has found out it found out of the other tree.
    if constexpr (requires { made->resolved; }) made->resolved = 0;
    if constexpr (requires { made->place; }) made->place = 0;
    if constexpr (std::derived_from<T, Expr>) made->code = 0;
    one(made->span);
    fields(*this, *made);
    node = made;
  }

  Tree& into_;
  int64_t shift_;
};

}  // namespace

const Stmt* copy_statement(const Stmt* stmt, Tree& into, int64_t shift) {
  Copier(into, shift).one(stmt);
  return stmt;
}

}  // namespace mlc::syntax
