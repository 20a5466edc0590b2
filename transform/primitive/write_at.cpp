// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/auto_copy.h"

namespace mlc::transform::primitive_write_at {

static constexpr char doc[] = R"(
write_at(loop, block, write_buffer_index, storage_scope) -> block      Write at a loop to another memory first and copy back behind.

    for io in range(n):                       =>      for io in range(n):
        for ii in range(4):                               for ii in range(4):
            C[io * 4 + ii] = f(...)                           C_local[io * 4 + ii] = f(...)
                                                          with T.sblock("C_local"):       # auto_copy
                                                              C[v0 * 4 + ax0] = C_local[v0 * 4 + ax0]

The copy is one block behind the last statement that writes; its annotation `auto_copy` lets lowering choose how the copy
is spread over threads. Loops around become its iterators.
needs: the scope is a stage pipeline; the loop's body writes the buffer, and does not read it after the last write.
keeps: the values computed.
)";

static SRefNode* apply(Step& step, LoopArg loop, BlockHandleArg block, Any, String storage_scope) {
  return auto_copy(step, loop, block, storage_scope, true);
}

extern const Primitive write_at;
const Primitive write_at =
    primitive<&apply>("WriteAt", "write_at(loop, block, write_buffer_index, storage_scope)", doc);

}  // namespace mlc::transform::primitive_write_at
