// SPDX-License-Identifier: Apache-2.0
#include "ir/core/freeze.h"

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>

namespace mlc::ir {
namespace {

template <typename Sequence>
Any array_of(const Any& value, const Sequence& sequence, bool changes) {
  ffi::Array<Any> out;
  for (const Any& one : sequence) {
    out.push_back(freeze(one));
    changes = changes || !out.back().same_as(one);
  }
  return changes ? Any(out) : value;
}

template <typename Entries>
Any map_of(const Any& value, const Entries& entries, bool changes) {
  ffi::Map<Any, Any> out;
  for (const auto& [key, one] : entries) {
    Any kept = freeze(one);
    changes = changes || !kept.same_as(one);
    out.Set(key, kept);
  }
  return changes ? Any(out) : value;
}

}  // namespace

Any freeze(const Any& value) {
  if (auto list = value.as<ffi::List<Any>>()) return array_of(value, *list, true);
  if (auto array = value.as<ffi::Array<Any>>()) return array_of(value, *array, false);
  if (auto dict = value.as<ffi::Dict<Any, Any>>()) return map_of(value, *dict, true);
  if (auto map = value.as<ffi::Map<Any, Any>>()) return map_of(value, *map, false);
  return value;
}

}  // namespace mlc::ir
