// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/auto_copy.h"

namespace mlc::transform::primitive_read_at {

static constexpr char doc[] = R"(
read_at(loop, block, read_buffer_index, storage_scope) -> block      Copy at a loop what its body reads of a buffer.

    for ko in range(n):                       =>      for ko in range(n):
        for ki in range(4):                               with T.sblock("A_shared"):      # auto_copy
            C[vi] += A[ko * 4 + ki]                           A_shared[v0 * 4 + ax0] = A[v0 * 4 + ax0]
                                                          for ki in range(4):
                                                              C[vi] += A_shared[ko * 4 + ki]

The copy is one block in front of the first statement that reads; its annotation `auto_copy` lets lowering choose how the
copy is spread over threads. Loops around become its iterators.
needs: the scope is a stage pipeline; the loop's body reads the buffer, and does not write it after the first read.
keeps: the values computed.
)";

static SRefNode* apply(Step& step, LoopArg loop, BlockHandleArg block, Any, String storage_scope) {
  return auto_copy(step, loop, block, storage_scope, false);
}

extern const Primitive read_at;
const Primitive read_at =
    primitive<&apply>("ReadAt", "read_at(loop, block, read_buffer_index, storage_scope)", doc);

}  // namespace mlc::transform::primitive_read_at
