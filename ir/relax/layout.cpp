// SPDX-License-Identifier: Apache-2.0
#include "ir/relax/layout.h"

#include "ir/relax/operand_checks.h"
#include "ir/tir/arith_ops.h"

namespace mlc::relax {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "not-a-layout",
         .kind = "InternalError+ValueError",
         .message = "`{}` of `{}` is \"{}\", which is no layout",
         .help = "a layout names each axis once, such as \"NHWC\"; \"NCHW4c\" splits C by 4"},
        {.name = "layout-of-other-axes",
         .message = "`{}` of `{}` is \"{}\", which has not the axes of \"{}\"",
         .help = "the same axes in another order, or with split ones"},
        {.name = "layout-rank", .message = "{} has {} dimensions, but its layout \"{}\" has {}"},
        {.name = "layout-factor",
         .kind = "InternalError+ValueError",
         .message = "dimension {} of {} is {}, but its layout \"{}\" splits by {}"},
    }};
MLC_REFUSALS(relax_layout, refusals);

std::optional<Layout> Layout::parse(std::string_view text) {
  Layout layout;
  int64_t factor = 0;
  auto seen = [&](char name) {
    for (const Axis& axis : layout.axes) {
      if (axis.name == name) return true;
    }
    return false;
  };
  for (char c : text) {
    if (c >= '0' && c <= '9') {
      factor = factor * 10 + (c - '0');
      if (factor > int64_t{1} << 31) return std::nullopt;
      continue;
    }
    bool outer = c >= 'A' && c <= 'Z';
    bool inner = c >= 'a' && c <= 'z';
    if ((!outer && !inner) || outer == (factor > 0) || seen(c)) return std::nullopt;
    layout.axes.push_back({c, factor});
    factor = 0;
  }
  if (factor != 0 || layout.axes.empty()) return std::nullopt;
  for (const Axis& axis : layout.axes) {
    if (!layout.has(axis.outer())) return std::nullopt;
  }
  return layout;
}

std::string Layout::text() const {
  std::string all;
  for (const Axis& axis : axes)
    all += axis.is_inner() ? fmt::format("{}{}", axis.factor, axis.name) : std::string(1, axis.name);
  return all;
}

bool Layout::is_split() const {
  return std::any_of(axes.begin(), axes.end(), [](const Axis& axis) { return axis.is_inner(); });
}
bool Layout::has(char outer) const {
  for (const Axis& axis : axes) {
    if (axis.name == outer) return true;
  }
  return false;
}
int64_t Layout::inner_factor(char outer) const {
  int64_t product = 1;
  bool any = false;
  for (const Axis& axis : axes) {
    if (!axis.is_inner() || axis.outer() != outer) continue;
    product *= axis.factor;
    any = true;
  }
  return any ? product : 0;
}
bool Layout::converts_to(const Layout& other) const {
  for (const Axis& axis : axes) {
    if (!other.has(axis.outer())) return false;
  }
  for (const Axis& axis : other.axes) {
    if (!has(axis.outer())) return false;
  }
  return true;
}

Array<Expr> convert_dims(const Array<Expr>& dims, const Layout& from, const Layout& to,
                         const InferContext& context) {
  Array<Expr> converted;
  for (const Layout::Axis& axis : to.axes) {
    if (axis.is_inner()) {
      converted.push_back(dim(axis.factor));
      continue;
    }
    Expr extent;
    for (size_t i = 0; i < from.axes.size(); ++i) {
      if (from.axes[i].name == axis.name) extent = dims[i];
    }
    if (int64_t factor = from.inner_factor(axis.name)) extent = ir::mul(extent, dim(factor));
    if (int64_t factor = to.inner_factor(axis.name)) extent = ir::ceildiv(extent, dim(factor));
    converted.push_back(context.simplify(extent));
  }
  return converted;
}

LayoutAttr layout_attr(const CallNode* call, std::string_view attr, std::string_view canonical) {
  std::string text = string_attr(call, attr);
  auto layout = Layout::parse(text);
  if (!layout) {
    ir::Error error = ir::refuse(refusals["not-a-layout"], attr, call_name(call), text).at(call->span);
    bool axes_alone = std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    if (axes_alone) throw std::move(error).kind("ValueError");
    throw error;
  }
  Layout wanted = *Layout::parse(canonical);
  if (!layout->converts_to(wanted)) {
    ir::Error error =
        ir::refuse(refusals["layout-of-other-axes"], attr, call_name(call), text, canonical).at(call->span);
    bool all_wanted = std::all_of(wanted.axes.begin(), wanted.axes.end(),
                                  [&](const Layout::Axis& axis) { return layout->has(axis.outer()); });
    if (all_wanted) throw std::move(error).kind("InternalError+ValueError");
    throw error;
  }
  return {*layout, wanted};
}

std::optional<Array<Expr>> canonical_dims(const CallNode* call, size_t i, const TensorTypeNode* type,
                                          const LayoutAttr& layout, const InferContext& context) {
  if (type->knows_ndim() && type->ndim != layout.ndim())
    throw ir::refuse(refusals["layout-rank"], operand_name(call, i), type->ndim, layout.layout.text(),
                     layout.ndim())
        .at(operand_span(call, i));
  const Array<Expr>* dims = written_dims(type);
  if (!dims) return std::nullopt;
  for (size_t k = 0; k < dims->size(); ++k) {
    const Layout::Axis& axis = layout.layout.axes[k];
    auto extent = ir::const_int((*dims)[k]);
    if (axis.is_inner() && extent && *extent != axis.factor)
      throw ir::refuse(refusals["layout-factor"], k, operand_name(call, i), *extent, layout.layout.text(),
                       axis.factor)
          .at(operand_span(call, i));
  }
  return convert_dims(*dims, layout.layout, layout.canonical, context);
}

}  // namespace mlc::relax
