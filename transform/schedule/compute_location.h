// SPDX-License-Identifier: Apache-2.0
// Moving a block below a loop of its scope: which of its instances one iteration of the loop needs, and the
// loops that enumerate them. Shared by compute_at (a producer moves) and reverse_compute_at (a consumer
// moves).
#pragma once

#include "transform/schedule/primitive.h"

namespace mlc::transform {

// A part of a block iterator's domain: [min, max], and the bounds it must still be tested against.
struct IterDomain {
  Interval range;
  Interval bound;  // without ends: nothing to test
};

// A box of a buffer as intervals.
struct Box {
  Buffer buffer;
  std::vector<Interval> dims;
};

// The iterations of `block` that touch `needed` through `touched` (its writes or its reads on those buffers).
// nullopt when an index cannot be inverted and `exact` is asked for; iterators that no index mentions, or
// none that can be inverted, range over their whole domain.
std::optional<std::vector<IterDomain>> invert_regions(const SBlockNode& block,
                                                      const Array<TensorRegion>& touched,
                                                      const std::vector<Box>& needed, bool exact,
                                                      Analyzer& analyzer);

// What `regions` of a block touch during one iteration of the loop `top`: relaxed over the loops between, and
// over threads that share the buffer's memory.
void relax_below(ScheduleState& state, const SRefNode& block, const Array<TensorRegion>& regions,
                 const SRefNode& top, bool across_threads, std::vector<Box>& into, Analyzer& analyzer);
// The same with threads that share memory of `storage_scope`.
void relax_below(ScheduleState& state, const SRefNode& block, const Array<TensorRegion>& regions,
                 const SRefNode& top, std::string_view storage_scope, std::vector<Box>& into,
                 Analyzer& analyzer);

// Loops `ax0`, `ax1`, ... over `domains` with the block's realize inside. `condition`: on the block's
// iterators, tested as well. `around`: what the loops around run over, for proofs.
Stmt loops_over(const SBlock& block, const std::vector<IterDomain>& domains, bool preserve_unit_loops,
                Analyzer& analyzer, const Expr& condition = bool_imm(true), Domain around = {});

// Removes `block`, empty loops with it, and puts `subtree` at `position` of the loop's
// body.
Stmt moved_block(const SRefNode& block, const SRefNode& loop, const Stmt& subtree, size_t position,
                 const SRefNode& scope);

// Where in the loop's body a block may be: after the last of `before`, ahead of the first of `after`.
struct Positions {
  size_t first, last;
};
Positions positions_in(const SRefNode& loop, const std::vector<SRefNode*>& before,
                       const std::vector<SRefNode*>& after);
// The position for argument `index`: -1 the last, -2 the first. Error: no-such-position.
size_t choose_position(const Positions& positions, int64_t index, Span span);

// A move that passed all checks: the scope, and what it becomes.
struct Move {
  SRefNode* scope;
  Stmt next;
};
// What both primitives share, after their own checks.
Move plan_move(ScheduleState& state, SRefNode& block, SRefNode& loop, const std::vector<SRefNode*>& producers,
               const std::vector<SRefNode*>& consumers, bool is_producer, bool preserve_unit_loops,
               int64_t index, Span block_span, Span index_span);
// The checks of `compute_at` and of `reverse_compute_at`.
Move plan_compute_at(ScheduleState& state, const BlockArg& block, const LoopArg& loop,
                     bool preserve_unit_loops, int64_t index, Span index_span);
Move plan_reverse_compute_at(ScheduleState& state, const BlockArg& block, const LoopArg& loop,
                             bool preserve_unit_loops, int64_t index, Span index_span);

}  // namespace mlc::transform
