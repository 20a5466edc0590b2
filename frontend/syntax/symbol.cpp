// SPDX-License-Identifier: Apache-2.0
#include "frontend/syntax/symbol.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace mlc::syntax {
namespace {

// Texts live in blocks that never move, so the views handed out stay valid.
class Interner {
 public:
  Interner() : texts_{""} {}

  uint32_t intern(std::string_view text) {
    if (text.empty()) return 0;
    auto found = ids_.find(text);
    if (found != ids_.end()) return found->second;
    std::string_view kept = keep(text);
    auto id = static_cast<uint32_t>(texts_.size());
    texts_.push_back(kept);
    ids_.emplace(kept, id);
    return id;
  }
  std::string_view text(uint32_t id) const { return texts_[id]; }

 private:
  static constexpr size_t kBlock = 1 << 14;

  std::string_view keep(std::string_view text) {
    if (text.size() > left_) {
      left_ = text.size() > kBlock ? text.size() : kBlock;
      blocks_.push_back(std::make_unique<char[]>(left_));
      next_ = blocks_.back().get();
    }
    text.copy(next_, text.size());
    std::string_view kept(next_, text.size());
    next_ += text.size();
    left_ -= text.size();
    return kept;
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  size_t left_ = 0;
  std::vector<std::string_view> texts_;
  std::unordered_map<std::string_view, uint32_t> ids_;
};

Interner& interner() {
  static Interner instance;
  return instance;
}

}  // namespace

Symbol::Symbol(std::string_view text) : id_(interner().intern(text)) {}
std::string_view Symbol::str() const { return interner().text(id_); }

}  // namespace mlc::syntax
