// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/primitive.h"

namespace mlc::transform::primitive_get_child_blocks {

static constexpr char doc[] = R"(
get_child_blocks(block_or_loop) -> blocks      The blocks below a block or loop, in program order.

    sch.get_child_blocks(sch.get_sblock("root"))

Blocks inside those blocks are not listed.
)";

static std::vector<SRefNode*> get(Step& step, SRef block_or_loop) {
  return child_blocks(step.state, *block_or_loop);
}

extern const Primitive get_child_blocks;
const Primitive get_child_blocks =
    primitive<&get>("GetChildBlocks", "get_child_blocks(block_or_loop)", doc, "_");

}  // namespace mlc::transform::primitive_get_child_blocks
