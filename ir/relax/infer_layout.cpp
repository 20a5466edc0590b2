// SPDX-License-Identifier: Apache-2.0
// Rules of layouts for elementwise operators, reductions and norms, and what all rules share.
#include "ir/relax/infer_layout.h"

#include "ir/relax/operand_checks.h"
#include "ir/tir/arith_ops.h"

namespace mlc::relax {

// ---- layouts of values ----

namespace {
constexpr int64_t kLetters = 26;
}

ValueLayout ValueLayout::initial(const Type& type) {
  if (const auto* tuple = as_type<TupleTypeNode>(type)) {
    ValueLayout all;
    for (const Type& field : tuple->elements) all.fields.push_back(initial(field));
    return all;
  }
  const auto* tensor = as_type<TensorTypeNode>(type);
  if (!tensor || !tensor->knows_ndim() || tensor->ndim > kLetters) return {};
  return of(initial_layout(tensor->ndim));
}

ValueLayout ValueLayout::same(const Type& type, const Layout& layout) {
  if (const auto* tuple = as_type<TupleTypeNode>(type)) {
    ValueLayout all;
    for (const Type& field : tuple->elements) all.fields.push_back(same(field, layout));
    return all;
  }
  return of(layout);
}

Layout initial_layout(int64_t ndim) {
  Layout layout;
  for (int64_t i = 0; i < ndim; ++i) layout.axes.push_back({static_cast<char>('A' + i), 0});
  return layout;
}

Layout unsplit(const Layout& layout) {
  if (!layout.is_split()) return layout;
  return initial_layout(std::count_if(layout.axes.begin(), layout.axes.end(),
                                      [](const Layout::Axis& axis) { return !axis.is_inner(); }));
}

int64_t axis_in(const Layout& layout, int64_t axis, int64_t ndim) {
  char letter = static_cast<char>('A' + (axis + ndim) % ndim);
  auto found = std::find_if(layout.axes.begin(), layout.axes.end(),
                            [&](const Layout::Axis& each) { return each.name == letter; });
  return found - layout.axes.begin();
}

bool splits_evenly(const Type& type, const Layout& layout, const InferContext& context) {
  if (!layout.is_split()) return true;
  const Array<Expr>* dims = written_dims(as_type<TensorTypeNode>(type));
  if (!dims) return false;
  return std::all_of(layout.axes.begin(), layout.axes.end(), [&](const Layout::Axis& axis) {
    if (!axis.is_inner()) return true;
    Expr extent = (*dims)[static_cast<size_t>(axis.outer() - 'A')];
    return context.proves_equal(ir::floormod(extent, dim(axis.factor)), dim(0));
  });
}

Map<String, Any> with_attr(const Map<String, Any>& attrs, std::string_view name, const Any& value) {
  Map<String, Any> next;  // in the order in which they are printed
  for (const auto& [key, old] : attrs)
    next.Set(key, std::string_view(key.data(), key.size()) == name ? value : old);
  return next;
}

Any ints_value(const std::vector<int64_t>& values) {
  Array<Any> all;
  for (int64_t value : values) all.push_back(Any(value));
  return all;
}

LayoutChoice as_written(const CallNode* call) {
  LayoutChoice choice{{}, ValueLayout::initial(call->ty), call->attrs, {}};
  for (const Expr& arg : call->args) choice.args.push_back(ValueLayout::initial(arg->ty));
  return choice;
}

// ---- rules ----

namespace {

std::vector<int64_t> axes_in(const Layout& layout, const std::vector<int64_t>& axes, int64_t ndim) {
  std::vector<int64_t> moved;
  for (int64_t axis : axes) moved.push_back(axis_in(layout, axis, ndim));
  return moved;
}

bool splits_one_of(const Layout& layout, const std::vector<int64_t>& axes, int64_t ndim) {
  return std::any_of(axes.begin(), axes.end(), [&](int64_t axis) {
    return layout.inner_factor(static_cast<char>('A' + (axis + ndim) % ndim)) != 0;
  });
}

// The layout of a tensor of `ndim` dimensions that one of this layout is broadcast to.
Layout broadcast_layout(const Layout& layout, int64_t ndim) {
  auto added = static_cast<char>(ndim - layout.ndim());
  Layout wide = initial_layout(added);
  for (const Layout::Axis& axis : layout.axes) wide.axes.push_back({static_cast<char>(axis.name + added), 0});
  return wide;
}

// The data in `layout`, the other operands as they are written.
LayoutChoice data_in(const CallNode* call, const Layout& layout) {
  LayoutChoice choice = as_written(call);
  choice.args[0] = ValueLayout::of(layout);
  choice.result = ValueLayout::same(call->ty, layout);
  return choice;
}

}  // namespace

LayoutChoice layout_elementwise(const CallNode* call, const LayoutQuery& query) {
  return data_in(call, query.arg(0));
}

// The results of the workers are joined along axis 0, which must be what is outermost.
LayoutChoice layout_allgather(const CallNode* call, const LayoutQuery& query) {
  const Layout& layout = query.arg(0);
  bool first = !layout.axes.empty() && layout.axes[0].name == 'A' && layout.inner_factor('A') == 0;
  return first ? data_in(call, layout) : as_written(call);
}

// Split axes: in that layout, where the other operand divides by it. Else the operand of fewer dimensions, of
// two that are equal the first, says how both are.
LayoutChoice layout_broadcast(const CallNode* call, const LayoutQuery& query) {
  const auto* a = type_as<TensorTypeNode>(call->args[0]);
  const auto* b = type_as<TensorTypeNode>(call->args[1]);
  if (!a || !b) return as_written(call);  // a number
  auto in = [&](const Layout& x, const Layout& y, const Layout& result) {
    return LayoutChoice{{ValueLayout::of(x), ValueLayout::of(y)}, ValueLayout::of(result), call->attrs, {}};
  };
  const Layout &x = query.arg(0), &y = query.arg(1);
  if ((x.is_split() || y.is_split()) && a->ndim == b->ndim) {
    bool first = x.ndim() >= y.ndim();
    const Layout& wanted = first ? x : y;
    if (splits_evenly(call->args[first ? 1 : 0]->ty, wanted, query.context))
      return in(wanted, wanted, wanted);
  }
  if (a->ndim == 0) return in(x, y, y);
  if (b->ndim == 0) return in(x, y, x);
  if (a->ndim <= b->ndim) {
    Layout narrow = unsplit(x), wide = broadcast_layout(narrow, b->ndim);
    return in(narrow, wide, wide);
  }
  Layout narrow = unsplit(y), wide = broadcast_layout(narrow, a->ndim);
  return in(wide, narrow, wide);
}

LayoutChoice layout_same_shape(const CallNode* call, const LayoutQuery& query) {
  const Layout& layout = query.arg(1) == query.arg(2) ? query.arg(1) : query.arg(0);
  std::vector<ValueLayout> all(3, ValueLayout::of(layout));
  return {all, ValueLayout::of(layout), call->attrs, {}};
}

// All parts of the axes are reduced. Those that are left keep their order; kept dimensions are 1, which
// nothing splits.
LayoutChoice layout_reduction(const CallNode* call, const LayoutQuery& query) {
  int64_t ndim = tensor_ndim(call->args[0]);
  std::vector<bool> reduced(static_cast<size_t>(ndim), false);
  std::vector<int64_t> all;
  for (int64_t i = 0; i < ndim; ++i) all.push_back(i);
  std::vector<int64_t> axes = optional_ints_attr(call, "axis").value_or(all);
  for (int64_t axis : axes) reduced[static_cast<size_t>((axis + ndim) % ndim)] = true;
  bool keepdims = bool_attr(call, "keepdims");
  Layout layout = query.arg(0);
  if (keepdims && splits_one_of(layout, axes, ndim)) layout = unsplit(layout);

  std::vector<int64_t> moved;
  Layout left;
  for (size_t i = 0; i < layout.axes.size(); ++i) {
    Layout::Axis axis = layout.axes[i];
    auto number = static_cast<size_t>(axis.outer() - 'A');
    if (reduced[number]) {
      moved.push_back(static_cast<int64_t>(i));
    } else {
      auto before = std::count(reduced.begin(), reduced.begin() + static_cast<ptrdiff_t>(number), true);
      left.axes.push_back({static_cast<char>(axis.name - before), axis.factor});
    }
  }
  LayoutChoice choice = data_in(call, layout);
  choice.result = ValueLayout::of(keepdims ? layout : left);
  choice.attrs = with_attr(call->attrs, "axis", ints_value(moved));
  return choice;
}

LayoutChoice layout_along_axis(const CallNode* call, const LayoutQuery& query) {
  Layout layout = unsplit(query.arg(0));
  LayoutChoice choice = data_in(call, layout);
  int64_t ndim = tensor_ndim(call->args[0]);
  if (ndim == 0) return choice;
  choice.attrs = with_attr(call->attrs, "axis", Any(axis_in(layout, int_attr(call, "axis"), ndim)));
  return choice;
}

LayoutChoice layout_prelu(const CallNode* call, const LayoutQuery& query) {
  LayoutChoice choice = layout_along_axis(call, query);
  choice.args[1] = query.args[1];
  return choice;
}

LayoutChoice layout_batch_norm(const CallNode* call, const LayoutQuery& query) {
  Layout layout = unsplit(query.arg(0));
  LayoutChoice choice = as_written(call);
  choice.args[0] = choice.result.fields[0] = ValueLayout::of(layout);
  choice.attrs = with_attr(call->attrs, "axis",
                           Any(axis_in(layout, int_attr(call, "axis"), tensor_ndim(call->args[0]))));
  return choice;
}

// layer_norm, group_norm, instance_norm, rms_norm. Weights of several dimensions have those of `axes` in
// their order.
LayoutChoice layout_norm(const CallNode* call, const LayoutQuery& query) {
  int64_t ndim = tensor_ndim(call->args[0]);
  std::vector<int64_t> axes = ints_attr(call, "axes");
  bool channels = call->attrs.count("channel_axis") != 0;
  std::vector<int64_t> named = axes;
  if (channels) named.push_back(int_attr(call, "channel_axis"));
  Layout layout = query.arg(0);
  if (splits_one_of(layout, named, ndim)) layout = unsplit(layout);
  std::vector<int64_t> moved = axes_in(layout, axes, ndim);
  bool weights = call->args.size() == 2, sorted = std::is_sorted(moved.begin(), moved.end());
  bool last = !moved.empty() && moved.front() == layout.ndim() - static_cast<int64_t>(moved.size());
  if (!channels && (!sorted || (weights && !last))) {
    layout = initial_layout(ndim);
    moved = axes_in(layout, axes, ndim);
  }
  LayoutChoice choice = data_in(call, layout);
  choice.attrs = with_attr(call->attrs, "axes", ints_value(moved));
  if (channels)
    choice.attrs =
        with_attr(choice.attrs, "channel_axis", Any(axis_in(layout, int_attr(call, "channel_axis"), ndim)));
  return choice;
}

}  // namespace mlc::relax
