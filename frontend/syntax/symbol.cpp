// SPDX-License-Identifier: Apache-2.0
#include "frontend/syntax/symbol.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

namespace mlc::syntax {
namespace {

// Texts live in blocks that never move, so the views handed out stay valid. All threads share them: a symbol
// is one number everywhere. Who has a number reads its text without a lock, since it was there before the
// number.
class Interner {
 public:
  Interner() { add(""); }

  uint32_t intern(std::string_view text) {
    if (text.empty()) return 0;
    std::lock_guard lock(mutex_);
    auto found = ids_.find(text);
    if (found != ids_.end()) return found->second;
    std::string_view kept = keep(text);
    return ids_.emplace(kept, add(kept)).first->second;
  }
  std::string_view text(uint32_t id) const {
    return chunks_[id / kChunk].load(std::memory_order_acquire)[id % kChunk];
  }

 private:
  static constexpr size_t kBlock = 1 << 14;
  static constexpr size_t kChunk = 1 << 12, kChunks = 1 << 12;  // sixteen million names

  uint32_t add(std::string_view kept) {
    size_t id = count_++;
    if (id == kChunk * kChunks) throw std::bad_alloc();
    auto& chunk = chunks_[id / kChunk];
    if (id % kChunk == 0) chunk.store(new std::string_view[kChunk], std::memory_order_release);
    chunk.load(std::memory_order_relaxed)[id % kChunk] = kept;
    return static_cast<uint32_t>(id);
  }

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

  std::mutex mutex_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  size_t left_ = 0;
  size_t count_ = 0;
  std::array<std::atomic<std::string_view*>, kChunks> chunks_{};
  std::unordered_map<std::string_view, uint32_t> ids_;
};

// Never ends: threads may.
Interner& interner() {
  static Interner& instance = *new Interner;
  return instance;
}

}  // namespace

Symbol::Symbol(std::string_view text) : id_(interner().intern(text)) {}
std::string_view Symbol::str() const { return interner().text(id_); }

}  // namespace mlc::syntax
