// SPDX-License-Identifier: Apache-2.0
#include "frontend/syntax/frozen.h"

#include <bit>
#include <unordered_map>
#include <vector>

#include "frontend/syntax/fields.h"
#include "ir/core/error.h"

namespace mlc::syntax {
namespace {

// Bytes that are written: each function takes a value and gives it back.
class Out {
 public:
  static constexpr bool kReads = false;
  explicit Out(bool with_spans = true) : with_spans(with_spans) {}

  uint64_t number(uint64_t n) {
    uint64_t rest = n;
    for (; rest >= 0x80; rest >>= 7) bytes += static_cast<char>(rest | 0x80);
    bytes += static_cast<char>(rest);
    return n;
  }
  uint64_t word(uint64_t bits) {
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(bits >> 8 * i);
    return bits;
  }
  std::string_view text(std::string_view text) {
    number(text.size());
    bytes += text;
    return text;
  }
  Symbol name(Symbol name) {
    auto [known, fresh] = places_.try_emplace(name, names_.size() + 1);
    if (fresh && name) names_.push_back(name);
    number(name ? known->second : 0);
    return name;
  }
  std::string with_names() const {
    Out head;
    head.number(names_.size());
    for (Symbol name : names_) head.text(name.str());
    return head.bytes + bytes;
  }

  std::string bytes;
  bool with_spans;

 private:
  std::vector<Symbol> names_;
  std::unordered_map<Symbol, size_t> places_;
};

// Bytes that are read: values come from there, whatever is given.
class In {
 public:
  static constexpr bool kReads = true, with_spans = true;
  In(std::string_view bytes, Tree& tree) : tree(tree), at_(bytes.data()), end_(at_ + bytes.size()) {
    names_.resize(number() + 1);
    for (size_t i = 1; i < names_.size(); ++i) names_[i] = Symbol(text());
  }
  bool at_end() const { return at_ == end_; }

  uint64_t number(uint64_t = 0) {
    auto byte = static_cast<uint8_t>(*at_++);
    if (byte < 0x80) return byte;
    uint64_t n = byte & 0x7f;
    for (int shift = 7; byte >= 0x80; shift += 7) {
      byte = static_cast<uint8_t>(*at_++);
      n |= static_cast<uint64_t>(byte & 0x7f) << shift;
    }
    return n;
  }
  uint64_t word(uint64_t) {
    uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits |= static_cast<uint64_t>(static_cast<uint8_t>(*at_++)) << 8 * i;
    return bits;
  }
  std::string_view text(std::string_view = {}) {
    size_t size = number();
    std::string_view view(at_, size);
    at_ += size;
    return view;
  }
  Symbol name(Symbol) { return names_[number()]; }

  Tree& tree;

 private:
  const char* at_;
  const char* end_;
  std::vector<Symbol> names_;  // by number; the first is no name
};

// The form of a tree, for both ways: what is written is read in the same steps.
template <class Bytes>
class Form {
 public:
  Form(Bytes& io, uint32_t file) : io_(io), file_(file) {}

  Form& operator()(std::string_view, auto& field) {
    auto value = field;
    one(value);
    if constexpr (Bytes::kReads) field = value;
    return *this;
  }

 private:
  // Small numbers of either sign as small ones without.
  static uint64_t zigzag(int64_t n) { return static_cast<uint64_t>(n) << 1 ^ static_cast<uint64_t>(n >> 63); }
  static int64_t with_sign(uint64_t n) { return static_cast<int64_t>(n >> 1) ^ -static_cast<int64_t>(n & 1); }

