// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/primitive.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform::primitive_get_consumers {

static constexpr char doc[] = R"(
get_consumers(block) -> blocks      The blocks of its scope that read or write after it what the block writes.

    sch.get_consumers(sch.get_sblock("B"))

In program order.
)";

static std::vector<SRefNode*> get(Step& step, BlockArg block) {
  SRefNode* scope = require_scope(block, "`{}` is a root block, which has no scope");
  return declared_dependences(step.state, *scope).dependents(*block);
}

extern const Primitive get_consumers;
const Primitive get_consumers = primitive<&get>("GetConsumers", "get_consumers(block)", doc);

}  // namespace mlc::transform::primitive_get_consumers
