// SPDX-License-Identifier: Apache-2.0
// Values for parameters and symbolic dimensions of functions.
#pragma once

#include "ir/relax/visit.h"

namespace mlc::relax {

// A variable or its name (a String), and what stands in its place from here on.
using Bindings = std::vector<std::pair<Any, Expr>>;

// The function with values for parameters, which are parameters no more; symbolic dimensions follow from the
// shapes of the values. Errors at `span`: no-such-parameter, ambiguous-name, argument-does-not-fit.
Function bind_params(const Function& fn, const Bindings& values, ir::Host& host, Span span,
                     const IRModule& mod = {});
// The function with values for symbolic variables. Errors at `span`: no-such-dimension, ambiguous-name,
// undefined-dimension.
Function bind_symbolic_vars(const Function& fn, const Bindings& values, ir::Host& host, Span span,
                            const IRModule& mod = {});
// The function with values in its body and types, inferred again, less the parameters that have one.
Function with_values(const Function& fn, const ir::VarMap& values, ir::Host& host, const IRModule& mod = {});

// Symbolic variables that parameters and match_casts define, in order.
std::vector<Var> defined_symbolic_vars(const Function& fn);
// Symbolic variables by themselves in `type` whose value is seen in `given`, the type of what is passed.
void match_dims(const Type& type, const Type& given, ir::VarMap& values);

}  // namespace mlc::relax
