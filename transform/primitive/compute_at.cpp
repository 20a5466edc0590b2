// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/schedule/compute_location.h"
#include "transform/schedule/inline.h"
#include "transform/schedule/non_block_stmts.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/undeclared_accesses.h"

namespace mlc::transform::primitive_compute_at {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "consumer-outside-loop",
         .message = "block `{}` reads what block `{}` writes, but is not below loop `{}`",
         .help = "choose a loop that is around all consumers",
         .meaning = "A producer moves into a loop only when all blocks that read it are inside of that loop.",
         .wrong = R"(i, j = sch.get_loops("shifted")
sch.compute_at("double", i))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.compute_at("double", i))"},
    }};
MLC_REFUSALS(primitive_compute_at, refusals);

static constexpr char doc[] = R"(
compute_at(block, loop, preserve_unit_loops=False, index=-1)      Compute a producer below a loop of its consumers.

    for i, j in T.grid(n, m):           =>      for i_0 in range(n // 4):
        B[i, j] = f(i, j)                           for ax0, ax1 in T.grid(4, m):
    for i_0, i_1, j in T.grid(...):                     B[i_0 * 4 + ax0, ax1] = f(...)
        C[i_0 * 4 + i_1, j] = g(B)                  for i_1, j in T.grid(4, m):
                                                        C[i_0 * 4 + i_1, j] = g(B)

The new loops run over what one iteration of the loop reads. `index` chooses the place among the statements of the loop:
-1 the last possible, -2 the first.
needs: block and loop in one scope, which is a stage pipeline; the block is complete or a reduction, writes nothing that
       leaves the scope, and all its consumers are below the loop.
keeps: the values computed; instances may be repeated where iterations read the same elements.
)";

static Move plan(ScheduleState& state, const BlockArg& block, const LoopArg& loop, bool preserve_unit_loops,
                 int64_t index, Span index_span) {
  SRefNode& scope = require_movable(state, block, loop, "compute_at");
  Dependences deps = dependences(state, scope);
  auto [producers, consumers] = flow_around(deps, *block);
  if (is_output_block(*block, scope)) {
    throw about_block(
        refuse_as(shared_refusals["output-block"],
                  "block `{}` writes what leaves the scope, so it cannot be computed at a consumer",
                  block->name.c_str()),
        block.span, block->stmt->span)
        .help(!consumers.empty()   ? "move its consumer with `reverse_compute_at`"
              : !producers.empty() ? "no block reads it: `reverse_compute_at` moves it to a loop of a block that it reads from"
                                   : "no other block reads what it writes or writes what it reads");
  }
  for (SRefNode* consumer : consumers) {
    if (is_above(*loop, *consumer)) continue;
    throw refuse(refusals["consumer-outside-loop"], consumer->name.c_str(), block->name.c_str(),
                 loop->name.c_str())
        .at(loop.span)
        .note("the consumer is defined here", consumer->stmt->span);
  }
  std::vector<SRefNode*> involved = consumers;
  involved.push_back(&*block);
  require_straight(state, scope, {&*block}, involved, "compute_at");
  require_declared(deps, {&*block});
  require_declared(deps, consumers);
  return plan_move(state, *block, *loop, producers, consumers, true, preserve_unit_loops, index, block.span,
                   index_span);
}

static void apply(Step& step, BlockArg block, LocationArg location, bool preserve_unit_loops, int64_t index) {
  move_to(step, block, location, preserve_unit_loops, index, plan, plan_compute_inline);
}

extern const Primitive compute_at;
const Primitive compute_at =
    primitive<&apply>("ComputeAt", "compute_at(block, loop, preserve_unit_loops=False, index=-1)", doc, "",
                      "int:preserve_unit_loops");

}  // namespace mlc::transform::primitive_compute_at

namespace mlc::transform {
Move plan_compute_at(ScheduleState& state, const BlockArg& block, const LoopArg& loop,
                     bool preserve_unit_loops, int64_t index, Span index_span) {
  return primitive_compute_at::plan(state, block, loop, preserve_unit_loops, index, index_span);
}
}  // namespace mlc::transform
