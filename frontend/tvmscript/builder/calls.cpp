// SPDX-License-Identifier: Apache-2.0
#include "frontend/tvmscript/builder/calls.h"

#include "ir/core/visit.h"

namespace mlc::tvmscript {

Expr operand(const ApiCall& call, const Any& value, size_t i) {
  if (script::is_str(value)) return ir::make<ir::StringImmNode>(value.cast<String>(), call.span_of(i));
  if (auto e = script::to_expr(value)) return *e;
  return script::as_expr(value, call.span_of(i), "an argument");
}

Array<Expr> operands(const ApiCall& call, size_t first) {
  Array<Expr> all;
  for (size_t i = first; i < call.args.size(); ++i) {
    if (call.api.params[i].kind == ir::ApiParam::Kind::kVarArgs) {
      for (const Any& one : script::elements(call.args[i])) all.push_back(operand(call, one, i));
    } else if (!script::is_none(call.args[i])) {
      all.push_back(operand(call, call.args[i], i));
    }
  }
  return all;
}

Expr element_of(const Expr& value) {
  auto* var = ir::as<ir::VarNode>(value);
  if (!var || !var->buffer()) return value;
  Array<Expr> zeros;
  for (const Expr& extent : var->buffer()->shape) zeros.push_back(ir::const_like(extent, 0));
  return ir::make<ir::TensorLoadNode>(ir::ref(var), zeros, value->span);
}

}  // namespace mlc::tvmscript
