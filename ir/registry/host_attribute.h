// SPDX-License-Identifier: Apache-2.0
// Attributes of script values, for native functions that call methods of objects which scripts define
// (pass instruments). Whoever runs scripts answers.
#pragma once

#include "ir/registry/api.h"

namespace mlc::ir {

using AttributeLookup = bool (*)(Host& host, const Any& object, std::string_view name, Any& out);
void answer_attributes(AttributeLookup lookup);

// False when the object has no such attribute, and where nobody answers.
bool find_attribute(Host& host, const Any& object, std::string_view name, Any& out);

}  // namespace mlc::ir
