// SPDX-License-Identifier: Apache-2.0
// Dimensions of a buffer that one loop indexes together, as the quotient and the remainder of a fused loop.
#pragma once

#include "transform/schedule/analysis.h"

namespace mlc::transform {

// Dimensions that one loop below `loop` indexes together: does the box around what is written there hold as
// many elements as these loops have iterations? Dimensions that no loop joins are looked at apart.
bool fills_joint_dims(const SRefNode& producer, const SRefNode& loop, const TensorRegionNode& region,
                      const VarMap& values, const Box& box, Analyzer& analyzer);

}  // namespace mlc::transform
