// SPDX-License-Identifier: Apache-2.0
// What rules of inference of several families ask of operands, and the types that they make of them.
#pragma once

#include "ir/relax/infer.h"

namespace mlc::relax {

// The dimensions of a shape that is written out; null where the shape is a variable or unknown.
const Array<Expr>* written_dims(const TensorTypeNode* type);

// The tensor with another data type; of the dimensions `dims` where they are known, else of that rank.
Type with_dtype(const TensorTypeNode* type, DataType dtype);
Type with_dims(const TensorTypeNode* type, Array<Expr> dims);
Type with_ndim(const TensorTypeNode* type, int64_t ndim);
inline Type same_type(const TensorTypeNode* type) { return ir::ref(type); }

// The device of the first operand that has one; null where others lie elsewhere.
VDevice shared_vdevice(std::span<const TensorTypeNode* const> operands);
// The data type of all; unknown where one is unknown. Error dtypes-of-operands-differ.
DataType shared_dtype(const CallNode* call, std::span<const TensorTypeNode* const> operands);
// 1 * a * b ..., as it is written.
Expr plain_product(const Array<Expr>& dims);

// ---- checks; what is not known passes ----
// Error operand-not-integer, operand-not-bool.
void check_integer(const CallNode* call, size_t i, const TensorTypeNode* type);
void check_bool(const CallNode* call, size_t i, const TensorTypeNode* type);
// Error operand-of-wrong-dtype: it must be `wanted`.
void check_dtype(const CallNode* call, size_t i, const TensorTypeNode* type, DataType wanted);
// Error operands-of-two-dtypes.
void check_same_dtype(const CallNode* call, size_t i, const TensorTypeNode* a, size_t j, const TensorTypeNode* b);
// Error operand-of-wrong-rank, ranks-differ.
void check_ndim(const CallNode* call, size_t i, const TensorTypeNode* type, int64_t ndim);
void check_same_ndim(const CallNode* call, size_t i, const TensorTypeNode* a, size_t j, const TensorTypeNode* b);
[[noreturn]] void refuse_ndim(const CallNode* call, size_t i, int64_t ndim, std::string_view wanted);
// Error dimensions-differ: dimension `a_axis` of operand i, which is `a`, and `b_axis` of operand j; with where both come from.
[[noreturn]] void refuse_dims(const CallNode* call, size_t i, size_t a_axis, const Expr& a, size_t j, size_t b_axis,
                              const Expr& b, const InferContext& context);
// Error no-tensors, about a tuple operand.
void check_not_empty(const CallNode* call, std::span<const TensorTypeNode* const> operands);
// A primitive operand; Error operand-not-prim, operand-not-prim-integer.
Expr prim_operand(const CallNode* call, size_t i);
Expr prim_int_operand(const CallNode* call, size_t i);
// The span to blame for operand i.
Span operand_span(const CallNode* call, size_t i);
std::string call_name(const CallNode* call);  // "matmul"

// Facts for ir::is_nonnegative: of symbolic variables only those are known to be 0 or more that something defines as
// a dimension before the call; index arithmetic does not wrap.
struct DimensionFacts {
  const InferContext& context;
  bool is_nonnegative(const VarNode* var) const;
  bool is_exact(const Expr&) const { return true; }
};

// An inference whose refusals are internal errors for scripts, as they are in TVM.
template <Infer infer>
Type internal_errors(const CallNode* call, const InferContext& context) {
  try {
    return infer(call, context);
  } catch (ir::Error& error) {
    throw std::move(error).kind("InternalError");
  }
}

// The same, but for an operand that is no tensor.
template <Infer infer>
Type internal_errors_of_tensors(const CallNode* call, const InferContext& context) {
  tensor_operands(call);
  return internal_errors<infer>(call, context);
}

// ---- for builders ----
// Argument i as a primitive expression: numbers, bools, and expressions as they are. Error not-a-number.
Expr prim_arg(const ApiCall& call, size_t i);
// Argument i as types: one, a list of them, none for None. Error not-a-type.
Array<Type> types_arg(const ApiCall& call, size_t i);
// The items of a list or a tuple; another value alone.
std::vector<Any> one_or_all(const Any& value);

}  // namespace mlc::relax
