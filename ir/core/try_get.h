// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/core/object.h"

namespace mlc::ir {

// The value as a T that is there: unlike `as`, which takes None for a null reference, None is no T.
template <class T>
std::optional<T> try_get(const Any& value) {
  if (value == nullptr) return std::nullopt;
  return value.as<T>();
}

}  // namespace mlc::ir
