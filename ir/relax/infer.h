// SPDX-License-Identifier: Apache-2.0
// What the inference of operators shares: operands with their types, shapes with the arithmetic of symbolic
// dimensions, broadcasting.
#pragma once

#include "ir/relax/operator.h"

namespace mlc::relax {

// Operand i as a tensor; Error operand-not-a-tensor at its span otherwise. Operands of type Any are refused.
const TensorTypeNode* tensor_operand(const CallNode* call, size_t i);
std::vector<const TensorTypeNode*> tensor_operands(const CallNode* call);
// Operand i as a shape; Error operand-not-a-shape.
const ShapeTypeNode* shape_operand(const CallNode* call, size_t i);
// The tensors of a tuple operand; Error operand-not-a-tuple.
std::vector<const TensorTypeNode*> tensor_tuple_operand(const CallNode* call, size_t i);

// As `operand x of relax.add`, for messages.
std::string operand_name(const CallNode* call, size_t i);
// `x: R.Tensor((n, 4), "float32")` as short text.
std::string shape_text(const Array<Expr>& dims);
std::string dim_text(const Expr& dim);

// A tensor of these dimensions.
Type tensor_type(Array<Expr> dims, DataType dtype, VDevice vdevice = {});
Type tensor_type(DataType dtype, int64_t ndim, VDevice vdevice = {});
inline Expr dim(int64_t value) { return ir::int_imm(DataType::Int(64), value); }
Expr mul(const Expr& a, const Expr& b, const InferContext& context);
Expr add(const Expr& a, const Expr& b, const InferContext& context);
Expr product(const Array<Expr>& dims, const InferContext& context);

// Axis in [-ndim, ndim) as [0, ndim); Error axis-out-of-range about the call.
int64_t normalize_axis(int64_t axis, int64_t ndim, const CallNode* call);
std::vector<int64_t> normalize_axes(const std::vector<int64_t>& axes, int64_t ndim, const CallNode* call);

// The shape of an elementwise operation of two shapes (NumPy's rule); nullopt where a dimension cannot be
// decided. Error shapes-do-not-broadcast, at operand `j`, where they cannot.
std::optional<Array<Expr>> broadcast_shape(const Array<Expr>& a, const Array<Expr>& b, const CallNode* call,
                                           size_t i, size_t j, const InferContext& context);
// The common data type of operands; Error dtypes-differ.
DataType common_dtype(const CallNode* call, const TensorTypeNode* a, const TensorTypeNode* b);
// The device that `ty_args` of the call names, or else that the operands lie on, or null; Error
// devices-differ.
VDevice common_vdevice(const CallNode* call, std::span<const TensorTypeNode* const> operands);

// ---- rules of families ----
// The type of operand 0, whatever its data type; that of floats alone; with a bool result.
Type infer_unary_any(const CallNode* call, const InferContext& context);
Type infer_unary_float(const CallNode* call, const InferContext& context);
Type infer_unary_bool(const CallNode* call, const InferContext& context);
Type infer_binary(const CallNode* call, const InferContext& context);
Type infer_compare(const CallNode* call, const InferContext& context);

// ---- relations of types ----
// Is a value of type `derived` one of type `base`: never; perhaps, but its kind, data type or rank is not
// known well enough; if its dimensions are what they are not known to be; always.
enum class Fit : uint8_t { kNever, kTypeUnknown, kShapeUnknown, kAlways };
Fit fits(const Type& base, const Type& derived, const InferContext& context);
// The most special type that both are of.
Type common_type(const Type& a, const Type& b, const InferContext& context);
// The type with variables that are not in `kept` forgotten: shapes that use them become their rank.
Type erase_to_defined(const Type& type, const std::function<bool(const VarNode*)>& kept,
                      const InferContext& context);
// What a call of a function of type `fn` yields, with its symbolic variables bound by the arguments;
// Error wrong-argument-count, argument-type-mismatch.
Type infer_function_call(const CallNode* call, const FuncTypeNode* fn, const InferContext& context);
// What the type of an argument says about the symbolic variables that are dimensions of the parameter's.
void bind_symbols(const Type& param, const Type& arg, ir::VarMap& bound);
// The function of the module that a variable names, or null. Found by the variable itself, or by its name.
BaseFunc function_of(const IRModule& mod, const GlobalVarNode* name);
// The type under which graphs call a function of the module: that of a PrimFunc has tensors for its buffers.
Type callable_type(const BaseFunc& fn);
// The same for the type that a GlobalVar of tensor code carries; other types are what they are.
Type callable_type(const Type& type);
// Symbolic variables that a type uses, in order of first use.
std::vector<Var> symbolic_vars(const Type& type);
// Those that a parameter or match_cast of this type defines: dimensions that are variables by themselves.
std::vector<Var> definable_vars(const Type& type);
Type substitute(const Type& type, const ir::VarMap& values, const InferContext& context);

}  // namespace mlc::relax
