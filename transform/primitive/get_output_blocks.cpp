// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/primitive.h"

namespace mlc::transform {

static constexpr char doc[] = R"(
get_output_blocks(scope_block) -> blocks      The blocks that write what leaves the scope.

    sch.get_output_blocks(sch.get_sblock("root"))

A buffer leaves the scope when the scope's block does not allocate it.
)";

static std::vector<Place*> get(Step& step, BlockArg scope) {
  std::vector<Place*> outputs;
  for (Place* block : child_blocks(step.state, *scope)) {
    if (is_output_block(*block, *scope)) outputs.push_back(block);
  }
  return outputs;
}

extern const Primitive get_output_blocks;
const Primitive get_output_blocks =
    primitive<&get>("GetOutputBlocks", "get_output_blocks(scope_block)", doc, "block");

}  // namespace mlc::transform
