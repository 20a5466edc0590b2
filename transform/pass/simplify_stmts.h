// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transform/pass/pass.h"

namespace mlc::transform {

// Every expression of the function simplified with what is known in its scope. With `know_blocks`, inside
// of a block its iterators are known to be in their domains.
PrimFunc simplify_stmts(const PrimFunc& fn, const PassOptions& options, bool know_blocks);

}  // namespace mlc::transform
