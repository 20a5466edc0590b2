// SPDX-License-Identifier: Apache-2.0
// A block below loops that run some of its instances more than once.
#pragma once

#include "transform/schedule/analysis.h"

namespace mlc::transform {

// Iterations that run instances of a sum again must be around all of its reduction loops, where they start it
// again; inside of one they would add to it twice. Nor may they run side by side. `subtree`: the block and
// its own loops, as they will stand in `loop`. Refusals: reduction-repeated, those of `require_independent`.
void require_sums_once(ScheduleState& state, const SRefNode& block, SRefNode& loop, const Stmt& subtree,
                       Span span);

// An instance of a consumer that runs before all that it reads is written is put right by a later iteration
// that runs it again; of iterations side by side none is the later one. `next_scope`: what `scope` becomes.
// Refusal: instances-side-by-side.
void require_whole_reads(ScheduleState& state, SRefNode& block, SRefNode& loop, const Stmt& subtree,
                         const SRefNode& scope, const Stmt& next_scope, Span span);

}  // namespace mlc::transform
