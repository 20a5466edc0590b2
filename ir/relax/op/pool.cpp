// SPDX-License-Identifier: Apache-2.0
// Pooling.
#include "ir/relax/infer_layout.h"
#include "ir/relax/layout.h"
#include "ir/relax/operand_checks.h"
#include "ir/relax/window.h"
#include "ir/tir/arith_ops.h"

namespace mlc::relax::operators_pool {
namespace {

Type infer_pool(const CallNode* call, std::string_view axes, const InferContext& context) {
  const TensorTypeNode* data = tensor_operand(call, 0);
  LayoutAttr layout = layout_attr(call, "layout", axes);
  LayoutAttr out_layout = layout_attr(call, "out_layout", axes);
  auto dims = canonical_dims(call, 0, data, layout, context);
  if (!dims) return with_ndim(data, out_layout.ndim());
  std::vector<int64_t> size = ints_attr(call, "pool_size");
  std::vector<int64_t> strides = ints_attr(call, "strides");
  std::vector<int64_t> dilation = ints_attr(call, "dilation");
  std::vector<int64_t> padding = ints_attr(call, "padding");
  bool ceil_mode = bool_attr(call, "ceil_mode");
  Array<Expr> out{(*dims)[0], (*dims)[1]};
  size_t spatial = dims->size() - 2;
  for (size_t k = 0; k < spatial; ++k) {
    const Expr& extent = (*dims)[k + 2];
    int64_t around = padding[k] + padding[k + spatial] - dilation[k] * (size[k] - 1) - 1;
    if (ceil_mode) around += strides[k] - 1;
    Expr windows = ir::add(ir::floordiv(ir::add(extent, dim(around)), dim(strides[k])), dim(1));
    if (ceil_mode) {
      // A last window that begins behind the data, in the padding after it, is left out.
      Expr begin = ir::mul(ir::sub(windows, dim(1)), dim(strides[k]));
      Expr outside = ir::ge(begin, ir::add(extent, dim(padding[k])));
      windows = ir::if_then_else(outside, ir::sub(windows, dim(1)), windows);
    }
    out.push_back(context.simplify(windows));
  }
  return with_dims(data, out_layout.from_canonical(out, context));
}

Type infer_adaptive(const CallNode* call, std::string_view axes, const InferContext& context) {
  const TensorTypeNode* data = tensor_operand(call, 0);
  LayoutAttr layout = layout_attr(call, "layout", axes);
  LayoutAttr out_layout = layout_attr(call, "out_layout", axes);
  auto dims = canonical_dims(call, 0, data, layout, context);
  auto size = optional_ints_attr(call, "output_size");
  if (!dims) {
    bool same = data->shape && !size && string_attr(call, "layout") == string_attr(call, "out_layout");
    return same ? same_type(data) : with_ndim(data, out_layout.ndim());
  }
  if (size) {
    for (size_t k = 0; k < size->size(); ++k) dims->Set(k + 2, dim((*size)[k]));
  }
  return with_dims(data, out_layout.from_canonical(*dims, context));
}

Type infer_pool1d(const CallNode* call, const InferContext& context) {
  return infer_pool(call, "NCW", context);
}
Type infer_pool2d(const CallNode* call, const InferContext& context) {
  return infer_pool(call, "NCHW", context);
}
Type infer_pool3d(const CallNode* call, const InferContext& context) {
  return infer_pool(call, "NCDHW", context);
}
Type infer_adaptive1d(const CallNode* call, const InferContext& context) {
  return infer_adaptive(call, "NCW", context);
}
Type infer_adaptive2d(const CallNode* call, const InferContext& context) {
  return infer_adaptive(call, "NCHW", context);
}
Type infer_adaptive3d(const CallNode* call, const InferContext& context) {
  return infer_adaptive(call, "NCDHW", context);
}

Any build_pool(ApiCall& call, size_t spatial) {
  complete_ints(call, "pool_size", spatial);
  complete_ints(call, "strides", spatial);
  complete_padding(call, "padding", spatial);
  complete_ints(call, "dilation", spatial);
  default_to(call, "out_layout", "layout");
  return call_with_attrs(call, {operand_arg(call, 0)}, 1);
}
Any build_pool1d(ApiCall& call) { return build_pool(call, 1); }
Any build_pool2d(ApiCall& call) { return build_pool(call, 2); }
Any build_pool3d(ApiCall& call) { return build_pool(call, 3); }

Any build_adaptive(ApiCall& call, size_t spatial) {
  if (call.args[1] != nullptr) complete_ints(call, "output_size", spatial);
  default_to(call, "out_layout", "layout");
  return call_with_attrs(call, {operand_arg(call, 0)}, 1);
}
Any build_adaptive1d(ApiCall& call) { return build_adaptive(call, 1); }
Any build_adaptive2d(ApiCall& call) { return build_adaptive(call, 2); }
Any build_adaptive3d(ApiCall& call) { return build_adaptive(call, 3); }

constexpr AttrRows kAdaptiveAttrs{
    {{"output_size", AttrKind::kOptInts}, {"layout", AttrKind::kString}, {"out_layout", AttrKind::kString}}};

constexpr Operator kRows[] = {
    {.signature = "nn.max_pool1d(data, pool_size=1, strides=1, padding=0, dilation=1, ceil_mode=False, "
                  "count_include_pad=False, layout='NCW', out_layout=None)",
     .doc = "The maximum of each window over one spatial axis.",
     .infer = infer_pool1d,
     .attrs = kPoolAttrs.of("Pool1DAttrs"),
     .build = build_pool1d,
     .precision = Precision::kFollow,
     .layout = layout_pool},
    {.signature = "nn.max_pool2d(data, pool_size=1, strides=1, padding=0, dilation=1, "
                  "ceil_mode=False, count_include_pad=False, layout='NCHW', out_layout=None)",
     .doc = "The maximum of each window over two spatial axes.",
     .infer = infer_pool2d,
     .attrs = kPoolAttrs.of("Pool2DAttrs"),
     .build = build_pool2d,
     .precision = Precision::kFollow,
     .layout = layout_pool_split},
    {.signature = "nn.max_pool3d(data, pool_size=1, strides=1, padding=0, "
                  "dilation=1, ceil_mode=False, count_include_pad=False, layout='NCDHW', out_layout=None)",
     .doc = "The maximum of each window over three spatial axes.",
     .infer = infer_pool3d,
     .attrs = kPoolAttrs.of("Pool3DAttrs"),
     .build = build_pool3d,
     .precision = Precision::kFollow,
     .layout = layout_pool},
    {.signature = "nn.avg_pool1d(data, pool_size=1, strides=1, padding=0, dilation=1, ceil_mode=False, "
                  "count_include_pad=True, layout='NCW', out_layout=None)",
     .doc = "The mean of each window over one spatial axis.",
     .infer = infer_pool1d,
     .attrs = kPoolAttrs.of("Pool1DAttrs"),
     .build = build_pool1d,
     .precision = Precision::kFollow,
     .layout = layout_pool},
    {.signature = "nn.avg_pool2d(data, pool_size=1, strides=1, padding=0, dilation=1, "
                  "ceil_mode=False, count_include_pad=False, layout='NCHW', out_layout=None)",
     .doc = "The mean of each window over two spatial axes.",
     .infer = infer_pool2d,
     .attrs = kPoolAttrs.of("Pool2DAttrs"),
     .build = build_pool2d,
     .precision = Precision::kFollow,
     .layout = layout_pool_split},
    {.signature = "nn.avg_pool3d(data, pool_size=1, strides=1, padding=0, "
                  "dilation=1, ceil_mode=False, count_include_pad=True, layout='NCDHW', out_layout=None)",
     .doc = "The mean of each window over three spatial axes.",
     .infer = infer_pool3d,
     .attrs = kPoolAttrs.of("Pool3DAttrs"),
     .build = build_pool3d,
     .precision = Precision::kFollow,
     .layout = layout_pool},
    {.signature = "nn.adaptive_avg_pool1d(data, output_size=None, layout='NCW', out_layout=None)",
     .doc = "Means of as many windows over one spatial axis as `output_size` says.",
     .infer = infer_adaptive1d,
     .attrs = kAdaptiveAttrs.of("AdaptivePool1DAttrs"),
     .build = build_adaptive1d,
     .precision = Precision::kFollow,
     .layout = layout_pool},
    {.signature = "nn.adaptive_avg_pool2d(data, output_size=None, layout='NCHW', out_layout=None)",
     .doc = "Means of as many windows over two spatial axes as `output_size` says.",
     .infer = infer_adaptive2d,
     .attrs = kAdaptiveAttrs.of("AdaptivePool2DAttrs"),
     .build = build_adaptive2d,
     .precision = Precision::kFollow,
     .layout = layout_pool_split},
    {.signature = "nn.adaptive_avg_pool3d(data, output_size=None, layout='NCDHW', out_layout=None)",
     .doc = "Means of as many windows over three spatial axes as `output_size` says.",
     .infer = infer_adaptive3d,
     .attrs = kAdaptiveAttrs.of("AdaptivePool3DAttrs"),
     .build = build_adaptive3d,
     .precision = Precision::kFollow,
     .layout = layout_pool},
};

}  // namespace

extern const Operators pool;
const Operators pool{kRows};

}  // namespace mlc::relax::operators_pool
