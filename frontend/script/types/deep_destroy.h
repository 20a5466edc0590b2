// SPDX-License-Identifier: Apache-2.0
// A list in a list in a list ... ends without recursion, however deep it is.
#pragma once

#include "frontend/script/core/value.h"

namespace mlc::script {

inline bool is_nested(const Any& element) {
  int32_t type = element.type_index();
  return type == kTVMFFIList || type == kTVMFFIArray || type == kTVMFFIDict;
}

// To be called for a list or tuple that got an element which `is_nested`: it will end by a deleter that puts
// off what is too deep for the stack.
void deep_destroy(const Any& sequence);

}  // namespace mlc::script
