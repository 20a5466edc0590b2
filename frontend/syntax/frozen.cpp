// SPDX-License-Identifier: Apache-2.0
#include "frontend/syntax/frozen.h"

#include <bit>
#include <concepts>
#include <unordered_map>
#include <vector>

#include "frontend/syntax/fields.h"
#include "ir/core/error.h"

namespace mlc::syntax {
namespace {

// What has one kind only, so that its pointer needs no more than whether it is there.
template <class T>
concept Part = !std::same_as<T, Expr> && !std::same_as<T, Stmt>;

class Writer {
 public:
  explicit Writer(uint32_t file) : file_(file) {}

  Writer& operator()(std::string_view, auto& field) {
    one(field);
    return *this;
  }

  std::string finish() const {
    Writer head(file_);
    head.number(names_.size());
    for (Symbol name : names_) {
      std::string_view text = name.str();
      head.one(text);
    }
    return head.bytes_ + bytes_;
  }

 private:
  void number(uint64_t n) {
    for (; n >= 0x80; n >>= 7) bytes_ += static_cast<char>(n | 0x80);
    bytes_ += static_cast<char>(n);
  }
  void signed_number(int64_t n) { number(static_cast<uint64_t>(n) << 1 ^ static_cast<uint64_t>(n >> 63)); }

  void one(bool b) { number(b); }
  void one(char c) { number(static_cast<uint8_t>(c)); }
  void one(uint32_t n) { number(n); }
  void one(int64_t n) { signed_number(n); }
  void one(double d) {
    auto bits = std::bit_cast<uint64_t>(d);
    for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(bits >> 8 * i);
  }
  template <class E>
  requires std::is_enum_v<E>
  void one(E e) { number(static_cast<uint8_t>(e)); }
  void one(std::string_view text) {
    number(text.size());
    bytes_ += text;
  }
  void one(Symbol name) {
    if (!name) return number(0);
    auto [known, fresh] = places_.try_emplace(name, names_.size());
    if (fresh) names_.push_back(name);
    number(known->second + 1);
  }
  // Where it begins as the way from the span before; 0 is a span of no file.
  void one(ir::Span span) {
    if (span.file == 0) return number(0);
    MLC_CHECK(span.file == file_, "a tree has spans of two files");
    int64_t way = static_cast<int64_t>(span.begin) - last_;
    number((static_cast<uint64_t>(way) << 1 ^ static_cast<uint64_t>(way >> 63)) + 1);
    number(span.end - span.begin);
    last_ = span.begin;
  }
  template <class T>
  void one(std::span<T> items) {
    number(items.size());
    for (auto& item : items) one(item);
  }
  template <class Base>
  void kinded(const Base* node) {
    if (node == nullptr) return number(0);
    number(static_cast<uint8_t>(node->kind) + 1);
    dispatch(node, [&](const auto& own) { whole(own); });
  }
  void one(const Expr* node) { kinded(node); }
  void one(const Stmt* node) { kinded(node); }
  template <Part T>
  void one(const T* node) {
    number(node != nullptr);
    if (node != nullptr) whole(*node);
  }
  template <class T>
  void whole(const T& node) {
    one(node.span);
    if constexpr (std::derived_from<T, Expr>) number(node.height);
    read_fields(*this, node);
  }

  uint32_t file_;
  std::string bytes_;
  int64_t last_ = 0;
  std::vector<Symbol> names_;
  std::unordered_map<Symbol, size_t> places_;
};

class Reader {
 public:
  Reader(std::string_view bytes, Tree& tree) : at_(bytes.data()), end_(at_ + bytes.size()), tree_(tree) {
    names_.resize(number() + 1);
    for (size_t i = 1; i < names_.size(); ++i) names_[i] = Symbol(text());
  }

  Reader& operator()(std::string_view, auto& field) {
    one(field);
    return *this;
  }
  bool at_end() const { return at_ == end_; }

