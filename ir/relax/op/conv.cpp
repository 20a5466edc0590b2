// SPDX-License-Identifier: Apache-2.0
// Convolutions.
#include "ir/relax/infer_layout.h"
#include "ir/relax/layout.h"
#include "ir/relax/operand_checks.h"
#include "ir/relax/origin.h"
#include "ir/relax/window.h"
#include "ir/tir/arith_ops.h"

namespace mlc::relax::operators_conv {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "conv-groups",
         .kind = "InternalError+ValueError",
         .message = "`{}` in {} groups: there must be at least 1"},
        {.name = "conv-channels",
         .message = "`{}`: {} channels of `data` are not {} groups of the {} input channels of `weight`",
         .help = "dimension I of `weight` is the number of channels of `data` divided by `groups`"},
        {.name = "conv-transpose-channels", .message = "`{}`: `data` has {} channels, but `weight` takes {}"},
        {.name = "conv-channels-not-divisible",
         .message = "`{}`: the {} {} channels are not divisible by {} groups"},
        {.name = "conv-output-padding",
         .message = "`{}`: `output_padding` {} is not less than the stride {}",
         .help = "a greater one would add elements that no element of `data` reaches"},
    }};
MLC_REFUSALS(op_conv, refusals);

namespace {

struct Operands {
  std::optional<Array<Expr>> data, weight;  // in canonical order
  LayoutAttr out;
  DataType dtype;
  VDevice vdevice;
};

Operands operands_of(const CallNode* call, std::string_view data_axes, std::string_view weight_axes,
                     const InferContext& context) {
  const TensorTypeNode* data = tensor_operand(call, 0);
  const TensorTypeNode* weight = tensor_operand(call, 1);
  LayoutAttr data_layout = layout_attr(call, "data_layout", data_axes);
  LayoutAttr weight_layout = layout_attr(call, "kernel_layout", weight_axes);
  LayoutAttr out = layout_attr(call, "out_layout", data_axes);
  auto data_dims = canonical_dims(call, 0, data, data_layout, context);
  auto weight_dims = canonical_dims(call, 1, weight, weight_layout, context);
  DataType dtype = dtype_attr(call, "out_dtype");
  if (dtype.is_void()) dtype = common_dtype(call, data, weight);
  const TensorTypeNode* both[] = {data, weight};
  return {data_dims, weight_dims, out, dtype, common_vdevice(call, both)};
}

// Is it known that `groups` does not divide the dimension?
bool never_divisible(const Expr& extent, int64_t groups, const InferContext& context) {
  auto rest = ir::const_int(context.simplify(ir::floormod(extent, dim(groups))));
  return rest && *rest != 0;
}

// The channels of the data do not fit those of the weight.
[[noreturn]] void refuse_channels(ir::Error&& found, const CallNode* call, const Expr& data,
                                  const Expr& weight, const InferContext& context) {
  ir::Error error = std::move(found).at(operand_span(call, 1));
  explain_dim(error, call->args[0], data, context);
  explain_dim(error, call->args[1], weight, context);
  throw error;
}

// Of n spatial axes; the axes are N C and these, and O I and these.
Type infer_conv(const CallNode* call, std::string_view data_axes, std::string_view weight_axes,
                const InferContext& context) {
  Operands operands = operands_of(call, data_axes, weight_axes, context);
  if (!operands.data || !operands.weight)
    return tensor_type(operands.dtype, operands.out.ndim(), operands.vdevice);
  const Array<Expr>& data = *operands.data;
  const Array<Expr>& weight = *operands.weight;
  int64_t groups = int_attr(call, "groups");
  if (context.proves_different(data[1], ir::mul(weight[1], dim(groups))))
    refuse_channels(ir::refuse(refusals["conv-channels"], call_name(call), dim_text(data[1]), groups,
                               dim_text(weight[1])),
                    call, data[1], weight[1], context);
  if (never_divisible(weight[0], groups, context))
    throw ir::refuse(refusals["conv-channels-not-divisible"], call_name(call), dim_text(weight[0]), "output",
                     groups)
        .at(operand_span(call, 1));
  std::vector<int64_t> strides = ints_attr(call, "strides");
  std::vector<int64_t> padding = ints_attr(call, "padding");
  std::vector<int64_t> dilation = ints_attr(call, "dilation");
  Array<Expr> out{data[0], weight[0]};
  size_t spatial = data.size() - 2;
  for (size_t k = 0; k < spatial; ++k) {
    Expr padded = ir::add(data[k + 2], dim(padding[k] + padding[k + spatial]));
    Expr reach = ir::mul(dim(dilation[k]), ir::sub(weight[k + 2], dim(1)));
    Expr last = ir::sub(ir::sub(padded, reach), dim(1));
    out.push_back(context.simplify(ir::add(ir::floordiv(last, dim(strides[k])), dim(1))));
  }
  return tensor_type(operands.out.from_canonical(out, context), operands.dtype, operands.vdevice);
}

// The axes of the weight are I O and the spatial ones.
Type infer_conv_transpose(const CallNode* call, std::string_view data_axes, std::string_view weight_axes,
                          const InferContext& context) {
  Operands operands = operands_of(call, data_axes, weight_axes, context);
  if (!operands.data || !operands.weight)
    return tensor_type(operands.dtype, operands.out.ndim(), operands.vdevice);
  const Array<Expr>& data = *operands.data;
  const Array<Expr>& weight = *operands.weight;
  int64_t groups = int_attr(call, "groups");
  if (context.proves_different(data[1], weight[0]))
    refuse_channels(ir::refuse(refusals["conv-transpose-channels"], call_name(call), dim_text(data[1]),
                               dim_text(weight[0])),
                    call, data[1], weight[0], context);
  if (never_divisible(weight[0], groups, context))
    throw ir::refuse(refusals["conv-channels-not-divisible"], call_name(call), dim_text(weight[0]), "input",
                     groups)
        .at(operand_span(call, 1));
  std::vector<int64_t> strides = ints_attr(call, "strides");
  std::vector<int64_t> padding = ints_attr(call, "padding");
  std::vector<int64_t> output_padding = ints_attr(call, "output_padding");
  std::vector<int64_t> dilation = ints_attr(call, "dilation");
  Array<Expr> out{data[0], ir::mul(weight[1], dim(groups))};
  size_t spatial = data.size() - 2;
  for (size_t k = 0; k < spatial; ++k) {
    if (output_padding[k] >= strides[k])
      throw ir::refuse(refusals["conv-output-padding"], call_name(call), output_padding[k], strides[k])
          .at(call->span);
    Expr inner = ir::mul(ir::sub(data[k + 2], dim(1)), dim(strides[k]));
    Expr reach = ir::mul(dim(dilation[k]), ir::sub(weight[k + 2], dim(1)));
    out.push_back(context.simplify(
        ir::add(ir::add(inner, reach), dim(output_padding[k] + 1 - padding[k] - padding[k + spatial]))));
  }
  return tensor_type(operands.out.from_canonical(out, context), operands.dtype, operands.vdevice);
}

Type infer_conv1d(const CallNode* call, const InferContext& context) {
  return infer_conv(call, "NCW", "OIW", context);
}
Type infer_conv2d(const CallNode* call, const InferContext& context) {
  return infer_conv(call, "NCHW", "OIHW", context);
}
Type infer_conv3d(const CallNode* call, const InferContext& context) {
  return infer_conv(call, "NCDHW", "OIDHW", context);
}
Type infer_conv1d_transpose(const CallNode* call, const InferContext& context) {
  return infer_conv_transpose(call, "NCW", "IOW", context);
}
Type infer_conv2d_transpose(const CallNode* call, const InferContext& context) {
  return infer_conv_transpose(call, "NCHW", "IOHW", context);
}
Type infer_conv3d_transpose(const CallNode* call, const InferContext& context) {
  return infer_conv_transpose(call, "NCDHW", "IODHW", context);
}

Any build_conv(ApiCall& call, size_t spatial, bool transposed) {
  complete_ints(call, "strides", spatial);
  complete_padding(call, "padding", spatial);
  if (transposed) complete_ints(call, "output_padding", spatial);
  complete_ints(call, "dilation", spatial);
  default_to(call, "out_layout", "data_layout");
  size_t groups = parameter_index(call, "groups");
  int64_t count = attr_arg(call, groups, AttrKind::kInt).cast<int64_t>();
  if (count < 1) throw ir::refuse(refusals["conv-groups"], call.api.path(), count).at(call.span_of(groups));
  return call_with_attrs(call, {operand_arg(call, 0), operand_arg(call, 1)}, 2);
}
Any build_conv1d(ApiCall& call) { return build_conv(call, 1, false); }
Any build_conv2d(ApiCall& call) { return build_conv(call, 2, false); }
Any build_conv3d(ApiCall& call) { return build_conv(call, 3, false); }
Any build_conv1d_transpose(ApiCall& call) { return build_conv(call, 1, true); }
Any build_conv2d_transpose(ApiCall& call) { return build_conv(call, 2, true); }
Any build_conv3d_transpose(ApiCall& call) { return build_conv(call, 3, true); }

constexpr AttrRows kConvAttrs{{{"strides", AttrKind::kInts},
                               {"padding", AttrKind::kInts},
                               {"dilation", AttrKind::kInts},
                               {"groups", AttrKind::kInt},
                               {"data_layout", AttrKind::kString},
                               {"kernel_layout", AttrKind::kString},
                               {"out_layout", AttrKind::kString},
                               {"out_dtype", AttrKind::kDtype}}};
constexpr AttrRows kTransposeAttrs{{{"strides", AttrKind::kInts},
                                    {"padding", AttrKind::kInts},
                                    {"output_padding", AttrKind::kInts},
                                    {"dilation", AttrKind::kInts},
                                    {"groups", AttrKind::kInt},
                                    {"data_layout", AttrKind::kString},
                                    {"kernel_layout", AttrKind::kString},
                                    {"out_layout", AttrKind::kString},
                                    {"out_dtype", AttrKind::kDtype}}};

constexpr Operator kRows[] = {
    {.signature = "nn.conv1d(data, weight, strides=1, padding=0, dilation=1, groups=1, data_layout='NCW', "
                  "kernel_layout='OIW', out_layout=None, out_dtype=None)",
     .doc = "Convolution over one spatial axis.",
     .infer = infer_conv1d,
     .attrs = kConvAttrs.of("Conv1DAttrs"),
     .build = build_conv1d,
     .precision = Precision::kAlways,
     .layout = layout_conv},
    {.signature = "nn.conv2d(data, weight, strides=1, padding=0, dilation=1, groups=1, "
                  "data_layout='NCHW', kernel_layout='OIHW', out_layout=None, out_dtype=None)",
     .doc = "Convolution over two spatial axes.",
     .infer = infer_conv2d,
     .attrs = kConvAttrs.of("Conv2DAttrs"),
     .build = build_conv2d,
     .precision = Precision::kAlways,
     .layout = layout_conv_split},
    {.signature = "nn.conv3d(data, weight, strides=1, padding=0, dilation=1, groups=1, "
                  "data_layout='NCDHW', kernel_layout='OIDHW', out_layout=None, out_dtype=None)",
     .doc = "Convolution over three spatial axes.",
     .infer = infer_conv3d,
     .attrs = kConvAttrs.of("Conv3DAttrs"),
     .build = build_conv3d,
     .precision = Precision::kAlways,
     .layout = layout_conv},
    {.signature =
         "nn.conv1d_transpose(data, weight, strides=1, padding=0, output_padding=0, dilation=1, groups=1, "
         "data_layout='NCW', kernel_layout='IOW', out_layout=None, out_dtype=None)",
     .doc = "Transposed convolution over one spatial axis: the gradient of conv1d.",
     .infer = infer_conv1d_transpose,
     .attrs = kTransposeAttrs.of("Conv1DTransposeAttrs"),
     .build = build_conv1d_transpose,
     .precision = Precision::kAlways,
     .layout = layout_conv},
    {.signature = "nn.conv2d_transpose(data, weight, strides=1, padding=0, output_padding=0, "
                  "dilation=1, groups=1, data_layout='NCHW', kernel_layout='IOHW', out_layout=None, "
                  "out_dtype=None)",
     .doc = "Transposed convolution over two spatial axes: the gradient of conv2d.",
     .infer = infer_conv2d_transpose,
     .attrs = kTransposeAttrs.of("Conv2DTransposeAttrs"),
     .build = build_conv2d_transpose,
     .precision = Precision::kAlways,
     .layout = layout_conv_split},
    {.signature = "nn.conv3d_transpose(data, weight, strides=1, padding=0, output_padding=0, "
                  "dilation=1, groups=1, data_layout='NCDHW', kernel_layout='IODHW', out_layout=None, "
                  "out_dtype=None)",
     .doc = "Transposed convolution over three spatial axes: the gradient of conv3d.",
     .infer = infer_conv3d_transpose,
     .attrs = kTransposeAttrs.of("Conv3DTransposeAttrs"),
     .build = build_conv3d_transpose,
     .precision = Precision::kAlways,
     .layout = layout_conv_split},
};

}  // namespace

extern const Operators conv;
const Operators conv{kRows};

}  // namespace mlc::relax::operators_conv
