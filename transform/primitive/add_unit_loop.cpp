// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/primitive.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform::primitive_add_unit_loop {

static constexpr char doc[] = R"(
add_unit_loop(block_or_loop) -> loop      Put a loop of one iteration around a loop or block.

    S      =>      for u in range(1):
                       S

needs: not the root block.
keeps: everything.
)";

static SRefNode* apply(Step& step, SRef sref) {
  // check
  if (!sref->parent) {
    throw refuse_as(shared_refusals["root-block"], "`{}` is a root block: no loop goes around it",
                    sref->name.c_str())
        .kind("ValueError+ScheduleError")
        .at(step.span(1));
  }

  // apply
  Stmt body = sref->stmt;
  if (sref->block()) body = realize_of(step.state, *sref);
  Var var = make_var("u", DataType::Int(32));
  Stmt loop = make<ForNode>(var, int32(0), int32(1), ForKind::kSerial, body);
  step.replace(*sref, loop);
  return step.sref(loop);
}

extern const Primitive add_unit_loop;
const Primitive add_unit_loop = primitive<&apply>("AddUnitLoop", "add_unit_loop(block_or_loop)", doc);

}  // namespace mlc::transform::primitive_add_unit_loop
