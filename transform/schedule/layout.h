// SPDX-License-Identifier: Apache-2.0
// Buffers named by what a block does with them, and buffers whose elements move.
#pragma once

#include <functional>

#include "ir/tir/index_map.h"
#include "transform/schedule/primitive.h"

namespace mlc::transform {

// ("read", 0): how the trace of a step names a buffer of a block.
struct BufferPositionNode final : ffi::Object {
  bool write;
  int64_t index;
  BufferPositionNode(bool write, int64_t index) : write(write), index(index) {}
  MLC_NODE("mlc.s_tir.BufferPosition", BufferPositionNode, ffi::Object);
};
using BufferPosition = Ref<BufferPositionNode>;

// Ranges of a buffer as a function of a block's iterators: min and end of each dimension in turn.
struct AccessRangesNode final : ffi::Object {
  IndexMap ends;
  explicit AccessRangesNode(IndexMap ends) : ends(std::move(ends)) {}
  MLC_NODE("mlc.s_tir.AccessRanges", AccessRangesNode, ffi::Object);
};
using AccessRanges = Ref<AccessRangesNode>;

// The buffer that an argument names: ("read", 0), ("write", 1), its name, or itself. The argument becomes a
// position. Errors: no-such-buffer, wrong-type.
Buffer buffer_at_position(Step& step, size_t argument, const SRefNode& block);
// The strides that a buffer keeps where its elements get another shape of as many dimensions: those that hold
// it. Strides that are known at run time hold what a parameter's argument has, not what is allocated here.
Array<Expr> kept_strides(const BufferTypeNode& type, const Array<Expr>& shape, bool allocated);
// The type of the block's indices.
DataType index_type(const SBlockNode& block);

// The expression with these names of its variables, or with their own: `v3 * v4`.
std::string expr_text(const Expr& e, const std::function<std::string(const Var&)>& name_of = {});
std::string shape_text(const Array<Expr>& shape);  // 16, n * 4
// The map with other values for what it has beside its indices, which are samples of the schedule; without an
// inverse then.
IndexMap with_samples(const IndexMap& map, const std::function<std::optional<Expr>(const Var&)>& value_of);
// lambda i, j: (j, i // 16, i % 16,)
std::string index_map_text(const IndexMap& map);
// lambda vi, vj: [(vi - 1, vi + 1), (0, 128)]
std::string access_ranges_text(const AccessRanges& ranges);

}  // namespace mlc::transform
