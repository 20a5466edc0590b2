// SPDX-License-Identifier: Apache-2.0
// Calls that passes make: values as expressions, and the operators of memory.
#pragma once

#include "transform/pass/graph_pass.h"

namespace mlc::transform {

inline Expr int64_imm(int64_t value) { return ir::int_imm(DataType::Int(64), value); }
inline Expr string_imm(std::string_view value) { return make<ir::StringImmNode>(String(std::string(value))); }
// `R.dtype("float32")`
inline Expr dtype_const(DataType dtype) { return make<GenericConstNode>(Any(static_cast<DLDataType>(dtype))); }
// The data type of such a constant.
DataType dtype_of_const(const Expr& e);
// `R.call_packed(name, *args, ty_args=types)`, with its type.
Call call_packed(std::string_view name, Array<Expr> args, Array<Type> ty_args = {}, Span span = {});
// What a tuple operand holds: the elements of a Tuple, else one TupleGetItem each.
Array<Expr> tuple_elements(const Expr& e);
// Bytes of one element in memory.
int64_t element_bytes(DataType dtype);

}  // namespace mlc::transform
