// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/schedule/loops.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform::primitive_bind {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "unknown-thread-axis",
         .message = "there is no thread axis `{}`",
         .help = "`blockIdx.x` to `.z`, `threadIdx.x` to `.z`, or `vthread`",
         .meaning = "Loops are bound to the axes that a GPU has.",
         .wrong = R"(i, j = sch.get_loops("double")
sch.bind(i, "threads"))",
         .right = R"(i, j = sch.get_loops("double")
sch.bind(i, "threadIdx.x"))"},
    }};
MLC_REFUSALS(primitive_bind, refusals);

static constexpr char doc[] = R"(
bind(loop, thread_axis)      Run the iterations of a loop as threads of a GPU.

    for i in range(e):      =>      for i in T.thread_binding(e, thread="threadIdx.x"):
        S                               S

Thread axes: blockIdx.x y z, threadIdx.x y z, vthread, vthread.x y z.
needs: no iteration reads or overwrites what another one writes; the blocks below are complete or reduction
       blocks with affine bindings, and the loop occurs in spatial iterators only (with threadIdx.* also in
       reductions).
keeps: every block instance, in no particular order.
)";

static void apply(Step& step, LoopArg loop, std::string thread_axis) {
  // check
  static const std::vector<std::string> axes = {"blockIdx.x",  "blockIdx.y",  "blockIdx.z", "threadIdx.x",
                                                "threadIdx.y", "threadIdx.z", "vthread",    "vthread.x",
                                                "vthread.y",   "vthread.z"};
  if (std::find(axes.begin(), axes.end(), thread_axis) == axes.end()) {
    throw refuse(refusals["unknown-thread-axis"], thread_axis)
        .kind("InternalError+ScheduleError")
        .at(step.span(2))
        .help(did_you_mean(thread_axis, axes));
  }
  require_parallelizable(step, loop, thread_axis);

  // apply
  Var var = make_var("", loop->loop()->loop_var->dtype());
  set_loop_kind(step, *loop, ForKind::kThreadBinding,
                make<IterVarNode>(nullptr, var, IterType::kThreadIndex, String(thread_axis)));
}

extern const Primitive bind;
const Primitive bind = primitive<&apply>("Bind", "bind(loop, thread_axis)", doc);

}  // namespace mlc::transform::primitive_bind
