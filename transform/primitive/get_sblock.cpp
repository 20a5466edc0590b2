// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/primitive.h"

namespace mlc::transform::primitive_get_sblock {

static constexpr char doc[] = R"(
get_sblock(name, func_name=None) -> block      The block of that name.

    sch.get_sblock("C")
    sch.get_sblock("C", func_name="matmul")

The function is the one chosen by `work_on`, the module's only one, or `main`.
needs: exactly one block of that name in the function.
)";

static SRefNode* get(Step& step, std::string name, std::optional<std::string> func_name) {
  GlobalVar fn = step.function(func_name, step.span(2));
  step.call.args[2] = fn->name_hint;  // the trace names the function
  return step.find_block(fn, name, step.span(1)).get();
}

extern const Primitive get_sblock;
const Primitive get_sblock = primitive<&get>("GetSBlock", "get_sblock(name, func_name=None)", doc);

}  // namespace mlc::transform::primitive_get_sblock
