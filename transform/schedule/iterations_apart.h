// SPDX-License-Identifier: Apache-2.0
// Do iterations of a loop stay out of each other's elements?
#pragma once

#include "transform/schedule/analysis.h"

namespace mlc::transform {

// Have both regions an index that is the same in one iteration of the loop, and another one in each other?
bool accessed_by_one_iteration(SRefNode& loop, const TensorRegion& a, const VarMap& a_values,
                               const TensorRegion& b, const VarMap& b_values);
// Does no iteration of the loop write what other blocks write in another one?
bool writes_apart(ScheduleState& state, SRefNode& loop, SRefNode& block);

}  // namespace mlc::transform
