// SPDX-License-Identifier: Apache-2.0
// A block in a loop that copies a part of a buffer as a whole: what read_at and write_at share.
#pragma once

#include "transform/schedule/primitive.h"

namespace mlc::transform {

// Puts a copy of what the loop's body reads (or writes) of a buffer of `block` into the body, and lets the
// body use it.
SRefNode* auto_copy(Step& step, const LoopArg& loop, const BlockArg& block, const String& storage_scope,
                 bool write);

}  // namespace mlc::transform
