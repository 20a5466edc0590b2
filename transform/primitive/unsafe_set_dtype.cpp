// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/buffers.h"
#include "transform/schedule/cache_stage.h"

namespace mlc::transform::primitive_unsafe_set_dtype {

static constexpr char doc[] = R"(
unsafe_set_dtype(block, buffer_index, dtype)      Give a buffer that a block writes another element type.

    B[vi] = A[vi]             =>      B[vi] = T.Cast("float16", A[vi])
    C[vi] = B[vi]                     C[vi] = T.Cast("float32", B[vi])

needs: a block allocates the buffer.
keeps: not the values: they are rounded to the new type.
)";

static void apply(Step& step, BlockArg block, Any, std::string dtype) {
  // check
  Buffer buffer = choose_buffer(step, 2, *block, block->block()->writes, "writes", Naming::kNumbers);
  DataType wanted = DataType::parse(dtype);
  if (DataType(buffer->buffer()->dtype) == wanted) return;
  SRefNode& allocator = allocating_block(*block, buffer, "unsafe_set_dtype", step.span(2));

  // apply
  change_buffer(
      step, allocator, buffer, [&](BufferTypeNode& type) { type.dtype = wanted; }, "");
}

extern const Primitive unsafe_set_dtype;
const Primitive unsafe_set_dtype = primitive<&apply>(
    "UnsafeSetDType", "unsafe_set_dtype(block, buffer_index, dtype)", doc, "", "",
    [](std::span<const Any>) -> std::string_view { return "the values survive the other type"; });

}  // namespace mlc::transform::primitive_unsafe_set_dtype
