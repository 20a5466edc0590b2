// SPDX-License-Identifier: Apache-2.0
// Views: the memory of a buffer under another shape, layout or data type, or a part of it.
#pragma once

#include <map>
#include "frontend/tvmscript/builder/builder.h"

#include "ir/tir/layout_algebra.h"

namespace mlc::tvmscript {

// What a view changes of the buffer it looks at.
struct ViewChange {
  Array<Expr> shape;
  ir::ObjectRef layout;
  std::optional<DataType> dtype = {};
  Expr elem_offset = nullptr;    // null: that of the buffer
  Expr column_offset = nullptr;  // of tensor memory, which has addresses instead of pointers
};
// Declares the view in the function being built. Its name comes with the assignment.
Expr declare_view(Builder& builder, const Buffer& buffer, ViewChange change, Span span);

// The layout of a buffer that views are made of; Error no-layout if it has none.
ir::Layout layout_of(const Buffer& buffer, std::string_view what, Span span);

Expr reshaped(Builder& builder, const Buffer& buffer, Array<Expr> shape, Span span);
Expr permuted(Builder& builder, const Buffer& buffer, std::span<const int64_t> order, Span span);
// One index of a dimension, which disappears.
Expr picked(Builder& builder, const Buffer& buffer, int64_t dim, const Expr& index, Span span);
// `length` indices of a dimension from `start` on.
Expr narrowed(Builder& builder, const Buffer& buffer, int64_t dim, const Expr& start, const Expr& length,
              Span span);
// "(a b) c -> b (a c)", with the sizes of axes that cannot be inferred.
Expr rearranged(Builder& builder, const Buffer& buffer, std::string_view pattern,
                const std::map<std::string, int64_t>& sizes, Span span);

inline Buffer as_buffer(const Expr& e) { return ir::ref(static_cast<const ir::VarNode*>(e.get())); }

}  // namespace mlc::tvmscript
