// SPDX-License-Identifier: Apache-2.0
// What an analyzer has found out of nodes already. Rules compare the same operands again and again, and each
// comparison simplifies them: without this, time grows exponentially with the depth of symbolic sizes.
#pragma once

#include <unordered_map>

#include "ir/core/expr.h"

namespace mlc::transform {

using ir::Expr;

// The node itself, not its structure: what was simplified once is the same node from there on. `state` says
// all else that an answer depends on.
struct MemoKey {
  const ir::ExprNode* a;
  const ir::ExprNode* b;  // of a pair, else null
  uint64_t state;
  bool operator==(const MemoKey&) const = default;
};
struct MemoHash {
  size_t operator()(const MemoKey& key) const {
    constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
    uint64_t mixed = reinterpret_cast<uintptr_t>(key.a) * kOdd;
    mixed = (mixed ^ (mixed >> 29)) + reinterpret_cast<uintptr_t>(key.b);
    mixed = mixed * kOdd + key.state;
    return (mixed ^ (mixed >> 32)) * kOdd >> 7;
  }
};

// Answers of one kind, with the work that they stand for. A copy is empty: the other analyzer may come to
// know something else.
template <class Answer, class Work>
class Memo {
 public:
  struct Entry {
    Expr a, b;  // kept alive: the key is their address
    Answer answer;
    Work work;
  };
  Memo() = default;
  Memo(const Memo&) {}
  Memo& operator=(const Memo&) {
    entries_.clear();
    return *this;
  }

  const Entry* find(const MemoKey& key) const {
    auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : &found->second;
  }
  void keep(const MemoKey& key, Entry entry) {
    constexpr size_t kMost = 8192;
    if (entries_.size() >= kMost) entries_.clear();
    entries_.emplace(key, std::move(entry));
  }
  void clear() { entries_.clear(); }

 private:
  std::unordered_map<MemoKey, Entry, MemoHash> entries_;
};

}  // namespace mlc::transform
