// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/core/refusal.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/sampling.h"

namespace mlc::transform::primitive_sample_partitioned_tile {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "bad-partition",
         .message = "a product from factor {} of {} on cannot be a multiple of {}",
         .help =
             "the position is below the number of factors, and the number for the inner part is 1 or more",
         .meaning = "The factors from one position on multiply to a multiple of a given number.",
         .wrong = R"(i, j, k = sch.get_loops("product")
sch.sample_partitioned_tile(i, n=2, partition_pos=3, innerpart_factor=4))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.sample_partitioned_tile(i, n=2, partition_pos=1, innerpart_factor=4))"},
    }};
MLC_REFUSALS(primitive_sample_partitioned_tile, refusals);

static constexpr char doc[] = R"(
sample_partitioned_tile(loop, n, partition_pos=0, innerpart_factor=1, decision=None) -> numbers      Draw `n` factors whose product is the extent of a loop, where the product from `partition_pos` on is a multiple of `innerpart_factor`.

    v0, v1, v2 = sch.sample_partitioned_tile(i, n=3, partition_pos=1, innerpart_factor=8)

An extent that `innerpart_factor` does not divide gives [-1, 1, ...].
needs: n of 2 or more, partition_pos below n.
)";

static Any apply(Step& step, LoopArg loop, int64_t n, int64_t partition_pos, int64_t innerpart_factor,
                 Any decision) {
  // check
  if (n < 2) {
    throw refuse(shared_refusals["bad-tile-count"], loop->name.c_str(), n).at(step.span(2));
  }
  auto extent = const_int(loop->loop()->extent);
  bool divides = extent && *extent >= 1 && innerpart_factor >= 1 && *extent % innerpart_factor == 0;
  if (innerpart_factor < 1 ||
      (divides && innerpart_factor > 1 && (partition_pos < 0 || partition_pos >= n))) {
    throw refuse(refusals["bad-partition"], partition_pos, n, innerpart_factor).at(step.span(3));
  }
  std::vector<int64_t> given;
  if (decision != nullptr) given = integers(step, 5, decision);
  if (decision != nullptr && static_cast<int64_t>(given.size()) != n) {
    throw refuse(shared_refusals["bad-decision"], given.size(), n).at(step.span(5));
  }

  // apply
  std::vector<int64_t> tile(n, 1);
  auto fits = [&](const std::vector<int64_t>& factors) {
    int64_t product = 1;
    for (int64_t i = std::max<int64_t>(partition_pos, 0); i < n; ++i) product *= factors[i];
    return product % innerpart_factor == 0;
  };
  if (!divides) {
    tile[0] = -1;
  } else if (decision == nullptr) {
    do {
      tile = sample_tile(step.schedule.random_state, *extent, n);
    } while (!fits(tile));
  } else if (fits(given)) {
    tile = repaired_tile(given, *extent);
  } else {
    tile[0] = *extent / innerpart_factor;
    tile[partition_pos] = innerpart_factor;
  }
  return decided_tile(step, 5, tile, false);
}

extern const Primitive sample_partitioned_tile;
const Primitive sample_partitioned_tile = primitive<&apply>(
    "SamplePartitionedTile",
    "sample_partitioned_tile(loop, n, partition_pos=0, innerpart_factor=1, decision=None)", doc);

}  // namespace mlc::transform::primitive_sample_partitioned_tile
