// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/refusals.h"
#include "transform/schedule/sampling.h"

namespace mlc::transform::primitive_unsafe_hide_buffer_access {

static constexpr char doc[] = R"(
unsafe_hide_buffer_access(block, buf_type, buf_index_array)      Drop regions from what a block says it reads or writes.

    T.reads(A[vi], B[vi])      =>      T.reads(B[vi])      # "read", [0]

needs: `buf_type` is "read" or "write"; every index is one of these regions.
keeps: not the signature: steps after this one trust what is left.
)";

static void apply(Step& step, BlockHandleArg block, std::string buf_type, Any buf_index_array) {
  // check
  if (buf_type != "read" && buf_type != "write") {
    throw refuse(shared_refusals["unknown-buffer-role"], buf_type).at(step.span(2));
  }
  const Array<TensorRegion>& regions = buf_type == "read" ? block->block()->reads : block->block()->writes;
  std::vector<bool> hidden(regions.size());
  for (int64_t i : integers(step, 3, buf_index_array)) {
    if (i < 0 || i >= static_cast<int64_t>(regions.size())) {
      throw refuse_as(shared_refusals["no-such-buffer"],
                      "block `{}` has {} {} regions, so there is no number {}", block->name.c_str(),
                      regions.size(), buf_type, i)
          .at(step.span(3));
    }
    hidden[i] = true;
  }

  // apply
  Array<TensorRegion> left;
  for (size_t i = 0; i < regions.size(); ++i) {
    if (!hidden[i]) left.push_back(regions[i]);
  }
  std::shared_ptr<const DeclaredAccesses> declared = block->declared;
  if (!declared) declared = std::make_shared<DeclaredAccesses>(DeclaredAccesses{block->block()->reads, block->block()->writes});
  step.replace(*block, with(ref(block->block()), [&](SBlockNode& copy) {
    (buf_type == "read" ? copy.reads : copy.writes) = left;
  }));
  block->declared = declared;
  step.state.index_of(*block).hides = true;
}

extern const Primitive unsafe_hide_buffer_access;
const Primitive unsafe_hide_buffer_access =
    primitive<&apply>("UnsafeHideBufferAccess", "unsafe_hide_buffer_access(block, buf_type, buf_index_array)",
                      doc, "", "buf_type,buf_index_array", [](std::span<const Any>) -> std::string_view {
                        return "nobody depends on the accesses that are hidden";
                      });

}  // namespace mlc::transform::primitive_unsafe_hide_buffer_access
