// SPDX-License-Identifier: Apache-2.0
// What Python's operators, subscripts and attributes mean when an operand is a value of the IR: they build
// IR. Script numbers mix in as constants of the other operand's type.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "frontend/syntax/ast.h"
#include "ir/core/node_fwd.h"
#include "ir/tir/simplified.h"

namespace mlc::script {

using ir::Any;
using ir::Span;

// True for values whose operators build IR: expressions (buffers among them) and what stands for an
// expression, such as a block iterator (IterVar). One type-range test for plain script values.
bool is_ir_value(const Any& value);

// A slice of elements (`A[i, 4:8]`) as the vector it holds; everything else as it is.
ir::Expr region_value(const ir::Expr& e);
// A script number, bool, or IR value as an expression: ints become int32 (int64 when they do not fit), floats
// float32, bools bool. nullopt when the value is nothing of that kind.
std::optional<ir::Expr> to_expr(const Any& value, Span span = {});
// The same; throws Error wrong-type naming the value's type and what it was wanted for ("an index", ...).
ir::Expr as_expr(const Any& value, Span span, std::string_view wanted_for);

// At least one operand is an IR value. Errors: type-mismatch, integer-division, unsupported-operator.
Any ir_binary(syntax::BinOperator op, const Any& a, const Any& b, Span span);
Any ir_unary(syntax::UnaryOperator op, const Any& a, Span span);
// One link of a comparison chain; chains are joined by ir_bool_op(kAnd). `is`/`is not` compare identity and
// give a script bool; `in` is refused. In a function that is being built (`builds`) the text is the
// expression; elsewhere constants are compared at once, an integer for equality where it is on the left.
Any ir_compare(syntax::CmpOperator op, const Any& a, const Any& b, Span span, bool builds);
// `and`/`or` of two operands, at least one of them an IR value.
Any ir_bool_op(syntax::BoolOperator op, const Any& a, const Any& b, Span span);
// `yes if test else no` where the test is an IR value: tirx.if_then_else.
Any ir_if_exp(const Any& test, const Any& yes, const Any& no, Span span);

// `base[i, j]`: a load of a buffer, a region where an index is a script Slice, an element of a tuple.
// Errors: not-subscriptable, wrong-number-of-indices, index-not-integer.
Any ir_subscript(const Any& base, std::span<const Any> indices, Span span, const ir::Simplify& simplify);
// The elements of an expression that is a tuple or a shape; none when it is not, or not known to be one.
std::optional<std::vector<Any>> ir_tuple_items(const Any& value, Span span);
// Attributes that are no reflected field and no registered method: A.data, A.shape, A.dtype, x.dtype, iv.var,
// ... nullopt when the base has no such attribute.
std::optional<Any> ir_attribute(const Any& base, std::string_view name, Span span);

}  // namespace mlc::script
