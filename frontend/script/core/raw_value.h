// SPDX-License-Identifier: Apache-2.0
// Values on their way through the evaluator: the two words of an Any, in registers. Whoever
// holds a raw value from `copy`, `release` or `run` owns a reference if they name an object, and must pass it on or
// drop it.
//
// While the process has one thread (glibc says so), references are counted by plain additions.
#pragma once

#include <sys/single_threaded.h>

#include "frontend/script/core/value.h"

namespace mlc::script {

using RawValue = TVMFFIAny;
static_assert(sizeof(RawValue) == 16 && sizeof(Any) == sizeof(RawValue));

inline bool is_counted(const RawValue& words) { return words.type_index >= kTVMFFIStaticObjectBegin; }
inline void keep(const RawValue& words) {
  if (!is_counted(words)) return;
  if (__libc_single_threaded) {
    ++words.v_obj->combined_ref_count;
  } else {
    ffi::details::ObjectUnsafe::IncRefObjectHandle(words.v_obj);
  }
}
inline void drop(const RawValue& words) {
  if (!is_counted(words)) return;
  // The last reference goes the long way.
  if (__libc_single_threaded && static_cast<uint32_t>(words.v_obj->combined_ref_count) > 1) [[likely]] {
    --words.v_obj->combined_ref_count;
  } else {
    ffi::details::ObjectUnsafe::DecRefObjectHandle(words.v_obj);
  }
}

inline RawValue& raw_of(Any& value) { return reinterpret_cast<RawValue&>(value); }
inline const RawValue& raw_of(const Any& value) { return reinterpret_cast<const RawValue&>(value); }
inline const Any& borrow(const RawValue& words) { return reinterpret_cast<const Any&>(words); }

inline RawValue copy(const Any& value) {
  RawValue words = raw_of(value);
  keep(words);
  return words;
}
inline RawValue release(Any&& value) { return ffi::details::AnyUnsafe::MoveAnyToTVMFFIAny(std::move(value)); }
inline Any take(RawValue words) { return ffi::details::AnyUnsafe::MoveTVMFFIAnyToAny(&words); }
inline void put(Any& place, RawValue words) {
  RawValue old = raw_of(place);
  raw_of(place) = words;
  drop(old);
}

inline RawValue raw_tagged(int32_t type_index, int64_t value) {
  RawValue words;
  words.type_index = type_index;
  words.zero_padding = 0;
  words.v_int64 = value;
  return words;
}
inline RawValue raw_int(int64_t value) { return raw_tagged(kTVMFFIInt, value); }
inline RawValue raw_bool(bool value) { return raw_tagged(kTVMFFIBool, value); }
inline RawValue raw_unbound() { return raw_tagged(kTVMFFIAny, 0); }
inline RawValue raw_none() { return raw_tagged(kTVMFFINone, 0); }
inline RawValue raw_float(double value) {
  RawValue words;
  words.type_index = kTVMFFIFloat;
  words.zero_padding = 0;
  words.v_float64 = value;
  return words;
}

// A raw value with its owner: dropped at the end of the scope, unless they are only borrowed from a variable that keeps
// the value longer.
struct OwnedValue {
  RawValue words;
  bool owned = true;
  explicit OwnedValue(RawValue words, bool owned = true) : words(words), owned(owned) {}
  OwnedValue(OwnedValue&& other) noexcept : words(other.words), owned(std::exchange(other.owned, false)) {}
  OwnedValue& operator=(OwnedValue&&) = delete;
  ~OwnedValue() {
    if (owned) drop(words);
  }
  int32_t type() const { return words.type_index; }
  RawValue release() {
    if (!owned) keep(words);
    owned = false;
    return words;
  }
};

}  // namespace mlc::script