 private:
  uint64_t number() {
    auto byte = static_cast<uint8_t>(*at_++);
    if (byte < 0x80) return byte;
    uint64_t n = byte & 0x7f;
    for (int shift = 7; byte >= 0x80; shift += 7) {
      byte = static_cast<uint8_t>(*at_++);
      n |= static_cast<uint64_t>(byte & 0x7f) << shift;
    }
    return n;
  }
  static int64_t with_sign(uint64_t n) { return static_cast<int64_t>(n >> 1) ^ -static_cast<int64_t>(n & 1); }
  std::string_view text() {
    size_t size = number();
    std::string_view view(at_, size);
    at_ += size;
    return view;
  }

  void one(bool& b) { b = number() != 0; }
  void one(char& c) { c = static_cast<char>(number()); }
  void one(uint32_t& n) { n = static_cast<uint32_t>(number()); }
  void one(int64_t& n) { n = with_sign(number()); }
  void one(double& d) {
    uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits |= static_cast<uint64_t>(static_cast<uint8_t>(*at_++)) << 8 * i;
    d = std::bit_cast<double>(bits);
  }
  template <class E>
  requires std::is_enum_v<E>
  void one(E& e) { e = static_cast<E>(number()); }
  void one(std::string_view& view) { view = text(); }
  void one(Symbol& name) { name = names_[number()]; }
  void one(ir::Span& span) {
    uint64_t way = number();
    if (way == 0) {
      span = {};
      return;
    }
    last_ += with_sign(way - 1);
    span = {tree_.file, static_cast<uint32_t>(last_), static_cast<uint32_t>(last_ + number())};
  }
  template <class T>
  void one(std::span<T>& items) {
    using Item = std::remove_const_t<T>;
    size_t count = number();
    auto* slots = static_cast<Item*>(tree_.allocate(count * sizeof(Item), alignof(Item)));
    for (size_t i = 0; i < count; ++i) one(*new (slots + i) Item());
    items = {slots, count};
  }
  void one(const Expr*& node) {
#define MLC_READ(name)    \
  case ExprKind::k##name: \
    return whole<name>(node);
    size_t kind = number();
    if (kind == 0) {
      node = nullptr;
      return;
    }
    switch (static_cast<ExprKind>(kind - 1)) { MLC_SYNTAX_EXPRS(MLC_READ) }
#undef MLC_READ
  }
  void one(const Stmt*& node) {
#define MLC_READ(name)    \
  case StmtKind::k##name: \
    return whole<name>(node);
    size_t kind = number();
    if (kind == 0) {
      node = nullptr;
      return;
    }
    switch (static_cast<StmtKind>(kind - 1)) { MLC_SYNTAX_STMTS(MLC_READ) }
#undef MLC_READ
  }
  template <Part T>
  void one(const T*& node) {
    if (number() == 0) {
      node = nullptr;
    } else {
      whole<T>(node);
    }
  }
  template <class T, class Base>
  void whole(const Base*& into) {
    T* node;
    if constexpr (std::is_constructible_v<T, ir::Span>) {
      node = tree_.make<T>(ir::Span());
    } else {
      node = tree_.make<T>();
    }
    one(node->span);
    if constexpr (std::derived_from<T, Expr>) node->height = static_cast<uint16_t>(number());
    fields(*this, *node);
    into = node;
  }

  const char* at_;
  const char* end_;
  Tree& tree_;
  int64_t last_ = 0;
  std::vector<Symbol> names_;  // by number; the first is no name
};

}  // namespace

std::string freeze(const Tree& tree) {
  Writer writer(tree.file);
  writer("module", tree.module);
  return writer.finish();
}

std::shared_ptr<const Tree> thaw(std::string_view frozen, uint32_t file_id) {
  auto tree = std::make_shared<Tree>(file_id, frozen.size() * 8 + 1024);
  Reader reader(frozen, *tree);
  reader("module", tree->module);
  MLC_CHECK(reader.at_end(), "a frozen tree ends elsewhere");
  return tree;
}

}  // namespace mlc::syntax
