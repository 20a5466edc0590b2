// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/loops.h"

namespace mlc::transform::primitive_unroll {

static constexpr char doc[] = R"(
unroll(loop)      Write the iterations of a loop out one after the other.

    for i in range(e):      =>      for i in T.unroll(e):
        S                               S

keeps: number and order of block instances.
)";

static void apply(Step& step, LoopArg loop) { set_loop_kind(step, *loop, ForKind::kUnrolled); }

extern const Primitive unroll;
const Primitive unroll = primitive<&apply>("Unroll", "unroll(loop)", doc);

}  // namespace mlc::transform::primitive_unroll
