// SPDX-License-Identifier: Apache-2.0
// What gradients are made of, and marks for the pass that makes them.
#include "ir/relax/infer.h"
#include "ir/relax/window.h"

namespace mlc::relax::operators_grad {

static constexpr ir::Refusals refusals{"ValueError",
                                       {
                                           {.name = "checkpoint-not-a-variable",
                                            .kind = "TypeError",
                                            .message = "`input` of `{}` must be a variable",
                                            .help = "bind the value first: `y = f(x)`, then mark `y`"},
                                       }};
MLC_REFUSALS(op_grad, refusals);

namespace {

Type infer_first(const CallNode* call, const InferContext&) { return call->args[0]->ty; }
// The gradient is of the type of what it is the gradient to.
Type infer_second(const CallNode* call, const InferContext&) { return call->args[1]->ty; }

Any build_checkpoint(ApiCall& call) {
  Expr input = operand_arg(call, 0);
  if (!as<VarNode>(input))
    throw ir::refuse(refusals["checkpoint-not-a-variable"], call.api.path()).at(call.span_of(0));
  return call_with_attrs(call, {input}, 1);
}
Any build_pool(ApiCall& call) {
  for (const char* name : {"pool_size", "strides", "dilation"}) complete_ints(call, name, 2);
  complete_padding(call, "padding", 2);
  default_to(call, "out_layout", "layout");
  return call_with_attrs(call, {operand_arg(call, 0), operand_arg(call, 1)}, 2);
}
Any build_nll_loss(ApiCall& call) {
  Array<Expr> args{operand_arg(call, 0), operand_arg(call, 1), operand_arg(call, 2)};
  if (call.args[3] != nullptr) args.push_back(operand_arg(call, 3));
  return call_with_attrs(call, args, 4);
}
// The attributes are those of `take`, whose mode is not known here.
Any build_take(ApiCall& call) {
  Map<String, Any> attrs;
  attrs.Set("axis", attr_arg(call, 3, AttrKind::kOptInt));
  attrs.Set("mode", String(""));
  return make_call("relax.grad.take_backward",
                   {operand_arg(call, 0), operand_arg(call, 1), operand_arg(call, 2)}, attrs, {}, call.span);
}

constexpr Operator kRows[] = {
    {.signature = "grad.no_grad(input)",
     .arguments = "x Expr",
     .doc = "The value, through which no gradient goes.",
     .infer = infer_first},
    {.signature = "grad.start_checkpoint(input)",
     .arguments = "x Expr",
     .doc = "Marks a value where a part begins that the backward pass computes again instead of keeping it.",
     .infer = infer_first,
     .build = build_checkpoint},
    {.signature = "grad.end_checkpoint(input)",
     .arguments = "x Expr",
     .doc = "Marks a value where a part ends that start_checkpoint begins.",
     .infer = infer_first,
     .build = build_checkpoint},
    {.signature = "grad.nll_loss_backward(output_grad, predictions, targets, weights=None, reduction='mean', "
                  "ignore_index=-100)",
     .doc = "The gradient of nn.nll_loss to its predictions.",
     .infer = infer_second,
     .attrs = {{{"reduction", AttrKind::kString}, {"ignore_index", AttrKind::kInt}}, "NLLLossAttrs"},
     .build = build_nll_loss},
    {.signature = "grad.max_pool2d_backward(output_grad, data, pool_size=1, strides=1, padding=0, "
                  "dilation=1, ceil_mode=False, count_include_pad=False, layout='NCHW', out_layout=None)",
     .doc = "The gradient of nn.max_pool2d to its data.",
     .infer = infer_second,
     .attrs = kPoolAttrs.of("Pool2DAttrs"),
     .build = build_pool},
    {.signature = "grad.avg_pool2d_backward(output_grad, data, pool_size=1, strides=1, padding=0, "
                  "dilation=1, ceil_mode=False, count_include_pad=False, layout='NCHW', out_layout=None)",
     .doc = "The gradient of nn.avg_pool2d to its data.",
     .infer = infer_second,
     .attrs = kPoolAttrs.of("Pool2DAttrs"),
     .build = build_pool},
    {.signature = "grad.take_backward(output_grad, x, indices, axis=None)",
     .doc = "The gradient of take to its tensor.",
     .infer = infer_second,
     .attrs = {{{"axis", AttrKind::kOptInt}, {"mode", AttrKind::kString}}, "TakeAttrs"},
     .build = build_take},
};

}  // namespace

extern const Operators grad;
const Operators grad{kRows};

}  // namespace mlc::relax::operators_grad
