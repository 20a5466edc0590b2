// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/buffers.h"
#include "transform/schedule/cache_stage.h"

namespace mlc::transform::primitive_set_scope {

static constexpr char doc[] = R"(
set_scope(block, buffer_index, storage_scope)      Move a buffer that a block writes to another memory.

    B = T.sblock_alloc_buffer((n,))      =>      B_shared = T.sblock_alloc_buffer((n,), scope="shared")

needs: a block allocates the buffer; the memory is one that targets have.
keeps: everything else; views through `T.match_buffer` move too.
)";

static void apply(Step& step, BlockArg block, Any, String storage_scope) {
  // check
  Buffer buffer = choose_buffer(step, 2, *block, block->block()->writes, "writes");
  if (buffer->buffer()->storage_scope == storage_scope) return;
  require_storage_scope(step, 3, storage_scope);
  SRefNode& allocator = allocating_block(*block, buffer, "set_scope", step.span(2));

  // apply
  change_buffer(
      step, allocator, buffer, [&](BufferTypeNode& type) { type.storage_scope = storage_scope; },
      "_" + std::string(storage_scope));
}

extern const Primitive set_scope;
const Primitive set_scope = primitive<&apply>(
    "SetScope", "set_scope(block, buffer_index, storage_scope)", doc, "", "",
    [](std::span<const Any>) -> std::string_view { return "all who use the buffer share its new memory"; });

}  // namespace mlc::transform::primitive_set_scope
