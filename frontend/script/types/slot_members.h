// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frontend/script/core/machine.h"

namespace mlc::script {

// The attributes that a class and its bases name in __slots__, as dir() lists them.
std::vector<std::string> slot_names(const ClassNode& cls);

}  // namespace mlc::script
