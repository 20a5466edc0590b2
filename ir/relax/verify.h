// SPDX-License-Identifier: Apache-2.0
// What every function of graphs keeps to, beside types and normal form: names are defined before they are used and
// once, dataflow variables stay in their block, pure functions call pure ones, symbolic variables belong to one
// function, called functions exist.
#pragma once

#include "ir/core/error.h"
#include "ir/relax/operator.h"

namespace mlc::relax {

// All that is wrong, in order of place within each function. Empty: well formed.
std::vector<ir::Diagnostic> verify(const IRModule& mod);
// Of a function alone: what it calls may be elsewhere.
std::vector<ir::Diagnostic> verify(const Function& fn);

// Does the call do more than compute its value?
bool is_impure(const CallNode* call);

}  // namespace mlc::relax
