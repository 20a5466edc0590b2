// SPDX-License-Identifier: Apache-2.0
// What would work instead of a step that was refused.
#pragma once

#include "ir/core/error.h"

namespace mlc::transform {

// Adds a help by the rule's name, where the refusal has none of its own.
void advise(ir::Error& error);

}  // namespace mlc::transform