  void one(bool& b) { b = io_.number(b) != 0; }
  void one(char& c) { c = static_cast<char>(io_.number(static_cast<uint8_t>(c))); }
  void one(uint16_t& n) { n = static_cast<uint16_t>(io_.number(n)); }
  void one(uint32_t& n) { n = static_cast<uint32_t>(io_.number(n)); }
  void one(int64_t& n) { n = with_sign(io_.number(zigzag(n))); }
  void one(double& d) { d = std::bit_cast<double>(io_.word(std::bit_cast<uint64_t>(d))); }
  template <class E>
  requires std::is_enum_v<E>
  void one(E& e) { e = static_cast<E>(io_.number(static_cast<uint8_t>(e))); }
  void one(std::string_view& text) { text = io_.text(text); }
  void one(Symbol& name) { name = io_.name(name); }
  // Where it begins as the way from the span before; 0 is a span of no file.
  void one(ir::Span& span) {
    if (!io_.with_spans) return;
    MLC_CHECK(span.file == 0 || span.file == file_, "a tree has spans of two files");
    uint64_t way = io_.number(span.file == 0 ? 0 : zigzag(static_cast<int64_t>(span.begin) - last_) + 1);
    if (way == 0) {
      span = {};
      return;
    }
    last_ += with_sign(way - 1);
    auto size = static_cast<uint32_t>(io_.number(span.end - span.begin));
    span = {file_, static_cast<uint32_t>(last_), static_cast<uint32_t>(last_) + size};
  }
  template <class T>
  void one(std::span<T>& items) {
    using Item = std::remove_const_t<T>;
    size_t count = io_.number(items.size());
    if constexpr (Bytes::kReads) {
      auto* slots = static_cast<Item*>(io_.tree.allocate(count * sizeof(Item), alignof(Item)));
      for (size_t i = 0; i < count; ++i) one(*new (slots + i) Item());
      items = {slots, count};
    } else {
      for (Item item : items) one(item);
    }
  }
  void one(const Expr*& node) {
    size_t kind = io_.number(node == nullptr ? 0 : static_cast<size_t>(node->kind) + 1);
    if (kind == 0) return;
#define MLC_WHOLE(name)   \
  case ExprKind::k##name: \
    return whole<name>(node);
    switch (static_cast<ExprKind>(kind - 1)) { MLC_SYNTAX_EXPRS(MLC_WHOLE) }
#undef MLC_WHOLE
  }
  void one(const Stmt*& node) {
    size_t kind = io_.number(node == nullptr ? 0 : static_cast<size_t>(node->kind) + 1);
    if (kind == 0) return;
#define MLC_WHOLE(name)   \
  case StmtKind::k##name: \
    return whole<name>(node);
    switch (static_cast<StmtKind>(kind - 1)) { MLC_SYNTAX_STMTS(MLC_WHOLE) }
#undef MLC_WHOLE
  }
  template <Part T>
  void one(const T*& node) {
    if (io_.number(node != nullptr) != 0) whole<T>(node);
  }
  template <class T, class Base>
  void whole(const Base*& node) {
    if constexpr (Bytes::kReads) {
      if constexpr (std::is_constructible_v<T, ir::Span>) {
        node = io_.tree.template make<T>(ir::Span());
      } else {
        node = io_.tree.template make<T>();
      }
    }
    auto& own = const_cast<T&>(static_cast<const T&>(*node));
    (*this)("", own.span);
    if constexpr (std::derived_from<T, Expr>) (*this)("", own.height);
    fields(*this, own);
  }

  Bytes& io_;
  uint32_t file_;
  int64_t last_ = 0;  // where the span before begins
};

std::string written(const Tree& tree, bool with_spans) {
  Out out(with_spans);
  const Module* module = tree.module;
  Form(out, tree.file)("module", module);
  return out.with_names();
}

}  // namespace

std::string freeze(const Tree& tree) { return written(tree, true); }

bool same_but_places(const Tree& a, const Tree& b) { return written(a, false) == written(b, false); }

std::shared_ptr<const Tree> thaw(std::string_view frozen, uint32_t file_id) {
  auto tree = std::make_shared<Tree>(file_id, frozen.size() * 8 + 1024);
  In in(frozen, *tree);
  Form(in, file_id)("module", tree->module);
  MLC_CHECK(in.at_end(), "a frozen tree ends elsewhere");
  return tree;
}

}  // namespace mlc::syntax
