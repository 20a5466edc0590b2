// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/core/refusal.h"
#include "transform/schedule/compute_location.h"
#include "transform/schedule/inline.h"
#include "transform/schedule/non_block_stmts.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/undeclared_accesses.h"

namespace mlc::transform::primitive_reverse_compute_at {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "producer-outside-loop",
         .message = "block `{}` writes what block `{}` reads, but is not below loop `{}`",
         .help = "choose a loop that is around all producers",
         .meaning =
             "A consumer moves into a loop only when all blocks that it reads are inside of that loop.",
         .wrong = R"(i, j = sch.get_loops("double")
sch.reverse_compute_at("shifted", i))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.reverse_compute_at("shifted", j))"},
        {.name = "consumer-before-loop",
         .message = "block `{}` reads what block `{}` writes, and stands before loop `{}`",
         .help = "it can move to a loop behind the block that it reads from",
         .meaning = "In the loop it would read what is not written at its place, or has changed since.",
         .wrong = R"(i, j = sch.get_loops("shifted")
sch.reverse_compute_at("double", i))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.reverse_compute_at("shifted", i))"},
    }};
MLC_REFUSALS(primitive_reverse_compute_at, refusals);

static constexpr char doc[] = R"(
reverse_compute_at(block, loop, preserve_unit_loops=False, index=-1)      Compute a consumer below a loop of its producers.

    for i_0, i_1, j in T.grid(...):     =>      for i_0 in range(n // 4):
        B[i_0 * 4 + i_1, j] = f(...)                for i_1, j in T.grid(4, m):
    for i, j in T.grid(n, m):                           B[i_0 * 4 + i_1, j] = f(...)
        C[i, j] = g(B[i, j])                        for ax0, ax1 in T.grid(4, m):
                                                        C[i_0 * 4 + ax0, ax1] = g(...)

The new loops run over what one iteration of the loop has produced. `index` chooses the place among the statements of the
loop: -1 the last possible, -2 the first. A block without producers runs over its whole domain in each iteration.
needs: block and loop in one scope, which is a stage pipeline; the block is complete or a reduction, and all its producers
       are below the loop; no consumer stands before the loop; its indices into what the producers write can be inverted.
keeps: the values computed.
)";

static Move plan(ScheduleState& state, const BlockArg& block, const LoopArg& loop, bool preserve_unit_loops,
                 int64_t index, Span index_span) {
  SRefNode& scope = require_movable(state, block, loop, "reverse_compute_at");
  Dependences deps = dependences(state, scope);
  auto [producers, consumers] = flow_around(deps, *block);
  for (SRefNode* producer : producers) {
    if (is_above(*loop, *producer)) continue;
    throw refuse(refusals["producer-outside-loop"], producer->name.c_str(), block->name.c_str(),
                 loop->name.c_str())
        .at(loop.span)
        .note("the producer is defined here", producer->stmt->span);
  }
  std::vector<SRefNode*> below = child_blocks(state, *loop);
  for (SRefNode* each : deps.blocks) {
    if (each == below.front()) break;
    if (std::find(consumers.begin(), consumers.end(), each) == consumers.end()) continue;
    throw refuse(refusals["consumer-before-loop"], each->name.c_str(), block->name.c_str(),
                 loop->name.c_str())
        .at(loop.span)
        .note("the consumer is defined here", each->stmt->span);
  }
  std::vector<SRefNode*> involved = producers;
  involved.push_back(&*block);
  require_straight(state, scope, {&*block, &*loop}, involved, "reverse_compute_at");
  require_allocated_before(scope, *loop, *block, "reverse_compute_at");
  require_declared(deps, {&*block});
  require_declared(deps, producers);
  return plan_move(state, *block, *loop, producers, consumers, false, preserve_unit_loops, index, block.span,
                   index_span);
}

static void apply(Step& step, BlockArg block, LocationArg location, bool preserve_unit_loops, int64_t index) {
  move_to(step, block, location, preserve_unit_loops, index, plan, plan_reverse_compute_inline);
}

extern const Primitive reverse_compute_at;
const Primitive reverse_compute_at = primitive<&apply>(
    "ReverseComputeAt", "reverse_compute_at(block, loop, preserve_unit_loops=False, index=-1)", doc, "",
    "int:preserve_unit_loops");

}  // namespace mlc::transform::primitive_reverse_compute_at

namespace mlc::transform {
Move plan_reverse_compute_at(ScheduleState& state, const BlockArg& block, const LoopArg& loop,
                             bool preserve_unit_loops, int64_t index, Span index_span) {
  return primitive_reverse_compute_at::plan(state, block, loop, preserve_unit_loops, index, index_span);
}
}  // namespace mlc::transform
