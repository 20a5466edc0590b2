// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/tir/stmt.h"

namespace mlc::ir {

// Do iterations of such a loop run side by side, so that none may rely on another? Those of threads as well,
// though threads of one block can wait for each other.
inline bool runs_side_by_side(ForKind kind) { return kind != ForKind::kSerial && kind != ForKind::kUnrolled; }

}  // namespace mlc::ir
