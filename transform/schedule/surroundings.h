// SPDX-License-Identifier: Apache-2.0
// What is known at a loop.
#pragma once

#include "transform/schedule/analysis.h"

namespace mlc::transform {

// Facts about loops around and symbolic shapes.
void bind_surroundings(Analyzer& analyzer, ScheduleState& state, SRefNode& loop);
// The same; loops of one iteration stay visible in what the analyzer simplifies.
void bind_surroundings_visibly(Analyzer& analyzer, ScheduleState& state, SRefNode& loop);

}  // namespace mlc::transform
