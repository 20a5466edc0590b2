// SPDX-License-Identifier: Apache-2.0
// Elementwise functions of two tensors, which are broadcast, and of three.
#include "ir/relax/infer_layout.h"
#include "ir/relax/operand_checks.h"

namespace mlc::relax::operators_binary {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "fma-shapes-differ",
         .message = "`ewise_fma`: dimension {} of its operands is {}, {} and {}; they must be equal",
         .help = "operands are not broadcast: `R.broadcast_to` does"},
        {.name = "clip-bound",
         .kind = "InternalError+TypeError",
         .message = "`{}` of `clip` must be a number, but is a {}",
         .help = "bounds that are tensors: `R.minimum` and `R.maximum`"},
    }};
MLC_REFUSALS(op_binary, refusals);

namespace {

// All three have one shape.
Type infer_fma(const CallNode* call, const InferContext& context) {
  std::vector<const TensorTypeNode*> x = tensor_operands(call);
  check_same_ndim(call, 0, x[0], 1, x[1]);
  check_same_ndim(call, 0, x[0], 2, x[2]);
  check_same_ndim(call, 1, x[1], 2, x[2]);
  for (size_t i = 1; i < 3; ++i) {
    if (x[0]->knows_dtype() && x[1]->knows_dtype() && x[2]->knows_dtype())
      check_same_dtype(call, i - 1, x[i - 1], i, x[i]);
  }
  DataType dtype = x[0]->dtype;
  if (!x[0]->knows_dtype() || !x[1]->knows_dtype() || !x[2]->knows_dtype()) dtype = DataType::Void();
  VDevice vdevice = shared_vdevice(x);
  const Array<Expr>* a = written_dims(x[0]);
  const Array<Expr>* b = written_dims(x[1]);
  const Array<Expr>* c = written_dims(x[2]);
  if (a && b && c) {
    for (size_t i = 0; i < a->size(); ++i) {
      if (context.proves_equal((*a)[i], (*b)[i]) && context.proves_equal((*b)[i], (*c)[i])) continue;
      throw ir::refuse(refusals["fma-shapes-differ"], i, dim_text((*a)[i]), dim_text((*b)[i]),
                       dim_text((*c)[i]))
          .at(call->span);
    }
    return tensor_type(*a, dtype, vdevice);
  }
  if (x[0]->shape && x[0]->shape.same_as(x[1]->shape) && x[0]->shape.same_as(x[2]->shape))
    return make<TensorTypeNode>(x[0]->shape, dtype, vdevice);
  int64_t ndim = kUnknownNDim;
  for (const TensorTypeNode* each : x) {
    if (each->knows_ndim()) ndim = each->ndim;
  }
  return tensor_type(dtype, ndim, vdevice);
}

Type infer_clip(const CallNode* call, const InferContext&) {
  prim_operand(call, 1);
  prim_operand(call, 2);
  if (is_prim(call->args[0])) return call->args[0]->ty;
  return same_type(tensor_operand(call, 0));
}
Any build_clip(ApiCall& call) {
  Array<Expr> args{operand_arg(call, 0)};
  for (size_t i = 1; i < 3; ++i) {
    args.push_back(wide_operand_arg(call, i));
    if (!is_prim(args[i]))
      throw ir::refuse(refusals["clip-bound"], call.api.params[i].name, kind_name(args[i]->ty))
          .at(call.span_of(i));
  }
  return call_with_attrs(call, args, 3);
}

constexpr Operator kRows[] = {
    {.signature = "add(x1, x2)",
     .doc = "x1 + x2, elementwise.",
     .infer = infer_binary,
     .precision = Precision::kFollow,
     .layout = layout_broadcast},
    {.signature = "atan2(x1, x2)",
     .doc = "The angle of the point (x2, x1), elementwise.",
     .infer = infer_binary,
     .precision = Precision::kFollow,
     .layout = layout_broadcast},
    {.signature = "bitwise_and(x1, x2)",
     .doc = "x1 & x2, elementwise.",
     .infer = infer_binary,
     .precision = Precision::kFollow,
     .layout = layout_broadcast},
    {.signature = "bitwise_or(x1, x2)",
     .doc = "x1 | x2, elementwise.",
     .infer = infer_binary,
     .precision = Precision::kFollow,
     .layout = layout_broadcast},
    {.signature = "bitwise_xor(x1, x2)",
     .doc = "x1 ^ x2, elementwise.",
     .infer = infer_binary,
     .precision = Precision::kFollow,
     .layout = layout_broadcast},
    {.signature = "divide(x1, x2)",
     .doc = "x1 / x2, elementwise.",
     .infer = infer_binary,
     .precision = Precision::kFollow,
     .layout = layout_broadcast},
    {.signature = "equal(x1, x2)",
     .doc = "x1 == x2, elementwise.",
     .infer = infer_compare,
     .precision = Precision::kFollow,
     .layout = layout_broadcast},
    {.signature = "floor_divide(x1, x2)",
     .doc = "x1 // x2, elementwise.",
     .infer = infer_binary,
     .precision = Precision::kFollow,
     .layout = layout_broadcast},
    {.signature = "floor_mod(x1, x2)",
     .doc = "x1 - floor(x1 / x2) * x2, elementwise.",
     .infer = infer_binary,
     .precision = Precision::kFollow,
     .layout = layout_broadcast},
    {.signature = "greater(x1, x2)",
     .doc = "x1 > x2, elementwise.",
     .infer = infer_compare,
     .precision = Precision::kFollow,
     .layout = layout_broadcast},
    {.signature = "greater_equal(x1, x2)",
     .doc = "x1 >= x2, elementwise.",
     .infer = infer_compare,
     .precision = Precision::kFollow,
     .layout = layout_broadcast},
    {.signature = "left_shift(x1, x2)",
     .doc = "x1 << x2, elementwise.",
     .infer = infer_binary,
     .precision = Precision::kFollow,
     .layout = layout_broadcast},
    {.signature = "less(x1, x2)",
     .doc = "x1 < x2, elementwise.",
     .infer = infer_compare,
     .precision = Precision::kFollow,
     .layout = layout_broadcast},
    {.signature = "less_equal(x1, x2)",
     .doc = "x1 <= x2, elementwise.",
     .infer = infer_compare,
     .precision = Precision::kFollow,
     .layout = layout_broadcast},
    {.signature = "log_add_exp(x1, x2)",
     .doc = "log(exp(x1) + exp(x2)), which does not overflow, elementwise.",
     .infer = infer_binary,
     .precision = Precision::kFollow,
     .layout = layout_broadcast},
    {.signature = "logical_and(x1, x2)",
     .doc = "x1 and x2, elementwise.",
     .infer = infer_binary,
     .precision = Precision::kFollow,
     .layout = layout_broadcast},
    {.signature = "logical_or(x1, x2)",
     .doc = "x1 or x2, elementwise.",
     .infer = infer_binary,
     .precision = Precision::kFollow,
     .layout = layout_broadcast},
    {.signature = "logical_xor(x1, x2)",
     .doc = "Is one of x1 and x2 true, but not both, elementwise.",
     .infer = infer_binary,
     .precision = Precision::kFollow,
     .layout = layout_broadcast},
    {.signature = "maximum(x1, x2)",
     .doc = "The greater of x1 and x2, elementwise.",
     .infer = infer_binary,
     .precision = Precision::kFollow,
     .layout = layout_broadcast},
    {.signature = "minimum(x1, x2)",
     .doc = "The lesser of x1 and x2, elementwise.",
     .infer = infer_binary,
     .precision = Precision::kFollow,
     .layout = layout_broadcast},
    {.signature = "mod(x1, x2)",
     .doc = "The remainder of x1 / x2, with the sign of x1, elementwise.",
     .infer = infer_binary,
     .precision = Precision::kFollow,
     .layout = layout_broadcast},
    {.signature = "multiply(x1, x2)",
     .doc = "x1 * x2, elementwise.",
     .infer = infer_binary,
     .precision = Precision::kFollow,
     .layout = layout_broadcast},
    {.signature = "not_equal(x1, x2)",
     .doc = "x1 != x2, elementwise.",
     .infer = infer_compare,
     .precision = Precision::kFollow,
     .layout = layout_broadcast},
    {.signature = "power(x1, x2)",
     .doc = "x1 ** x2, elementwise.",
     .infer = infer_binary,
     .precision = Precision::kFollow,
     .layout = layout_broadcast},
    {.signature = "right_shift(x1, x2)",
     .doc = "x1 >> x2, elementwise.",
     .infer = infer_binary,
     .precision = Precision::kFollow,
     .layout = layout_broadcast},
    {.signature = "subtract(x1, x2)",
     .doc = "x1 - x2, elementwise.",
     .infer = infer_binary,
     .precision = Precision::kFollow,
     .layout = layout_broadcast},
    {.signature = "clip(x, min, max)",
     .doc = "x, but at least min and at most max, elementwise.",
     .infer = infer_clip,
     .build = build_clip},
    {.signature = "ewise_fma(x1, x2, x3)",
     .doc = "x1 * x2 + x3, elementwise, of tensors of one shape.",
     .infer = infer_fma,
     .precision = Precision::kFollow,
     .layout = layout_same_shape},
};

}  // namespace

extern const Operators binary;
const Operators binary{kRows};

}  // namespace mlc::relax::operators_binary
