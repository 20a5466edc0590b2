// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/primitive.h"

namespace mlc::transform::primitive_get_output_blocks {

static constexpr char doc[] = R"(
get_output_blocks(scope_block) -> blocks      The blocks that write what leaves the scope.

    sch.get_output_blocks(sch.get_sblock("root"))

Blocks inside other blocks are asked as well, about the block directly around them: a buffer leaves it when it does not
allocate the buffer.
)";

static std::vector<SRefNode*> get(Step& step, BlockArg scope) {
  std::vector<SRefNode*> outputs;
  auto collect = [&](auto& self, const SRefNode& above) -> void {
    for (SRefNode* block : child_blocks(step.state, above)) {
      if (is_output_block(*block, above)) outputs.push_back(block);
      self(self, *block);
    }
  };
  collect(collect, *scope);
  return outputs;
}

extern const Primitive get_output_blocks;
const Primitive get_output_blocks =
    primitive<&get>("GetOutputBlocks", "get_output_blocks(scope_block)", doc, "block");

}  // namespace mlc::transform::primitive_get_output_blocks
