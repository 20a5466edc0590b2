// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/primitive.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform::primitive_get_producers {

static constexpr char doc[] = R"(
get_producers(block) -> blocks      The blocks of its scope that write before it what the block reads or writes.

    sch.get_producers(sch.get_sblock("B"))

In the order of what the block reads, then of what it writes; in program order for each.
)";

static std::vector<SRefNode*> get(Step& step, BlockArg block) {
  SRefNode* scope = require_scope(block, "`{}` is a root block, which has no scope");
  return declared_dependences(step.state, *scope).depended_on(*block);
}

extern const Primitive get_producers;
const Primitive get_producers = primitive<&get>("GetProducers", "get_producers(block)", doc);

}  // namespace mlc::transform::primitive_get_producers
