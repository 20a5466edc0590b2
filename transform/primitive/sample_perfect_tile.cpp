// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/sampling.h"

namespace mlc::transform::primitive_sample_perfect_tile {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "bad-tile-limit",
         .message = "no factor of loop `{}` is at most {}",
         .help = "-1 is no limit",
         .meaning = "Every tile has a last factor of 1 or more, which the limit must allow.",
         .wrong = R"(i, j, k = sch.get_loops("product")
sch.sample_perfect_tile(i, n=2, max_innermost_factor=0))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.sample_perfect_tile(i, n=2))"},
        {.name = "bad-tile-extent",
         .message = "loop `{}` has {} iterations, nothing to tile",
         .help = "sample tiles of loops of 1 iteration or more",
         .meaning = "The factors of a tile multiply to the extent, and each is 1 or more.",
         .wrong = R"(@T.prim_func(s_tir=True)
def empty(A: T.Buffer((1,), "float32")):
    for i in range(0):
        with T.sblock("set"):
            vi = T.axis.spatial(1, i)
            A[vi] = 0.0


other = tvm.s_tir.Schedule(empty)
other.sample_perfect_tile(other.get_loops("set")[0], n=2))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.sample_perfect_tile(i, n=2))"},
    }};
MLC_REFUSALS(primitive_sample_perfect_tile, refusals);

static constexpr char doc[] = R"(
sample_perfect_tile(loop, n, max_innermost_factor=16, decision=None) -> numbers      Draw `n` factors whose product is the extent of a loop.

    v0, v1 = sch.sample_perfect_tile(i, n=2)      =>      decision=[8, 16] for an extent of 128
    i0, i1 = sch.split(i, [v0, v1])

The innermost factor is at most `max_innermost_factor`, without a limit when that is -1. A decision is taken as it is;
where it does not divide the extent any more, the factor takes all that is left. A symbolic extent gives [-1, 1, ...].
needs: n of 2 or more.
)";

static Any apply(Step& step, LoopArg loop, int64_t n, int64_t max_innermost_factor, Any decision) {
  // check
  if (n < 1 || (n < 2 && max_innermost_factor != -1)) {
    throw refuse(shared_refusals["bad-tile-count"], loop->name.c_str(), n)
        .kind("ValueError+ScheduleError")
        .at(step.span(2));
  }
  if (max_innermost_factor < 1 && max_innermost_factor != -1) {
    throw refuse(refusals["bad-tile-limit"], loop->name.c_str(), max_innermost_factor).at(step.span(3));
  }
  std::vector<int64_t> tile(n, 1);
  auto extent = const_int(loop->loop()->extent);
  if (extent && *extent < 1) {
    throw refuse(refusals["bad-tile-extent"], loop->name.c_str(), *extent).at(loop.span);
  }
  std::vector<int64_t> given;
  if (decision != nullptr) given = integers(step, 4, decision);
  if (decision != nullptr && static_cast<int64_t>(given.size()) != n) {
    throw refuse(shared_refusals["bad-decision"], given.size(), n)
        .kind("InternalError+ScheduleError")
        .at(step.span(4));
  }

  // apply
  int64_t& state = step.schedule.random_state;
  if (!extent) {
    tile[0] = -1;
  } else if (decision != nullptr) {
    tile = repaired_tile(given, *extent);
  } else {
    do {
      tile = sample_tile(state, *extent, n);
    } while (max_innermost_factor != -1 && tile.back() > max_innermost_factor);
  }
  return decided_tile(step, 4, tile, true);
}

extern const Primitive sample_perfect_tile;
const Primitive sample_perfect_tile = primitive<&apply>(
    "SamplePerfectTile", "sample_perfect_tile(loop, n, max_innermost_factor=16, decision=None)", doc);

}  // namespace mlc::transform::primitive_sample_perfect_tile
