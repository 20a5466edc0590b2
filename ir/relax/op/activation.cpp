// SPDX-License-Identifier: Apache-2.0
// Activations and what stands beside them in a network: softmax, dropout, padding, reordering of channels.
#include "ir/relax/infer_layout.h"
#include "ir/relax/operand_checks.h"
#include "ir/tir/arith_ops.h"

namespace mlc::relax::operators_activation {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "activation-not-float",
         .kind = "TypeError",
         .message = "{} must have a floating-point data type, but is `{}`",
         .help = "convert it first: `R.astype(x, \"float32\")`"},
        {.name = "pad-width",
         .kind = "InternalError+ValueError",
         .message = "`pad_width` of `nn.pad` has {} numbers, but `data` has {} dimensions",
         .help = "two numbers for each dimension: before and after"},
        {.name = "upscale-factor",
         .message = "`upscale_factor` {} of `nn.pixel_shuffle`: it must be at least 1"},
        {.name = "shuffle-channels",
         .message = "`nn.pixel_shuffle`: {} channels are not divisible by {} * {}"},
    }};
MLC_REFUSALS(op_activation, refusals);

namespace {

// Float data of a known rank has the axis; of data of unknown rank nothing is asked.
Type infer_along_axis(const CallNode* call, bool with_bfloat16) {
  for (size_t i = 0; i < call->args.size(); ++i) tensor_operand(call, i);
  const TensorTypeNode* data = tensor_operand(call, 0);
  if (!data->knows_ndim()) return same_type(data);
  DataType dtype = data->data_type();
  if (data->knows_dtype() && !dtype.is_float() && !(with_bfloat16 && dtype.is_bfloat16()))
    throw ir::refuse(refusals["activation-not-float"], operand_name(call, 0), dtype.str())
        .at(operand_span(call, 0));
  normalize_axis(int_attr(call, "axis"), data->ndim, call);
  return same_type(data);
}
Type infer_softmax(const CallNode* call, const InferContext&) { return infer_along_axis(call, true); }
Type infer_prelu(const CallNode* call, const InferContext&) { return infer_along_axis(call, false); }

Type infer_dropout(const CallNode* call, const InferContext&) {
  Type data = same_type(tensor_operand(call, 0));
  return make<TupleTypeNode>(Array<Type>{data, data});
}

Type infer_pad(const CallNode* call, const InferContext&) {
  const TensorTypeNode* data = tensor_operand(call, 0);
  std::vector<int64_t> width = ints_attr(call, "pad_width");
  if (static_cast<int64_t>(width.size()) != 2 * data->ndim)
    throw ir::refuse(refusals["pad-width"], width.size(),
                     data->knows_ndim() ? fmt::format("{}", data->ndim) : std::string("an unknown number of"))
        .at(call->span);
  const Array<Expr>* dims = written_dims(data);
  if (!dims) return tensor_type(data->data_type(), data->ndim);
  Array<Expr> padded;
  for (size_t i = 0; i < dims->size(); ++i)
    padded.push_back(ir::add((*dims)[i], dim(width[2 * i] + width[2 * i + 1])));
  return tensor_type(padded, data->data_type());
}

Type infer_pixel_shuffle(const CallNode* call, const InferContext&) {
  const TensorTypeNode* data = tensor_operand(call, 0);
  int64_t factor = int_attr(call, "upscale_factor");
  if (factor < 1) throw ir::refuse(refusals["upscale-factor"], factor).at(call->span);
  if (data->ndim < 3) refuse_ndim(call, 0, data->ndim, "at least 3 dimensions");
  const Array<Expr>* dims = written_dims(data);
  if (!dims) return tensor_type(data->data_type(), data->ndim);
  size_t channel = dims->size() - 3;
  Array<Expr> out = *dims;
  if (auto channels = ir::const_int(out[channel]); channels && *channels % (factor * factor) != 0)
    throw ir::refuse(refusals["shuffle-channels"], *channels, factor, factor).at(operand_span(call, 0));
  out.Set(channel, ir::floordiv(out[channel], dim(factor * factor)));
  out.Set(channel + 1, ir::mul(out[channel + 1], dim(factor)));
  out.Set(channel + 2, ir::mul(out[channel + 2], dim(factor)));
  return tensor_type(out, data->data_type());
}

Type infer_batch_flatten(const CallNode* call, const InferContext&) {
  const TensorTypeNode* data = tensor_operand(call, 0);
  if (!data->knows_ndim()) return with_ndim(data, 2);
  if (data->ndim < 2) refuse_ndim(call, 0, data->ndim, "at least 2 dimensions");
  if (data->ndim == 2) return same_type(data);
  const Array<Expr>* dims = written_dims(data);
  if (!dims) return with_ndim(data, 2);
  return with_dims(data, {(*dims)[0], plain_product(Array<Expr>(dims->begin() + 1, dims->end()))});
}

// relu6 is no operator of its own.
Any build_relu6(ApiCall& call) {
  return make_call("relax.clip", {operand_arg(call, 0), dim(0), dim(6)}, {}, {}, call.span);
}

constexpr Operator kRows[] = {
    {.signature = "nn.relu(data)",
     .arguments = "x Tensor",
     .doc = "max(data, 0), elementwise.",
     .infer = infer_unary_any,
     .precision = Precision::kFollow,
     .layout = layout_elementwise},
    {.signature = "nn.relu6(data)",
     .doc = "min(max(data, 0), 6), elementwise: a call of `clip`.",
     .build = build_relu6,
     .sugar = true},
    {.signature = "nn.gelu(data)",
     .arguments = "x Tensor",
     .doc = "data * P(X <= data) of a standard normal X, elementwise.",
     .infer = infer_unary_float,
     .precision = Precision::kFollow,
     .layout = layout_elementwise},
    {.signature = "nn.gelu_tanh(data)",
     .arguments = "x Tensor",
     .doc = "gelu, approximated with tanh.",
     .infer = infer_unary_float,
     .precision = Precision::kFollow,
     .layout = layout_elementwise},
    {.signature = "nn.selu(data)",
     .arguments = "x Tensor",
     .doc = "The scaled exponential linear unit, elementwise.",
     .infer = infer_unary_float,
     .precision = Precision::kFollow,
     .layout = layout_elementwise},
    {.signature = "nn.silu(data)",
     .arguments = "x Tensor",
     .doc = "data * sigmoid(data), elementwise.",
     .infer = infer_unary_float,
     .precision = Precision::kFollow,
     .layout = layout_elementwise},
    {.signature = "nn.leakyrelu(data, alpha=0.01)",
     .doc = "data where it is positive, else alpha * data.",
     .infer = infer_unary_float,
     .attrs = {{{"alpha", AttrKind::kFloat}}, "LeakyReluAttrs"}},
    {.signature = "nn.softplus(data, beta=1.0, threshold=20.0)",
     .doc = "log(1 + exp(beta * data)) / beta, and data where beta * data is above the threshold.",
     .infer = infer_unary_float,
     .attrs = {{{"beta", AttrKind::kFloat}, {"threshold", AttrKind::kFloat}}, "SoftplusAttrs"}},
    {.signature = "nn.prelu(data, alpha, axis=1)",
     .arguments = "data Tensor; alpha Tensor",
     .doc = "data where it is positive, else alpha * data, with an alpha for each index of the axis.",
     .infer = infer_prelu,
     .attrs = {{{"axis", AttrKind::kInt}}, "PReluAttrs"},
     .layout = layout_prelu},
    {.signature = "nn.softmax(data, axis=-1)",
     .doc = "exp(data) / sum(exp(data)) along the axis.",
     .infer = infer_softmax,
     .attrs = {{{"axis", AttrKind::kInt}}, "SoftmaxAttrs"},
     .layout = layout_along_axis},
    {.signature = "nn.log_softmax(data, axis=-1)",
     .doc = "log(softmax(data)) along the axis.",
     .infer = infer_softmax,
     .attrs = {{{"axis", AttrKind::kInt}}, "SoftmaxAttrs"}},
    {.signature = "nn.dropout(data, rate=0.5)",
     .doc = "The data with elements set to 0 at random and the others scaled, and the mask.",
     .infer = infer_dropout,
     .attrs = {{{"rate", AttrKind::kFloat}}, "DropoutAttrs"},
     .precision = Precision::kFollow,
     .layout = layout_elementwise},
    {.signature = "nn.pad(data, pad_width, pad_mode='constant', pad_value=0.0)",
     .doc = "The data with elements added before and after it: (before_0, after_0, before_1, ...).",
     .infer = infer_pad,
     .attrs = {{{"pad_width", AttrKind::kInts},
                {"pad_value", AttrKind::kFloat},
                {"pad_mode", AttrKind::kString}},
               "PadAttrs"}},
    {.signature = "nn.pixel_shuffle(data, upscale_factor)",
     .doc = "Moves channels to space: (..., C * r * r, H, W) becomes (..., C, H * r, W * r).",
     .infer = internal_errors_of_tensors<infer_pixel_shuffle>,
     .attrs = {{{"upscale_factor", AttrKind::kInt}}, "PixelShuffleAttrs"}},
    {.signature = "nn.batch_flatten(data)",
     .doc = "All axes but the first as one.",
     .infer = infer_batch_flatten,
     .precision = Precision::kFollow},
};

}  // namespace

extern const Operators activation;
const Operators activation{kRows};

}  // namespace mlc::relax::operators_activation
