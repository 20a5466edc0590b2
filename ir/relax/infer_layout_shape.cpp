// SPDX-License-Identifier: Apache-2.0
// Rules of layouts for operators that change shapes or pick elements.
#include "ir/relax/infer_layout.h"
#include "ir/relax/operand_checks.h"

namespace mlc::relax {

namespace {

int64_t rank_of(const Expr& e) { return type_as<TensorTypeNode>(e)->ndim; }

LayoutChoice one_operand(const CallNode* call, const Layout& operand, const Layout& result,
                         const Map<String, Any>& attrs) {
  LayoutChoice choice = as_written(call);
  choice.args[0] = ValueLayout::of(operand);
  choice.result = ValueLayout::same(call->ty, result);
  choice.attrs = attrs;
  return choice;
}

// The axis of letter `number` under another letter.
Layout::Axis renumbered(const Layout::Axis& axis, int64_t number) {
  return {static_cast<char>((axis.is_inner() ? 'a' : 'A') + number), axis.factor};
}
int64_t number_of(const Layout::Axis& axis) { return axis.outer() - 'A'; }

bool is_initial(const Layout& layout) { return layout == initial_layout(layout.ndim()); }

}  // namespace

// All in the layout of the first; where only some split axes, in that of the first that does not.
LayoutChoice layout_concat(const CallNode* call, const LayoutQuery& query) {
  const std::vector<ValueLayout>& tensors = query.args[0].fields;
  auto plain = std::find_if(tensors.begin(), tensors.end(),
                            [](const ValueLayout& each) { return !each.tensor->is_split(); });
  Layout layout = *tensors[0].tensor;
  if (layout.is_split() || std::any_of(tensors.begin(), tensors.end(),
                                       [](const ValueLayout& each) { return each.tensor->is_split(); })) {
    if (plain != tensors.end()) layout = *plain->tensor;
    const auto* types = type_as<TupleTypeNode>(call->args[0]);
    for (const Type& type : types->elements) {
      if (!splits_evenly(type, layout, query.context)) layout = unsplit(layout);
    }
  }
  int64_t ndim = unsplit(layout).ndim();
  int64_t axis = optional_int_attr(call, "axis").value_or(0);
  return {{ValueLayout::same(call->args[0]->ty, layout)},
          ValueLayout::of(layout),
          with_attr(call->attrs, "axis", Any(axis_in(layout, axis, ndim))),
          {}};
}

// The new axis lies before the one whose number it takes.
LayoutChoice layout_stack(const CallNode* call, const LayoutQuery& query) {
  Layout layout = unsplit(*query.args[0].fields[0].tensor);
  int64_t ndim = layout.ndim();
  int64_t axis = optional_int_attr(call, "axis").value_or(0);
  if (axis < 0) axis += ndim + 1;
  int64_t position = axis == ndim ? ndim : axis_in(layout, axis, ndim);
  Layout result;
  for (const Layout::Axis& each : layout.axes)
    result.axes.push_back(renumbered(each, number_of(each) + (number_of(each) >= axis ? 1 : 0)));
  result.axes.insert(result.axes.begin() + position, {static_cast<char>('A' + axis), 0});
  return {{ValueLayout::same(call->args[0]->ty, layout)},
          ValueLayout::of(result),
          with_attr(call->attrs, "axis", Any(position)),
          {}};
}

// Parts of a split axis: as many, and each divides; where they begin is counted in elements of the whole
// axis.
LayoutChoice layout_split(const CallNode* call, const LayoutQuery& query) {
  Layout layout = query.arg(0);
  int64_t ndim = rank_of(call->args[0]);
  int64_t axis = (int_attr(call, "axis") + ndim) % ndim;
  if (layout.inner_factor(static_cast<char>('A' + axis)) != 0) {
    const auto* parts = as_type<TupleTypeNode>(call->ty);
    bool divides = attr(call, "indices_or_sections").try_cast<int64_t>().has_value() && parts;
    for (size_t i = 0; divides && i < parts->elements.size(); ++i)
      divides = splits_evenly(parts->elements[i], layout, query.context);
    if (!divides) layout = unsplit(layout);
  }
  return one_operand(call, layout, layout, with_attr(call->attrs, "axis", Any(axis_in(layout, axis, ndim))));
}

LayoutChoice layout_expand_dims(const CallNode* call, const LayoutQuery& query) {
  Layout layout = unsplit(query.arg(0));
  std::vector<int64_t> axes = ints_attr(call, "axis");
  int64_t ndim = layout.ndim() + static_cast<int64_t>(axes.size());
  std::vector<bool> is_new(static_cast<size_t>(ndim), false);
  for (int64_t axis : axes) is_new[static_cast<size_t>((axis + ndim) % ndim)] = true;
  std::vector<int64_t> old;  // numbers in the result
  for (int64_t i = 0; i < ndim; ++i) {
    if (!is_new[static_cast<size_t>(i)]) old.push_back(i);
  }
  Layout result;
  for (int64_t i = 0, j = 0; i < ndim; ++i) {
    int64_t number = is_new[static_cast<size_t>(i)]
                         ? i
                         : old[static_cast<size_t>(number_of(layout.axes[static_cast<size_t>(j++)]))];
    result.axes.push_back({static_cast<char>('A' + number), 0});
  }
  return one_operand(call, layout, result, call->attrs);
}

// Axes that are named but are not 1 stay, as the type of the result says.
LayoutChoice layout_squeeze(const CallNode* call, const LayoutQuery& query) {
  const auto* type = type_as<TensorTypeNode>(call->args[0]);
  const Array<Expr>* dims = written_dims(type);
  if (!dims) return as_written(call);
  Layout layout = unsplit(query.arg(0));
  auto is_one = [&](int64_t i) { return ir::const_int((*dims)[static_cast<size_t>(i)]) == 1; };
  std::vector<bool> removed(dims->size(), false);
  if (auto axes = optional_ints_attr(call, "axis")) {
    for (int64_t axis : *axes) {
      int64_t i = (axis + type->ndim) % type->ndim;
      removed[static_cast<size_t>(i)] = is_one(i) || !ir::const_int((*dims)[static_cast<size_t>(i)]);
    }
  } else {
    for (int64_t i = 0; i < type->ndim; ++i) removed[static_cast<size_t>(i)] = is_one(i);
  }
  std::vector<int64_t> moved;
  Layout result;
  for (size_t i = 0; i < layout.axes.size(); ++i) {
    auto number = number_of(layout.axes[i]);
    if (removed[static_cast<size_t>(number)]) {
      moved.push_back(static_cast<int64_t>(i));
    } else {
      auto before = std::count(removed.begin(), removed.begin() + number, true);
      result.axes.push_back(renumbered(layout.axes[i], number - before));
    }
  }
  return one_operand(call, layout, result, with_attr(call->attrs, "axis", ints_value(moved)));
}

// The result as it is written: the permutation takes in what the layout has moved.
LayoutChoice layout_permute_dims(const CallNode* call, const LayoutQuery& query) {
  Layout layout = unsplit(query.arg(0));
  int64_t ndim = layout.ndim();
  std::vector<int64_t> moved;
  auto axes = optional_ints_attr(call, "axes");
  for (int64_t i = 0; i < ndim; ++i)
    moved.push_back(axis_in(layout, axes ? (*axes)[static_cast<size_t>(i)] : ndim - 1 - i, ndim));
  return one_operand(call, layout, initial_layout(ndim), with_attr(call->attrs, "axes", ints_value(moved)));
}

// Without an axis elements are repeated in their order.
LayoutChoice layout_repeat(const CallNode* call, const LayoutQuery& query) {
  auto axis = optional_int_attr(call, "axis");
  if (!axis) return as_written(call);
  Layout layout = unsplit(query.arg(0));
  return one_operand(call, layout, layout,
                     with_attr(call->attrs, "axis", Any(axis_in(layout, *axis, layout.ndim()))));
}

LayoutChoice layout_tile(const CallNode* call, const LayoutQuery& query) {
  Layout layout = unsplit(query.arg(0));
  std::vector<int64_t> repeats = ints_attr(call, "repeats");
  int64_t added = std::max<int64_t>(static_cast<int64_t>(repeats.size()) - layout.ndim(), 0);
  int64_t missing = layout.ndim() + added - static_cast<int64_t>(repeats.size());
  repeats.insert(repeats.begin(), static_cast<size_t>(missing), 1);
  std::vector<int64_t> moved(repeats.begin(), repeats.begin() + added);
  Layout result = initial_layout(added);
  for (const Layout::Axis& axis : layout.axes) {
    moved.push_back(repeats[static_cast<size_t>(number_of(axis) + added)]);
    result.axes.push_back(renumbered(axis, number_of(axis) + added));
  }
  return one_operand(call, layout, result, with_attr(call->attrs, "repeats", ints_value(moved)));
}

LayoutChoice layout_strided_slice(const CallNode* call, const LayoutQuery& query) {
  auto* axes = as<TupleNode>(call->args[1]);
  if (!axes) return as_written(call);
  Layout layout = unsplit(query.arg(0));
  Array<Expr> moved;
  for (const Expr& axis : axes->elements) {
    auto number = ir::const_int(axis);
    if (!number) return as_written(call);
    moved.push_back(dim(axis_in(layout, *number, layout.ndim())));
  }
  LayoutChoice choice = one_operand(call, layout, layout, call->attrs);
  choice.replaced.emplace_back(1, make<TupleNode>(moved));
  return choice;
}

LayoutChoice layout_gather_elements(const CallNode* call, const LayoutQuery& query) {
  const Layout &data = query.arg(0), &indices = query.arg(1);
  Layout layout = unsplit(is_initial(data) && !is_initial(indices) ? indices : data);
  Any axis(axis_in(layout, int_attr(call, "axis"), rank_of(call->args[0])));
  return {{ValueLayout::of(layout), ValueLayout::of(layout)},
          ValueLayout::of(layout),
          with_attr(call->attrs, "axis", axis),
          {}};
}

LayoutChoice layout_scatter_elements(const CallNode* call, const LayoutQuery& query) {
  Layout layout = unsplit(query.args[1] == query.args[2] ? query.arg(1) : query.arg(0));
  Any axis(axis_in(layout, int_attr(call, "axis"), rank_of(call->args[0])));
  return {std::vector<ValueLayout>(3, ValueLayout::of(layout)),
          ValueLayout::of(layout),
          with_attr(call->attrs, "axis", axis),
          {}};
}

}  // namespace mlc::relax
