// SPDX-License-Identifier: Apache-2.0
// Normalisation.
#include <algorithm>

#include "ir/relax/infer_layout.h"
#include "ir/relax/operand_checks.h"
#include "ir/tir/arith_ops.h"

namespace mlc::relax::operators_norm {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "norm-not-float",
         .kind = "TypeError",
         .message = "{} must have a floating-point data type, but is `{}`"},
        {.name = "norm-dtypes-differ",
         .kind = "TypeError",
         .message = "{} is `{}`, but {} is `{}`; they must have one data type"},
        {.name = "norm-rank",
         .message = "{} has {} dimensions, but must have {}",
         .help = "one for each axis that is normalised"},
        {.name = "norm-extent",
         .message = "dimension {} of {} is {}, but the tensor that is normalised has {} there"},
        {.name = "norm-channel-in-axes",
         .message = "`{}`: `channel_axis` {} is one of `axes`",
         .help = "`axes` are those besides the channels"},
        {.name = "norm-channels", .message = "`{}`: {} channels are not divisible by {} groups"},
    }};
MLC_REFUSALS(op_norm, refusals);

namespace {

std::string dtype_text(const TensorTypeNode* type) {
  return type->knows_dtype() ? type->data_type().str() : std::string("unknown");
}
std::string rank_text(const TensorTypeNode* type) {
  return type->knows_ndim() ? fmt::format("{}", type->ndim) : std::string("an unknown number of");
}

// Operand i has the data type of operand 0 and this many dimensions, both known.
void check_parameter(const CallNode* call, size_t i, const TensorTypeNode* data, int64_t ndim) {
  const TensorTypeNode* type = tensor_operand(call, i);
  if (type->data_type() != data->data_type())
    throw ir::refuse(refusals["norm-dtypes-differ"], operand_name(call, i), dtype_text(type),
                     operand_name(call, 0), dtype_text(data))
        .at(operand_span(call, i));
  if (type->ndim != ndim)
    throw ir::refuse(refusals["norm-rank"], operand_name(call, i), rank_text(type), ndim)
        .at(operand_span(call, i));
}
void check_float(const CallNode* call, const TensorTypeNode* data, bool with_bfloat16) {
  if (!data->knows_dtype()) return;
  DataType dtype = data->data_type();
  if (!dtype.is_float() && !(with_bfloat16 && dtype.is_bfloat16()))
    throw ir::refuse(refusals["norm-not-float"], operand_name(call, 0), dtype.str())
        .at(operand_span(call, 0));
}

// Checks data types, ranks and extents of the parameters of a normalisation over `axes`. False where an
// extent may be that of the data or not.
bool check_norm(const CallNode* call, const std::vector<int64_t>& axes, const InferContext& context) {
  const TensorTypeNode* data = tensor_operand(call, 0);
  std::vector<int64_t> normal;
  if (data->knows_ndim()) normal = normalize_axes(axes, data->ndim, call);
  check_float(call, data, true);
  auto rank = static_cast<int64_t>(axes.size());
  for (size_t i = 1; i < call->args.size(); ++i) check_parameter(call, i, data, rank);

  Array<Expr> extents;  // of the data at the axes, or of the first parameter that has some
  bool known = false;
  if (const Array<Expr>* dims = written_dims(data)) {
    for (int64_t axis : normal) extents.push_back((*dims)[axis]);
    known = true;
  }
  bool decided = true;
  for (size_t i = 1; i < call->args.size(); ++i) {
    const Array<Expr>* dims = written_dims(tensor_operand(call, i));
    if (!dims) continue;
    if (!known) {
      extents = *dims;
      known = true;
      continue;
    }
    for (size_t d = 0; d < dims->size(); ++d) {
      auto equal = context.equal(extents[d], (*dims)[d]);
      if (equal == InferContext::Proof::kFalse)
        throw ir::refuse(refusals["norm-extent"], d, operand_name(call, i), dim_text((*dims)[d]),
                         dim_text(extents[d]))
            .at(operand_span(call, i));
      if (equal == InferContext::Proof::kUnknown) decided = false;
    }
  }
  return decided;
}

Type infer_batch_norm(const CallNode* call, const InferContext& context) {
  const TensorTypeNode* data = tensor_operand(call, 0);
  if (check_norm(call, {int_attr(call, "axis")}, context))
    return make<TupleTypeNode>(Array<Type>{same_type(data), call->args[3]->ty, call->args[4]->ty});
  Type one = tensor_type(data->data_type(), 1, data->vdevice);
  return make<TupleTypeNode>(Array<Type>{with_ndim(data, data->ndim), one, one});
}
Type infer_norm(const CallNode* call, const InferContext& context) {
  const TensorTypeNode* data = tensor_operands(call)[0];
  return check_norm(call, ints_attr(call, "axes"), context) ? same_type(data) : with_ndim(data, data->ndim);
}

// Axis of the channels, which is none of `axes`; nullopt where the rank is unknown.
std::optional<int64_t> channel_axis(const CallNode* call, const TensorTypeNode* data) {
  if (!data->knows_ndim()) return std::nullopt;
  int64_t channel = normalize_axis(int_attr(call, "channel_axis"), data->ndim, call);
  std::vector<int64_t> axes = normalize_axes(ints_attr(call, "axes"), data->ndim, call);
  if (std::find(axes.begin(), axes.end(), channel) != axes.end())
    throw ir::refuse(refusals["norm-channel-in-axes"], call_name(call), channel).at(call->span);
  return channel;
}
void check_channel_parameters(const CallNode* call, const TensorTypeNode* data,
                              std::optional<int64_t> channel, const InferContext& context) {
  for (size_t i = 1; i < call->args.size(); ++i) {
    check_parameter(call, i, data, 1);
    const Array<Expr>* dims = written_dims(data);
    const Array<Expr>* given = written_dims(tensor_operand(call, i));
    if (dims && given && context.proves_different((*dims)[*channel], (*given)[0]))
      throw ir::refuse(refusals["norm-extent"], 0, operand_name(call, i), dim_text((*given)[0]),
                       dim_text((*dims)[*channel]))
          .at(operand_span(call, i));
  }
}
Type infer_group_norm(const CallNode* call, const InferContext& context) {
  const TensorTypeNode* data = tensor_operands(call)[0];
  std::optional<int64_t> channel = channel_axis(call, data);
  check_float(call, data, false);
  int64_t groups = int_attr(call, "num_groups");
  if (const Array<Expr>* dims = written_dims(data)) {
    const Expr& channels = (*dims)[*channel];
    auto rest = groups == 0 ? std::optional<int64_t>(1)
                            : ir::const_int(context.simplify(ir::floormod(channels, dim(groups))));
    if (rest && *rest != 0)
      throw ir::refuse(refusals["norm-channels"], call_name(call), dim_text(channels), groups)
          .at(operand_span(call, 0));
  }
  check_channel_parameters(call, data, channel, context);
  return same_type(data);
}
Type infer_instance_norm(const CallNode* call, const InferContext& context) {
  const TensorTypeNode* data = tensor_operands(call)[0];
  check_channel_parameters(call, data, channel_axis(call, data), context);
  return same_type(data);
}

constexpr AttrRow kAxes = {"axes", AttrKind::kInts};
constexpr AttrRow kEpsilon = {"epsilon", AttrKind::kFloat};
constexpr AttrRow kCenter = {"center", AttrKind::kBool};
constexpr AttrRow kScale = {"scale", AttrKind::kBool};
constexpr AttrRow kChannelAxis = {"channel_axis", AttrKind::kInt};

constexpr Operator kRows[] = {
    {.signature =
         "nn.batch_norm(data, gamma, beta, moving_mean, moving_var, axis, epsilon=1e-05, center=True, "
         "scale=True, momentum=0.1, training=True)",
     .doc = "(data - mean) / sqrt(variance + epsilon) * gamma + beta for each index of `axis`, and the "
            "moving mean "
            "and variance.",
     .infer = infer_batch_norm,
     .attrs = {{{"axis", AttrKind::kInt},
                kEpsilon,
                kCenter,
                kScale,
                {"momentum", AttrKind::kFloat},
                {"training", AttrKind::kBool}},
               "BatchNormAttrs"},
     .layout = layout_batch_norm},
    {.signature = "nn.layer_norm(data, gamma, beta, axes, epsilon=1e-05, center=True, scale=True)",
     .doc = "(data - mean) / sqrt(variance + epsilon) * gamma + beta, with mean and variance over `axes`.",
     .infer = infer_norm,
     .attrs = {{kAxes, kEpsilon, kCenter, kScale}, "LayerNormAttrs"},
     .precision = Precision::kFollow,
     .layout = layout_norm},
    {.signature =
         "nn.group_norm(data, gamma, beta, num_groups, channel_axis, axes, epsilon=1e-05, center=True, "
         "scale=True)",
     .doc = "As layer_norm over `axes` and the channels of each of `num_groups` groups.",
     .infer = infer_group_norm,
     .attrs = {{{"num_groups", AttrKind::kInt}, kChannelAxis, kAxes, kEpsilon, kCenter, kScale},
               "GroupNormAttrs"},
     .precision = Precision::kFollow,
     .layout = layout_norm},
    {.signature =
         "nn.instance_norm(data, gamma, beta, channel_axis, axes, epsilon=1e-05, center=True, scale=True)",
     .doc = "As layer_norm over `axes`, for each channel of each sample.",
     .infer = infer_instance_norm,
     .attrs = {{kChannelAxis, kAxes, kEpsilon, kCenter, kScale}, "InstanceNormAttrs"},
     .precision = Precision::kFollow,
     .layout = layout_norm},
    {.signature = "nn.rms_norm(data, weight, axes=-1, epsilon=1e-05)",
     .doc = "data / sqrt(mean(data ** 2) + epsilon) * weight, with the mean over `axes`.",
     .infer = infer_norm,
     .attrs = {{kAxes, kEpsilon}, "RMSNormAttrs"},
     .precision = Precision::kFollow,
     .layout = layout_norm},
};

}  // namespace

extern const Operators norm;
const Operators norm{kRows};

}  // namespace mlc::relax::operators_norm
