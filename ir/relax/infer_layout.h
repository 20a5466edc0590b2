// SPDX-License-Identifier: Apache-2.0
// Layouts of the tensors of a graph. A pass that changes some of them (ConvertLayout) asks each operator
// which layouts its call takes and gives, and how its attributes read in them: that is the rule of its row
// (Operator::layout). Operators without a rule take and give tensors as they are written.
//
// Here a layout is relative to the program: axis i is the i-th letter, so "ABCD" is a tensor as it is
// written, "ACDB" has axis 1 last, and "ABCD4b" splits axis 1 by 4. A rule may only choose what leaves the
// values as they are: where it cannot, or does not know, it wants the tensors as they are written.
#pragma once

#include "ir/relax/layout.h"

namespace mlc::relax {

// Of each tensor in a value; nothing where that is no tensor, or its rank is not known.
struct ValueLayout {
  std::optional<Layout> tensor;
  std::vector<ValueLayout> fields;  // of a tuple

  static ValueLayout of(Layout layout) { return {std::move(layout), {}}; }
  // As it is written.
  static ValueLayout initial(const Type& type);
  // `layout` for every tensor of the type.
  static ValueLayout same(const Type& type, const Layout& layout);
  bool operator==(const ValueLayout&) const = default;
};

struct LayoutQuery {
  const InferContext& context;
  std::vector<ValueLayout> args;                 // in which the arguments are
  const std::vector<Layout>* desired = nullptr;  // for operators of this name, in their own letters

  const Layout& arg(size_t i) const { return *args[i].tensor; }
};

struct LayoutChoice {
  std::vector<ValueLayout> args;  // wanted; arguments behind the last are as they are written
  ValueLayout result;
  Map<String, Any> attrs;
  std::vector<std::pair<size_t, Expr>> replaced;  // arguments that name axes
};

// How many layouts may be desired for an operator: at least, at most. {0, 0}: it follows its operands.
std::pair<size_t, size_t> desired_layouts(const Operator& row);

// ---- for rules ----
Layout initial_layout(int64_t ndim);
inline int64_t tensor_ndim(const Expr& e) { return type_as<TensorTypeNode>(e)->ndim; }
// All tensors of the call as they are written.
LayoutChoice as_written(const CallNode* call);
// The layout, or the initial one where it splits axes.
Layout unsplit(const Layout& layout);
// Where in the layout the axis of the program is: its outer part. Negative axes count from behind.
int64_t axis_in(const Layout& layout, int64_t axis, int64_t ndim);
// Do the dimensions of the tensor divide by what the layout splits them by?
bool splits_evenly(const Type& type, const Layout& layout, const InferContext& context);
// The attributes with another value of one.
Map<String, Any> with_attr(const Map<String, Any>& attrs, std::string_view name, const Any& value);
Any ints_value(const std::vector<int64_t>& values);

// ---- rules: elementwise, reductions, norms (infer_layout.cpp) ----
LayoutChoice layout_elementwise(const CallNode* call, const LayoutQuery& query);
LayoutChoice layout_broadcast(const CallNode* call, const LayoutQuery& query);
LayoutChoice layout_same_shape(const CallNode* call, const LayoutQuery& query);  // ewise_fma
LayoutChoice layout_reduction(const CallNode* call, const LayoutQuery& query);
LayoutChoice layout_along_axis(const CallNode* call, const LayoutQuery& query);  // attribute `axis`
LayoutChoice layout_prelu(const CallNode* call, const LayoutQuery& query);
LayoutChoice layout_batch_norm(const CallNode* call, const LayoutQuery& query);
LayoutChoice layout_norm(const CallNode* call, const LayoutQuery& query);
LayoutChoice layout_allgather(const CallNode* call, const LayoutQuery& query);
// ---- what has layouts of its own (infer_layout_window.cpp) ----
LayoutChoice layout_conv(const CallNode* call, const LayoutQuery& query);
LayoutChoice layout_conv_split(const CallNode* call, const LayoutQuery& query);  // axes may be split, too
LayoutChoice layout_pool(const CallNode* call, const LayoutQuery& query);
LayoutChoice layout_pool_split(const CallNode* call, const LayoutQuery& query);
LayoutChoice layout_resize(const CallNode* call, const LayoutQuery& query);
// ---- what changes shapes or picks elements (infer_layout_shape.cpp) ----
LayoutChoice layout_concat(const CallNode* call, const LayoutQuery& query);
LayoutChoice layout_stack(const CallNode* call, const LayoutQuery& query);
LayoutChoice layout_split(const CallNode* call, const LayoutQuery& query);
LayoutChoice layout_expand_dims(const CallNode* call, const LayoutQuery& query);
LayoutChoice layout_squeeze(const CallNode* call, const LayoutQuery& query);
LayoutChoice layout_permute_dims(const CallNode* call, const LayoutQuery& query);
LayoutChoice layout_repeat(const CallNode* call, const LayoutQuery& query);
LayoutChoice layout_tile(const CallNode* call, const LayoutQuery& query);
LayoutChoice layout_strided_slice(const CallNode* call, const LayoutQuery& query);
LayoutChoice layout_gather_elements(const CallNode* call, const LayoutQuery& query);
LayoutChoice layout_scatter_elements(const CallNode* call, const LayoutQuery& query);

}  // namespace mlc::relax
