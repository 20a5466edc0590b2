// SPDX-License-Identifier: Apache-2.0
// Which sums may become fused multiply-adds.
#pragma once

#include <unordered_set>

#include "ir/core/visit.h"

namespace mlc::backend {

// The sums of statements `S[i] = S[i] + x - y`, and of the first such step, which does not read S[i]: reductions, whose
// rounding is not prescribed. Products that are added there need not be rounded before; they are where a loop is nothing
// but one sum, which a multiply-add would make slower. Everywhere else a product is rounded as it is written, so that a
// program without reductions computes the same bits however it is scheduled: `a * a - b * b` of equal values is 0, and no
// small number below it.
std::unordered_set<const ir::BinaryNode*> accumulations(const ir::Stmt& body);

}  // namespace mlc::backend
