// SPDX-License-Identifier: Apache-2.0
// The registry of the rows (api_row.h): look-up by name, and calls with arguments as callers write them.
#pragma once

#include <atomic>
#include <mutex>
#include <unordered_map>

#include "ir/registry/api_row.h"

namespace mlc::ir {

// Rows cost nothing until a name is first asked for: programs of Python alone never do. Then they are
// indexed, and each signature is parsed when its row is first found. Rows are added before programs run; from
// then on the registry is read-only, and any number of threads may read it.
class ApiRegistry {
 public:
  static ApiRegistry& global();

  // Rows, and the texts in them, live as long as the registry.
  void add(std::span<const ApiRow> rows) { pending_.push_back(rows); }
  void add(std::span<const ApiRow> (*table)()) { tables_.push_back(table); }
  // Everything below `from` is also found below `to`'s name: alias("tvm.tir", "tvm.tirx"). Works for
  // modules and single functions; exact entries win over aliases.
  void alias(std::string from, std::string to) {
    pending_aliases_.emplace_back(std::move(from), std::move(to));
  }
  // A method or property under a second name on the same type.
  void alias_method(std::string_view type_key, std::string from, std::string to);

  const Api* find(std::string_view path) const;  // "tvm.te.compute"; null when there is none
  bool is_module(std::string_view path) const;   // some function lives at or below it
  const Api* method(int32_t type_index, std::string_view name) const;  // looks at the type's ancestors too
  const Api* class_of(std::string_view type_key) const;                // kClass row of that type, or null
  // Names directly below a module, or members of a type: for completion and did-you-mean.
  std::vector<std::string> members(std::string_view module) const;
  std::vector<std::string> methods(int32_t type_index) const;
  std::vector<const Api*> all() const;  // sorted by path

 private:
  struct Entry {
    Entry() = default;
    ~Entry() { delete api.load(std::memory_order_relaxed); }
    const ApiRow* row = nullptr;
    mutable std::atomic<const Api*> api = nullptr;  // owned; made by `parsed`
  };
  using Entries = std::unordered_map<std::string_view, Entry>;  // by name

  static const Api* parsed(const Entry& entry);
  const Entry* function(std::string_view path) const;
  std::string resolve(std::string_view path) const;
  void list_below_modules(std::string_view path) const;
  void index() const;  // what was added since the last time
  void index_row(const ApiRow& row) const;

  size_t added() const { return pending_.size() + tables_.size() + pending_aliases_.size(); }

  std::vector<std::span<const ApiRow>> pending_;
  std::vector<std::span<const ApiRow> (*)()> tables_;
  std::vector<std::pair<std::string, std::string>> pending_aliases_;

  mutable std::unordered_map<std::string_view, Entries> functions_;  // by module path
  mutable std::unordered_map<std::string_view, Entries> methods_;    // by type key
  mutable std::unordered_map<std::string, std::string> aliases_;
  std::unordered_map<std::string, std::unordered_map<std::string, std::string>> method_aliases_;
  // Module path -> modules and aliases below it.
  mutable std::unordered_map<std::string_view, std::vector<std::string_view>> modules_;
  mutable std::unordered_map<std::string_view, const Entry*> classes_;  // by type key

  // How many of each of the three lists above are indexed; `indexed_` is their sum, read without the lock.
  mutable size_t indexed_rows_ = 0, indexed_tables_ = 0, indexed_aliases_ = 0;
  mutable std::atomic<size_t> indexed_ = 0;
  mutable std::mutex indexing_;
};
// Arguments as the caller wrote them.
struct ApiArguments {
  std::span<const Any> positional;
  std::span<const Keyword> keywords;
  Span span;                               // of the call
  std::span<const Span> positional_spans;  // may be empty
  std::span<const Span> keyword_spans;
};
// Binds by the signature and calls. Errors: missing-argument, too-many-arguments, unknown-keyword (with a
// suggestion), duplicate-argument, wrong-type (parameter, expected, actual), all at the argument's span.
Any call_api(const Api& api, Host& host, const ApiArguments& arguments);

}  // namespace mlc::ir
