// SPDX-License-Identifier: Apache-2.0
// Values on their way through the evaluator: the two words of an Any, which travel in registers. Whoever
// holds words from `copy`, `give` or `run` owns a reference if they name an object, and must pass it on or
// drop it.
//
// While the process has one thread (glibc says so), references are counted by plain additions.
#pragma once

#include <sys/single_threaded.h>

#include "frontend/script/core/value.h"

namespace mlc::script {

using Words = TVMFFIAny;
static_assert(sizeof(Words) == 16 && sizeof(Any) == sizeof(Words));

inline bool is_counted(const Words& words) { return words.type_index >= kTVMFFIStaticObjectBegin; }
inline void keep(const Words& words) {
  if (!is_counted(words)) return;
  if (__libc_single_threaded) {
    ++words.v_obj->combined_ref_count;
  } else {
    ffi::details::ObjectUnsafe::IncRefObjectHandle(words.v_obj);
  }
}
inline void drop(const Words& words) {
  if (!is_counted(words)) return;
  // The last reference goes the long way.
  if (__libc_single_threaded && static_cast<uint32_t>(words.v_obj->combined_ref_count) > 1) [[likely]] {
    --words.v_obj->combined_ref_count;
  } else {
    ffi::details::ObjectUnsafe::DecRefObjectHandle(words.v_obj);
  }
}

inline Words& words_of(Any& value) { return reinterpret_cast<Words&>(value); }
inline const Words& words_of(const Any& value) { return reinterpret_cast<const Words&>(value); }
inline const Any& lent(const Words& words) { return reinterpret_cast<const Any&>(words); }

inline Words copy(const Any& value) {
  Words words = words_of(value);
  keep(words);
  return words;
}
inline Words give(Any&& value) { return ffi::details::AnyUnsafe::MoveAnyToTVMFFIAny(std::move(value)); }
inline Any take(Words words) { return ffi::details::AnyUnsafe::MoveTVMFFIAnyToAny(&words); }
inline void put(Any& place, Words words) {
  Words old = words_of(place);
  words_of(place) = words;
  drop(old);
}

inline Words tagged_words(int32_t type_index, int64_t value) {
  Words words;
  words.type_index = type_index;
  words.zero_padding = 0;
  words.v_int64 = value;
  return words;
}
inline Words int_words(int64_t value) { return tagged_words(kTVMFFIInt, value); }
inline Words bool_words(bool value) { return tagged_words(kTVMFFIBool, value); }
inline Words unbound_words() { return tagged_words(kTVMFFIAny, 0); }
inline Words none_words() { return tagged_words(kTVMFFINone, 0); }
inline Words float_words(double value) {
  Words words;
  words.type_index = kTVMFFIFloat;
  words.zero_padding = 0;
  words.v_float64 = value;
  return words;
}

// Words with their owner: dropped at the end of the scope, unless they are only lent by a variable that keeps
// the value longer.
struct Held {
  Words words;
  bool owned = true;
  explicit Held(Words words, bool owned = true) : words(words), owned(owned) {}
  Held(Held&& other) noexcept : words(other.words), owned(std::exchange(other.owned, false)) {}
  Held& operator=(Held&&) = delete;
  ~Held() {
    if (owned) drop(words);
  }
  int32_t type() const { return words.type_index; }
  Words release() {
    if (!owned) keep(words);
    owned = false;
    return words;
  }
};

}  // namespace mlc::script
