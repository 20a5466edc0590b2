// SPDX-License-Identifier: Apache-2.0
// Arguments of T.* calls as IR.
#pragma once

#include "frontend/script/core/ir_values.h"
#include "frontend/script/core/value.h"
#include "frontend/tvmscript/builder/builder.h"
#include "ir/tir/simplified.h"

namespace mlc::tvmscript {

using ir::ApiCall;

// Argument i as an expression; script numbers become constants.
Expr expr_arg(const ApiCall& call, size_t i);
// `e`, an integer: Error type-mismatch about `what` otherwise.
Expr integer_of(Expr e, Span span, std::string_view what);
// As expr_arg, an integer (index, bound, dimension).
Expr integer_arg(const ApiCall& call, size_t i);
// A data type by name ("float32") or by its constructor (T.float32).
DataType dtype_arg(const ApiCall& call, size_t i);
DataType dtype_from(const Any& value, Span span);
bool bool_arg(const ApiCall& call, size_t i);
int64_t int_arg(const ApiCall& call, size_t i);  // an integer that is known now
String str_arg(const ApiCall& call, size_t i);
using ir::view;
bool is_given(const ApiCall& call, size_t i);  // not None
inline bool is_list(const Any& value) {
  return script::as<ffi::ArrayObj>(value) || script::as<ffi::ListObj>(value);
}
// What a list or tuple holds; any other value alone.
inline std::span<const Any> one_or_all(const Any& value) {
  return is_list(value) ? script::elements(value) : std::span<const Any>(&value, 1);
}
// One expression or a sequence of them.
Array<Expr> exprs_arg(const ApiCall& call, size_t i);
// Arguments i and j were given in each other's place.
[[noreturn]] void swapped(const ApiCall& call, size_t i, size_t j);
// Likewise, where both orders are legal.
void warn_swapped(const ApiCall& call, size_t i, size_t j);
// The indices of an element of a buffer; Error wrong-number-of-indices unless there is one for each
// dimension, of `kind` if given.
Array<Expr> indices_arg(const ApiCall& call, size_t i, const Buffer& buffer, const char* kind = nullptr);
// A function of the script as one of indices, whose value is `what`.
Any lambda_arg(const ApiCall& call, size_t i, std::string_view what);
// From `start` to `stop`, or from 0 to `start` where there is no `stop`.
Loop loop_over(Expr start, Expr stop, const Expr& step, Span span, const ir::Simplify& simplify);
std::vector<Any> items(const Any& sequence, Span span);
// A buffer argument; Error wrong-type otherwise.
Buffer buffer_arg(const ApiCall& call, size_t i);
// dict -> Map<String, Any>, lists -> Array, recursively: what attributes and annotations hold.
Any attribute_value(const Any& value, Span span);
Map<String, Any> attributes_arg(const ApiCall& call, size_t i);  // None: empty

ir::PointerType void_pointer();  // the type of T.handle

}  // namespace mlc::tvmscript
