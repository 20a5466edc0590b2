// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/primitive.h"

namespace mlc::transform::primitive_get_loops {

static constexpr char doc[] = R"(
get_loops(block) -> loops      The loops around a block, outermost first.

    i, j, k = sch.get_loops(sch.get_sblock("C"))

Only loops inside the block's scope: those below the enclosing block.
)";

static std::vector<SRefNode*> get(Step& step, BlockArg block) { return loops_above(*block); }

extern const Primitive get_loops;
const Primitive get_loops = primitive<&get>("GetLoops", "get_loops(block)", doc);

}  // namespace mlc::transform::primitive_get_loops
