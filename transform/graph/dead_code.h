// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transform/pass/graph_pass.h"

namespace mlc::transform {

// The function without bindings that nothing uses, in all its bodies. What has effects stays, and so does a
// match_cast: it checks.
Function without_unused_bindings(const Function& fn);
// The module without such bindings, and without functions that neither an exported function (attribute
// `global_symbol`) nor one of `entries` reaches. Error no-such-function.
IRModule without_dead_code(const IRModule& mod, const Array<String>& entries = {});

}  // namespace mlc::transform
