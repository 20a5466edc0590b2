// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/loops.h"

namespace mlc::transform::primitive_parallel {

static constexpr char doc[] = R"(
parallel(loop)      Run the iterations of a loop on several cores.

    for i in range(e):      =>      for i in T.parallel(e):
        S                               S

needs: no iteration reads or overwrites what another one writes; the blocks below are complete or reduction
       blocks with affine bindings, and the loop occurs in spatial iterators only.
keeps: every block instance, in no particular order.
)";

static void apply(Step& step, LoopArg loop) {
  // check
  require_parallelizable(step, loop, "");

  // apply
  set_loop_kind(step, *loop, ForKind::kParallel);
}

extern const Primitive parallel;
const Primitive parallel = primitive<&apply>("Parallel", "parallel(loop)", doc);

}  // namespace mlc::transform::primitive_parallel
