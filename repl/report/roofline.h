// SPDX-License-Identifier: Apache-2.0
// What a machine allows functions: operations per second over operations per byte, each axis by powers of
// two. Williams, Waterman, Patterson: "Roofline: an insightful visual performance model for multicore
// architectures" (Communications of the ACM 52(4), 2009); a roof for each level of memory as in Ilic, Pratas,
// Sousa: "Cache-aware roofline model" (IEEE Computer Architecture Letters 13, 2014).
#pragma once

#include "repl/report/page.h"
#include "transform/analysis/cost.h"

namespace mlc::repl {

// CallError where no function has operations on floats, or the machine is not known.
Plot roofline_plot(const std::vector<transform::FunctionCost>& costs, const transform::Machine& machine,
                   std::string program);

}  // namespace mlc::repl
