// SPDX-License-Identifier: Apache-2.0
// What functions that build a call of an operator share: operands from script values, the call itself.
#pragma once

#include "frontend/tvmscript/builder/arguments.h"
#include "ir/tir/op.h"

namespace mlc::tvmscript {

inline Type prim(DataType dtype) {
  if (dtype.is_void()) return ir::void_type();
  if (dtype.is_handle()) return void_pointer();
  return ir::prim_type(dtype);
}

inline Expr call_of(Type type, std::string_view op, Array<Expr> args, Span span,
                    Map<String, Any> attrs = {}) {
  return ir::make<ir::CallNode>(std::move(type), ir::op(op), std::move(args), std::move(attrs), span);
}

// In scripts most operators take a `dtype`, last, that says nothing: the arguments decide it.
template <ir::Native kBody>
Any untyped(ApiCall& call) {
  call.args = call.args.first(call.args.size() - 1);
  return kBody(call);
}

// Script values as operands: strings become StringImm.
Expr operand(const ApiCall& call, const Any& value, size_t i);
// All arguments from `first` on in order, `*args` spread out; those that are None are left out.
Array<Expr> operands(const ApiCall& call, size_t first = 0);
// The element of a buffer used as a value; other values as they are.
Expr element_of(const Expr& value);

}  // namespace mlc::tvmscript
