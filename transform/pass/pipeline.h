// SPDX-License-Identifier: Apache-2.0
// How a module becomes what code generators take.
#pragma once

#include "ir/target.h"
#include "transform/pass/pass.h"

namespace mlc::transform {

// The default pipeline of the target on the whole module: the result has no blocks, flat buffers, and only
// the statements that code generators know. Throws Error pipeline-not-available for targets without one.
IRModule lower(const IRModule& mod, const Target& target);

// The module after each pass that changed it, by the pass's name; the first entry is ("input", mod).
std::vector<std::pair<std::string, IRModule>> lower_stages(const IRModule& mod, const Target& target);

}  // namespace mlc::transform
