// SPDX-License-Identifier: Apache-2.0
// Shapes as values.
#include "ir/relax/operand_checks.h"

namespace mlc::relax::operators_shape {
namespace {

Type infer_shape_of(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  if (const Array<Expr>* dims = written_dims(x)) return make<ShapeTypeNode>(*dims);
  return make<ShapeTypeNode>(x->ndim);
}
Type infer_size(const CallNode* call, const InferContext&) {
  tensor_operand(call, 0);
  return tensor_type(Array<Expr>{}, DataType::Int(64));
}
Type infer_shape_to_tensor(const CallNode* call, const InferContext&) {
  const ShapeTypeNode* shape = shape_operand(call, 0);
  if (!shape->knows_ndim()) return tensor_type(DataType::Int(64), 1);
  return tensor_type(Array<Expr>{dim(shape->ndim)}, DataType::Int(64));
}
Type infer_tensor_to_shape(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  if (x->ndim != 1) refuse_ndim(call, 0, x->ndim, "1 dimension");
  auto dims = x->dims();
  auto count = dims ? ir::const_int((*dims)[0]) : std::nullopt;
  return make<ShapeTypeNode>(count.value_or(kUnknownNDim));
}

constexpr Operator kRows[] = {
    {.signature = "shape_of(expr)",
     .arguments = "input Expr",
     .doc = "The shape of a tensor.",
     .infer = internal_errors<infer_shape_of>},
    {.signature = "size(expr)",
     .arguments = "input Expr",
     .doc = "How many elements a tensor has.",
     .infer = internal_errors<infer_size>},
    {.signature = "shape_to_tensor(expr)",
     .arguments = "input Expr",
     .doc = "A shape as a tensor of int64.",
     .infer = internal_errors<infer_shape_to_tensor>},
    {.signature = "tensor_to_shape(expr)",
     .arguments = "input Expr",
     .doc = "A tensor of integers as a shape.",
     .infer = internal_errors<infer_tensor_to_shape>},
};

}  // namespace

extern const Operators shape;
const Operators shape{kRows};

}  // namespace mlc::relax::operators_shape
