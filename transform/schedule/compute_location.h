// SPDX-License-Identifier: Apache-2.0
// Moving a block below a loop of its scope: which of its instances one iteration of the loop needs, and the
// loops that enumerate them. Shared by compute_at (a producer moves) and reverse_compute_at (a consumer
// moves).
#pragma once

#include "transform/schedule/inline.h"
#include "transform/schedule/primitive.h"

namespace mlc::transform {

// A part of a block iterator's domain: [min, max], and the bounds it must still be tested against.
struct IterDomain {
  Interval range;
  Interval bound;  // without ends: nothing to test
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

// Iterators that follow one loop meet on its diagonal alone: how many instances the loop would run, and how
// many run now, where these are more.
std::optional<std::pair<double, double>> fewer_instances(const SBlockRealize& realize, const SRefNode& block,
                                                         SRefNode& loop,
                                                         const std::vector<IterDomain>& domains,
                                                         Analyzer& analyzer);
// The last value of an iterator: `last`, or less where the block's condition says so.
Expr last_under_condition(const SBlockRealize& realize, size_t iter, Expr last, Analyzer& analyzer);

// What is computed or copied in each iteration of a loop must be so in one at least: where the loops have
// none, but for those in which `producers` reduce, there is nothing to read. Refusal: loop-may-be-empty.
void require_iterations(ScheduleState& state, const SRefNode& block, SRefNode& loop,
                        const std::vector<SRefNode*>& producers, Analyzer& analyzer, Span span);

// A move that passed all checks: the scope, and what it becomes.
struct Move {
  SRefNode* scope;
  Stmt next;
};
// What both primitives share, after their own checks.
Move plan_move(ScheduleState& state, SRefNode& block, SRefNode& loop, const std::vector<SRefNode*>& producers,
               const std::vector<SRefNode*>& consumers, bool is_producer, bool preserve_unit_loops,
               int64_t index, Span block_span, Span index_span);
// The scope of a block that may move to a loop which is not around it yet, as far as that can be said of both
// primitives.
SRefNode& require_movable(ScheduleState& state, const BlockArg& block, const LoopArg& loop,
                          std::string_view primitive);
// The checks of `compute_at` and of `reverse_compute_at`.
using PlanMove = Move(ScheduleState& state, const BlockArg& block, const LoopArg& loop,
                      bool preserve_unit_loops, int64_t index, Span index_span);
PlanMove plan_compute_at, plan_reverse_compute_at;
// Moves the block to the location, which may be a mark: then it stays, or is inlined.
void move_to(Step& step, const BlockArg& block, const LocationArg& location, bool preserve_unit_loops,
             int64_t index, PlanMove plan, PlanInlining plan_inlining);

}  // namespace mlc::transform
