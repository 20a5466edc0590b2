// SPDX-License-Identifier: Apache-2.0
// What Python's operators mean on values of the graph language (tensors, calls whose type is not inferred yet): calls
// of its operators. Numbers do not mix in, as in TVM: `R.const(1.0, "float32")` makes a tensor of one.
#pragma once

#include <optional>

#include "frontend/syntax/ast.h"
#include "ir/core/node_fwd.h"

namespace mlc::script {

using ir::Any;
using ir::Span;

// A tensor, or the result of a call that nobody has inferred.
bool is_graph_value(const Any& value);
// At least one operand is one. Errors: number-beside-tensor, unsupported-operator.
Any graph_binary(syntax::BinOperator op, const Any& a, const Any& b, Span span);
Any graph_unary(syntax::UnaryOperator op, const Any& a, Span span);
// `<`, `<=`, `>`, `>=`.
Any graph_compare(syntax::CmpOperator op, const Any& a, const Any& b, Span span);

}  // namespace mlc::script
