// SPDX-License-Identifier: Apache-2.0
// The table inside a tvm-ffi Dict or Map, for callers who know hash and equality at compile time. It is what
// ffi::DenseMapBaseObj walks, but for its division by the number of slots, which is a power of two; and it
// grows at three quarters, not when it is full and chains are long.
#pragma once

#include <cstring>
#include <memory>

#include "frontend/script/core/value.h"

namespace mlc::script {

struct DictTable : ffi::DenseMapBaseObj {
  static uint64_t hash_of(int32_t type_index, uint64_t content) {
    return ffi::details::StableHashCombine(static_cast<uint64_t>(type_index), content);
  }

  // The value whose key `equal` accepts among those of this hash, or null.
  template <class Equal>
  static Any* find(ffi::MapBaseObj* map, uint64_t hash, Equal equal) {
    auto* table = static_cast<const DictTable*>(map);
    if (table->IsSmallMap()) {
      auto* entry = static_cast<KVType*>(table->data_);
      for (auto* end = entry + table->size_; entry != end; ++entry) {
        if (equal(entry->first)) return &entry->second;
      }
      return nullptr;
    }
    if (table->size_ == 0) return nullptr;
    uint64_t i = table->slot_of(hash);
    uint8_t state = meta(table->data_, i);
    if ((state & kNotHead) != 0) return nullptr;
    for (;;) {
      Item& entry = item(table->data_, i);
      if (equal(entry.data.first)) return &entry.data.second;
      if ((state & kJump) == 0) return nullptr;
      i = table->after(i, state & kJump);
      state = meta(table->data_, i);
    }
  }

  // Whether an iterator that was good before a change stands at an entry still.
  static bool is_small(const ffi::MapBaseObj* map) {
    return static_cast<const DictTable*>(map)->IsSmallMap();
  }
  static bool stands_at_entry(const ffi::MapBaseObj* map, const ffi::MapBaseObj::iterator& at) {
    auto* table = static_cast<const DictTable*>(map);
    uint64_t i = at.*(&Position::index);
    if (table->IsSmallMap()) return i < table->size_;
    return i < table->slots_ && meta(table->data_, i) != kEmpty;
  }

  // Adds a key of this hash that is not there, and takes it. False where the general way must: in a small
  // map, or where another chain has taken the slot.
  template <class Hash>
  static bool add(ffi::MapBaseObj* map, Any& key, const Any& value, uint64_t hash, Hash hash_of_key) {
    auto* table = static_cast<DictTable*>(map);
    if (table->IsSmallMap() || table->slots_ < kBlock) return false;
    if ((table->size_ + 1) * 4 > table->slots_ * 3) table->grow(hash_of_key);
    uint64_t i = table->slot_of(hash);
    uint8_t state = kHead;
    if (meta(table->data_, i) != kEmpty) {
      if ((meta(table->data_, i) & kNotHead) != 0 || !table->append(i)) return false;
      state = kNotHead;
    }
    meta(table->data_, i) = state;
    uint64_t& last = table->iter_list_tail_;
    new (&item(table->data_, i)) Item{{std::move(key), value}, last, kNone};
    (last == kNone ? table->iter_list_head_ : item(table->data_, last).next) = i;
    last = i;
    ++table->size_;
    return true;
  }

 private:
  static constexpr uint64_t kFibonacci = 11400714819323198485ull;
  static constexpr uint64_t kNone = ~uint64_t{0};
  static constexpr uint8_t kEmpty = 0b11111111;
  static constexpr uint8_t kHead = 0;
  static constexpr uint8_t kNotHead = 0b10000000;
  static constexpr uint8_t kJump = 0b01111111;  // how far the next of the chain is
  static constexpr uint8_t kJumps = 126;
  struct Position : ffi::MapBaseObj::iterator {
    using ffi::MapBaseObj::iterator::index;
  };
  struct Item {
    KVType data;
    uint64_t previous, next;  // in the order of the dict
  };
  static constexpr size_t kBlock = 16;  // slots whose bytes of metadata lie together, before their items
  static constexpr size_t kBlockBytes = kBlock * (1 + sizeof(Item));

  static char* block(void* data, uint64_t i) { return static_cast<char*>(data) + i / kBlock * kBlockBytes; }
  static uint8_t& meta(void* data, uint64_t i) {
    return reinterpret_cast<uint8_t&>(block(data, i)[i % kBlock]);
  }
  static Item& item(void* data, uint64_t i) {
    return reinterpret_cast<Item*>(block(data, i) + kBlock)[i % kBlock];
  }
  static void free_blocks(void* data) { delete[] static_cast<char*>(data); }

  uint64_t slot_of(uint64_t hash) const { return (kFibonacci * hash) >> fib_shift_; }
  uint64_t after(uint64_t i, uint8_t jump) const { return (i + NextProbeLocation(jump)) & (slots_ - 1); }

  // Links an empty slot to the end of the chain that begins at `i`, which becomes that slot.
  bool append(uint64_t& i) const {
    uint64_t last = i;
    while ((meta(data_, last) & kJump) != 0) last = after(last, meta(data_, last) & kJump);
    for (uint8_t jump = 1; jump < kJumps; ++jump) {
      i = after(last, jump);
      if (meta(data_, i) != kEmpty) continue;
      meta(data_, last) |= jump;
      return true;
    }
    return false;
  }

  // All entries into a table of twice the size, in their order. The heads of chains come first, so that no
  // entry has to make room for another.
  template <class Hash>
  void grow(Hash hash_of_key) {
    void* old = data_;
    std::unique_ptr<char[]> blocks;
    std::vector<uint64_t> places(size_), taken;
    for (bool placed = false; !placed;) {
      slots_ *= 2;
      --fib_shift_;
      blocks = std::make_unique_for_overwrite<char[]>(slots_ / kBlock * kBlockBytes);
      data_ = blocks.get();
      for (uint64_t i = 0; i < slots_; i += kBlock) std::memset(block(data_, i), kEmpty, kBlock);
      taken.clear();
      uint64_t n = 0;
      for (uint64_t from = iter_list_head_; from != kNone; from = item(old, from).next, ++n) {
        uint64_t i = places[n] = slot_of(hash_of_key(item(old, from).data.first));
        if (meta(data_, i) == kEmpty) {
          meta(data_, i) = kHead;
        } else {
          taken.push_back(n);
        }
      }
      placed = true;
      for (size_t k = 0; placed && k < taken.size(); ++k) {
        placed = append(places[taken[k]]);
        if (placed) meta(data_, places[taken[k]]) = kNotHead;
      }
    }
    uint64_t n = 0;
    for (uint64_t from = iter_list_head_; from != kNone; ++n) {
      Item& source = item(old, from);
      Item& target = item(data_, places[n]);
      std::memcpy(static_cast<void*>(&target), static_cast<const void*>(&source), sizeof(KVType));
      target.previous = n == 0 ? kNone : places[n - 1];
      target.next = n + 1 == places.size() ? kNone : places[n + 1];
      from = source.next;
    }
    if (!places.empty()) {
      iter_list_head_ = places.front();
      iter_list_tail_ = places.back();
    }
    if (data_deleter_ != nullptr) data_deleter_(old);
    data_deleter_ = free_blocks;
    blocks.release();
  }
};
static_assert(sizeof(DictTable) == sizeof(ffi::DenseMapBaseObj));

}  // namespace mlc::script
