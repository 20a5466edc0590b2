// SPDX-License-Identifier: Apache-2.0
// The loop nest as boxes in boxes.
#pragma once

#include <optional>

#include "ir/core/module.h"
#include "repl/report/page.h"
#include "transform/analysis/cost.h"

namespace mlc::repl {

// "float32 128 × 64".
std::string shape_text(const ir::Buffer& buffer);

// Nothing where an extent is no number.
std::optional<transform::FunctionCost> counted_cost(const ir::IRModule& mod, const std::string& function,
                                                    const std::vector<transform::MemoryLevel>& levels);

// Of all functions of TIR in a module. `program`: its text as it is shown beside, in which boxes find their
// lines. CallError when it has no such function.
Plot nest_plot(const ir::IRModule& mod, const std::string& name, std::string program);

}  // namespace mlc::repl
