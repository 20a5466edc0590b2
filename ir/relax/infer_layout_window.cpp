// SPDX-License-Identifier: Apache-2.0
// Rules of layouts for operators that have layouts of their own as attributes: convolutions, pooling, resize.
#include "ir/relax/infer_layout.h"
#include "ir/relax/operand_checks.h"

namespace mlc::relax {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "desired-layout-of-other-axes",
         .message = "the layout \"{}\" that is desired for `{}` has not the axes of its `{}`, \"{}\"",
         .help = "the same letters in another order, or with split ones"},
        {.name = "desired-layout-splits",
         .message = "the layout \"{}\" that is desired for `{}` splits an axis",
         .help = "nn.conv2d, nn.conv2d_transpose and nn.conv3d_transpose take layouts that split axes; here "
                 "they can "
                 "only be ordered"},
    }};
MLC_REFUSALS(infer_layout_window, refusals);

namespace {

std::optional<Layout> own_layout(const CallNode* call, std::string_view attr) {
  return Layout::parse(string_attr(call, attr));
}

// The layout `wanted`, in the letters of the operator, of a tensor that the program has in `own`: by their
// numbers.
Layout relative(const Layout& own, const Layout& wanted) {
  Layout layout;
  for (const Layout::Axis& axis : wanted.axes) {
    for (size_t i = 0; i < own.axes.size(); ++i) {
      if (own.axes[i].name != axis.outer()) continue;
      layout.axes.push_back({static_cast<char>((axis.is_inner() ? 'a' : 'A') + i), axis.factor});
    }
  }
  return layout;
}
// The reverse: a layout by numbers in the letters of the operator.
Any absolute(const Layout& own, const Layout& layout) {
  Layout named;
  for (const Layout::Axis& axis : layout.axes) {
    char letter = own.axes[static_cast<size_t>(axis.outer() - 'A')].name;
    named.axes.push_back({axis.is_inner() ? static_cast<char>(letter - 'A' + 'a') : letter, axis.factor});
  }
  return String(named.text());
}

void check_desired(const CallNode* call, const Layout& wanted, std::string_view attr, const Layout& own,
                   bool may_split) {
  if (!own.converts_to(wanted))
    throw ir::refuse(refusals["desired-layout-of-other-axes"], wanted.text(), call_name(call), attr,
                     own.text())
        .at(call->span);
  if (wanted.is_split() && !may_split)
    throw ir::refuse(refusals["desired-layout-splits"], wanted.text(), call_name(call)).at(call->span);
}

// Desired layouts where the channels divide; else the data as it is, and the result in the layout of the
// data.
LayoutChoice conv(const CallNode* call, const LayoutQuery& query, bool may_split) {
  auto data = own_layout(call, "data_layout"), weight = own_layout(call, "kernel_layout");
  auto out = own_layout(call, "out_layout");
  if (!data || !weight || !out || data->is_split() || weight->is_split() || out->is_split())
    return as_written(call);
  auto in = [&](const Layout& x, const Layout& w, const Layout& y) {
    Map<String, Any> attrs = with_attr(call->attrs, "data_layout", absolute(*data, x));
    attrs = with_attr(attrs, "kernel_layout", absolute(*weight, w));
    attrs = with_attr(attrs, "out_layout", absolute(*out, y));
    return LayoutChoice{{ValueLayout::of(x), ValueLayout::of(w)}, ValueLayout::of(y), attrs, {}};
  };
  if (query.desired) {
    const std::vector<Layout>& desired = *query.desired;
    const Layout& result = desired.size() == 3 ? desired[2] : desired[0];
    check_desired(call, desired[0], "data_layout", *data, may_split);
    check_desired(call, desired[1], "kernel_layout", *weight, may_split);
    check_desired(call, result, "out_layout", *out, may_split);
    Layout x = relative(*data, desired[0]), w = relative(*weight, desired[1]), y = relative(*out, result);
    bool divides = splits_evenly(call->args[0]->ty, x, query.context) &&
                   splits_evenly(call->args[1]->ty, w, query.context) &&
                   splits_evenly(call->ty, y, query.context);
    return divides ? in(x, w, y) : as_written(call);
  }
  const Layout &x = query.arg(0), &w = query.arg(1);
  return x.is_split() || w.is_split() ? as_written(call) : in(x, w, x);
}

// Windows move over axes that are whole.
LayoutChoice pool(const CallNode* call, const LayoutQuery& query, bool may_split) {
  auto own = own_layout(call, "layout"), out = own_layout(call, "out_layout");
  const Layout& layout = query.arg(0);
  if (!own || !out || own->is_split() || out->is_split()) return as_written(call);
  bool windows_split = std::any_of(layout.axes.begin(), layout.axes.end(), [&](const Layout::Axis& axis) {
    char letter = own->axes[static_cast<size_t>(axis.outer() - 'A')].name;
    return axis.is_inner() && (!may_split || letter == 'H' || letter == 'W');
  });
  if (windows_split) return as_written(call);
  Map<String, Any> attrs = with_attr(call->attrs, "layout", absolute(*own, layout));
  attrs = with_attr(attrs, "out_layout", absolute(*out, layout));
  return {{ValueLayout::of(layout)}, ValueLayout::of(layout), attrs, {}};
}

}  // namespace

LayoutChoice layout_conv(const CallNode* call, const LayoutQuery& query) { return conv(call, query, false); }
LayoutChoice layout_conv_split(const CallNode* call, const LayoutQuery& query) {
  return conv(call, query, true);
}
LayoutChoice layout_pool(const CallNode* call, const LayoutQuery& query) { return pool(call, query, false); }
LayoutChoice layout_pool_split(const CallNode* call, const LayoutQuery& query) {
  return pool(call, query, true);
}

LayoutChoice layout_resize(const CallNode* call, const LayoutQuery& query) {
  auto own = own_layout(call, "layout");
  if (!own || own->is_split()) return as_written(call);
  Layout layout = unsplit(query.arg(0));
  if (query.desired) {
    check_desired(call, query.desired->front(), "layout", *own, false);
    layout = relative(*own, query.desired->front());
  }
  return {{ValueLayout::of(layout)},
          ValueLayout::of(layout),
          with_attr(call->attrs, "layout", absolute(*own, layout)),
          {}};
}

std::pair<size_t, size_t> desired_layouts(const Operator& row) {
  if (row.layout == layout_conv || row.layout == layout_conv_split) return {2, 3};
  if (row.layout == layout_resize) return {1, 1};
  return {0, 0};
}

}  // namespace mlc::relax
