// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/loops.h"

namespace mlc::transform::primitive_vectorize {

static constexpr char doc[] = R"(
vectorize(loop)      Run the iterations of a loop as lanes of vector instructions.

    for i in range(e):      =>      for i in T.vectorized(e):
        S                               S

needs: no iteration reads or overwrites what another one writes; the blocks below are complete or reduction
       blocks with affine bindings, and the loop occurs in spatial iterators only.
keeps: every block instance, all at once.
)";

static void apply(Step& step, LoopArg loop) {
  // check
  require_parallelizable(step, loop, "");

  // apply
  set_loop_kind(step, *loop, ForKind::kVectorized);
}

extern const Primitive vectorize;
const Primitive vectorize = primitive<&apply>("Vectorize", "vectorize(loop)", doc);

}  // namespace mlc::transform::primitive_vectorize
