// SPDX-License-Identifier: Apache-2.0
// Blocks of bindings that follow each other in one body.
#pragma once

#include "ir/relax/expr.h"

namespace mlc::relax {

// The blocks in normal form, where no two of one kind follow each other: their bindings stand in one. The
// same array where there is nothing to join.
Array<BindingBlock> joined(const Array<BindingBlock>& blocks);

}  // namespace mlc::relax
