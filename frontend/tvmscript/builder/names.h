// SPDX-License-Identifier: Apache-2.0
// The names that a definition binds while it is built: a stack of scopes with constant-time lookup.
#pragma once

#include <unordered_map>
#include <vector>

#include "frontend/script/core/evaluator.h"

namespace mlc::tvmscript {

class Names final : public script::NameScope {
 public:
  using Symbol = syntax::Symbol;

  const ir::Any* find(Symbol name) override;
  std::vector<std::string> names() const override;

  // Binds in the innermost scope, hiding outer meanings.
  void bind(Symbol name, ir::Any value, ir::Span span = {});
  // As find(), but poison too; null when the name is not bound here.
  const ir::Any* peek(Symbol name) const;
  bool in_innermost(Symbol name) const;
  ir::Span span_of(Symbol name) const;
  ir::Span ended(Symbol name) const;       // where a name was bound in a scope that has ended since, or empty
  bool holds(const ir::Any& value) const;  // some name is bound to this very object

  // Everything bound since the mark is forgotten.
  size_t mark() const { return entries_.size(); }
  void release(size_t mark);
  size_t open() {
    size_t outer = innermost_;
    innermost_ = entries_.size();
    starts_.push_back(innermost_);
    return outer;
  }
  void close(size_t outer) {
    release(innermost_);
    innermost_ = outer;
    starts_.pop_back();
  }

  // Asked for names that are not bound here.
  void set_around(script::NameScope* around) { around_ = around; }
  size_t depth() const { return starts_.size(); }  // number of scopes that are open
  uint64_t id() const { return id_; }              // of these names, wherever they are moved to
  // The names of the outermost `depth` scopes, as they are now.
  class Below final : public script::NameScope {
   public:
    Below(const Names& names, size_t depth) : names_(names), depth_(depth) {}
    const ir::Any* find(Symbol name) override;
    std::vector<std::string> names() const override { return names_.names(); }

   private:
    const Names& names_;
    size_t depth_;
  };

 private:
  struct Entry {
    Symbol name;
    ir::Any value;
    ir::Span span;
    int32_t hidden;  // the entry this one hides, or -1
  };
  std::vector<Entry> entries_;
  std::vector<int32_t> latest_;  // by symbol id: index into entries_, or -1
  std::vector<size_t> starts_;   // of the open scopes
  script::NameScope* around_ = nullptr;
  size_t innermost_ = 0;
  static inline thread_local uint64_t last_id = 0;
  uint64_t id_ = ++last_id;
  std::unordered_map<Symbol, ir::Span> ended_;
};

// A scope of names for the lifetime of the object.
class NameFrame {
 public:
  explicit NameFrame(Names& names) : names_(names), outer_(names.open()) {}
  ~NameFrame() { names_.close(outer_); }
  NameFrame(const NameFrame&) = delete;

 private:
  Names& names_;
  size_t outer_;
};

}  // namespace mlc::tvmscript
