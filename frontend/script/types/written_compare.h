// SPDX-License-Identifier: Apache-2.0
// A comparison that stands in the text. In a function that is being built it is an expression of the IR; what
// builtins compare (`min`, `sorted`, `in`) is a value at once.
#pragma once

#include "frontend/script/core/ir_values.h"
#include "frontend/script/core/machine.h"

namespace mlc::script {

inline Any written_compare(Evaluator::State& state, syntax::CmpOperator op, const Any& a, const Any& b,
                           Span span) {
  using syntax::CmpOperator;
  bool orders = op != CmpOperator::kIs && op != CmpOperator::kIsNot && op != CmpOperator::kIn &&
                op != CmpOperator::kNotIn;
  if (orders && state.frame != nullptr && builds_ir(*state.frame) && (is_ir_value(a) || is_ir_value(b)))
    return ir_compare(op, plain_number(a), plain_number(b), span, true);
  return state.self.compare(op, a, b, span);
}

}  // namespace mlc::script
