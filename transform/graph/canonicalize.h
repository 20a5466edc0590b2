// SPDX-License-Identifier: Apache-2.0
// Bindings that say nothing new are written away:
//   - a variable that is bound to another variable, to an element of a known tuple or to a known tuple taken apart
//     and put together again; a match_cast to the type that its value has;
//   - symbolic variables that a match_cast defines as sizes that are known already;
//   - uses of variables that are bound to constants (the binding itself stays);
//   - variables of a dataflow block that are not seen outside of it become dataflow variables.
#pragma once

#include "transform/pass/graph_pass.h"

namespace mlc::transform {

Function canonicalize_bindings(const Function& fn, const IRModule& mod, Host& host);
// All functions of graphs in the module.
IRModule canonicalize_bindings(const IRModule& mod, Host& host);

}  // namespace mlc::transform
