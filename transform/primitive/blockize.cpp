// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/blockize.h"

namespace mlc::transform::primitive_blockize {

static constexpr char doc[] = R"(
blockize(target, preserve_unit_iters=True) -> block      Make one block of a loop and all below it, or of several blocks.

    for io in range(n):                  =>      for io in range(n):
        for ii in range(4):                          with T.sblock("B_o"):
            with T.sblock("B"):                          vi_o = T.axis.spatial(n, io)
                vi = io * 4 + ii                         for ii in range(4):
                B[vi] = f(A[vi])                             with T.sblock("B"):
                                                                 vi_i = T.axis.spatial(4, ii)
                                                                 B[vi_o * 4 + vi_i] = f(A[vi_o * 4 + vi_i])

`target` is a loop with one block below it, or a list of blocks that stand side by side. Returns the new, outer block. The
init of a reduction becomes the outer block's.
needs: each iterator is an outer part times a whole number of inner steps; a condition tests outer or inner loops only.
keeps: number and order of block instances.
)";

static SRefNode* apply(Step& step, Any target, bool preserve_unit_iters) {
  if (!target.as<LoopRV>()) return blockize_blocks(step, step.blocks(1), preserve_unit_iters);
  LoopArg loop = step.loop(1);
  BlockReuse reuse;
  SBlockRealize outer = blockized_loop(step, loop, preserve_unit_iters, reuse);
  step.replace(*loop, outer, reuse);
  return settle_outer_block(step, outer->block);
}

extern const Primitive blockize;
const Primitive blockize = primitive<&apply>("Blockize", "blockize(target, preserve_unit_iters=True)", doc,
                                             "", "imm:preserve_unit_iters,target");

}  // namespace mlc::transform::primitive_blockize
