// SPDX-License-Identifier: Apache-2.0
// What primitives that make and remove loops share.
#pragma once

#include "transform/schedule/primitive.h"

namespace mlc::transform {

// Adds a condition to the realizes below a statement (not to those inside blocks).
Stmt add_predicate(const Stmt& body, const Expr& predicate);
// Rewrites the iterator values of the blocks below as sums of digits of the loops, where they are that.
// `outer`: the loops around `body`.
Stmt simplify_bindings(const Stmt& body, const std::vector<SRefNode*>& outer, bool preserve_unit_iters);

// The block with variables replaced in all it contains; expressions that change are simplified.
SBlock substitute_simplified(const SBlock& block, const VarMap& values, Analyzer& analyzer);

// Refusals: loop-has-annotation, loop-is-bound-to-thread, loop-not-from-zero.
void require_plain_loop(const LoopArg& loop, std::string_view primitive);

// The loop with another kind; everything else stays. Refusal: threads-share-memory.
void set_loop_kind(Step& step, SRefNode& loop, ForKind kind, IterVar thread_binding = nullptr);
// Can iterations of the loop run a block at the same time? `loops`: those around the block, `loop` among
// them. Refusals: loop-repeats-reduction, loop-carries-reduction.
void require_independent(ScheduleState& state, const SRefNode& block, const SBlockRealize& realize,
                         const std::vector<SRefNode*>& loops, SRefNode& loop, std::string_view thread_tag,
                         Span span);
// Can iterations of the loop run at the same time? `thread_tag` empty unless it is to be bound to a thread.
// Refusals: not-stage-pipeline, not-compact-dataflow, not-affine-binding, loop-carries-reduction.
void require_parallelizable(Step& step, const LoopArg& loop, std::string_view thread_tag);

}  // namespace mlc::transform
