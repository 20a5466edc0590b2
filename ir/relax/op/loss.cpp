// SPDX-License-Identifier: Apache-2.0
// Loss functions.
#include "ir/relax/operand_checks.h"

namespace mlc::relax::operators_loss {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "loss-reduction",
         .kind = "InternalError",
         .message = "`reduction` of `{}` is \"{}\"; it must be \"none\", \"mean\" or \"sum\""},
        {.name = "loss-targets",
         .kind = "TypeError",
         .message = "{} must have an integer data type, but is `{}`",
         .help = "targets are indices of classes"},
        {.name = "loss-target-rank",
         .message = "`nn.nll_loss`: `predictions` has {} dimensions, `targets` {}",
         .help = "(N, C, ...) with (N, ...), or (C,) with ()"},
        {.name = "loss-weight-dtype",
         .kind = "TypeError",
         .message = "`nn.nll_loss`: `predictions` is `{}`, `weights` is `{}`; they must have one data type"},
    }};
MLC_REFUSALS(op_loss, refusals);

namespace {

Type infer_cross_entropy(const CallNode* call, const InferContext& context) {
  const TensorTypeNode* both[] = {tensor_operand(call, 0), tensor_operand(call, 1)};
  DataType dtype = common_dtype(call, both[0], both[1]);
  VDevice vdevice = common_vdevice(call, both);
  check_same_ndim(call, 0, both[0], 1, both[1]);
  auto predictions = both[0]->dims();
  auto labels = both[1]->dims();
  if (predictions && labels) {
    for (size_t k = 0; k < predictions->size(); ++k) {
      if (context.proves_different((*predictions)[k], (*labels)[k]))
        refuse_dims(call, 1, k, (*labels)[k], 0, k, (*predictions)[k], context);
    }
  }
  return tensor_type(Array<Expr>(), dtype, vdevice);
}

// The number of dimensions d1, d2, ... of (N, C, d1, d2, ...) and of (N, d1, d2, ...) is the same.
void check_ranks(const CallNode* call, const TensorTypeNode* predictions, const TensorTypeNode* targets) {
  if (predictions->knows_ndim() && predictions->ndim < 1)
    refuse_ndim(call, 0, predictions->ndim, "at least 1 dimension");
  if (!predictions->knows_ndim() || !targets->knows_ndim()) return;
  int64_t of_predictions = std::max<int64_t>(predictions->ndim - 2, 0);
  int64_t of_targets = std::max<int64_t>(targets->ndim - 1, 0);
  bool one_sample = predictions->ndim == 1;
  bool knows_both = predictions->dims() && targets->dims();
  if (of_predictions != of_targets || (knows_both && one_sample != (targets->ndim == 0)))
    throw ir::refuse(refusals["loss-target-rank"], predictions->ndim, targets->ndim)
        .at(operand_span(call, 1));
}

Type infer_nll_loss(const CallNode* call, const InferContext& context) {
  const TensorTypeNode* predictions = tensor_operand(call, 0);
  const TensorTypeNode* targets = tensor_operand(call, 1);
  const TensorTypeNode* weights = call->args.size() > 2 ? tensor_operand(call, 2) : nullptr;
  DataType dtype = predictions->data_type();
  VDevice vdevice = predictions->vdevice;
  if (weights) {
    if (!predictions->knows_dtype() || !weights->knows_dtype()) {
      dtype = DataType::Void();
    } else if (dtype != weights->data_type()) {
      throw ir::refuse(refusals["loss-weight-dtype"], dtype.str(), weights->data_type().str())
          .at(operand_span(call, 2));
    }
    const TensorTypeNode* both[] = {predictions, weights};
    vdevice = common_vdevice(call, both);
  }
  if (targets->knows_dtype() && !targets->data_type().is_int() && !targets->data_type().is_uint())
    throw ir::refuse(refusals["loss-targets"], operand_name(call, 1), targets->data_type().str())
        .at(operand_span(call, 1));
  check_ranks(call, predictions, targets);
  if (weights) check_ndim(call, 2, weights, 1);

  Array<Expr> samples;  // N, d1, d2, ...
  auto scores = predictions->dims();
  if (scores) {
    for (size_t k = 0; k < scores->size(); ++k) {
      if (k != 1 && scores->size() > 1) samples.push_back((*scores)[k]);
    }
    if (auto given = targets->dims()) {
      for (size_t k = 0; k < given->size(); ++k) {
        if (context.proves_different(samples[k], (*given)[k]))
          refuse_dims(call, 1, k, (*given)[k], 0, k == 0 ? 0 : k + 1, samples[k], context);
      }
    }
    auto weight_dims = weights ? weights->dims() : std::nullopt;
    size_t classes = scores->size() == 1 ? 0 : 1;
    if (weight_dims && context.proves_different((*scores)[classes], (*weight_dims)[0]))
      refuse_dims(call, 2, 0, (*weight_dims)[0], 0, classes, (*scores)[classes], context);
  }
  if (string_attr(call, "reduction") != "none") return tensor_type(Array<Expr>(), dtype, vdevice);
  if (written_dims(predictions)) return tensor_type(samples, dtype, vdevice);
  return tensor_type(dtype, predictions->knows_ndim() ? predictions->ndim - 1 : kUnknownNDim, vdevice);
}

Any build_nll_loss(ApiCall& call) {
  std::string reduction = std::string(view(attr_arg(call, 3, AttrKind::kString).cast<String>()));
  if (reduction != "none" && reduction != "mean" && reduction != "sum")
    throw ir::refuse(refusals["loss-reduction"], call.api.path(), reduction).at(call.span_of(3));
  Array<Expr> args{operand_arg(call, 0), operand_arg(call, 1)};
  if (call.args[2] != nullptr) args.push_back(operand_arg(call, 2));
  return call_with_attrs(call, args, 3);
}

constexpr Operator kRows[] = {
    {.signature = "nn.cross_entropy_with_logits(predictions, labels)",
     .doc = "-sum(predictions * labels), divided by the batch size where there is one.",
     .infer = infer_cross_entropy},
    {.signature = "nn.nll_loss(predictions, targets, weights=None, reduction='mean', ignore_index=-100)",
     .doc = "The negative log likelihood of the target classes, as a scalar or for each sample.",
     .infer = infer_nll_loss,
     .attrs = {{{"reduction", AttrKind::kString}, {"ignore_index", AttrKind::kInt}}, "NLLLossAttrs"},
     .build = build_nll_loss},
};

}  // namespace

extern const Operators loss;
const Operators loss{kRows};

}  // namespace mlc::relax::operators_loss
