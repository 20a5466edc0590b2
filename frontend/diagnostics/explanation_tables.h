// SPDX-License-Identifier: Apache-2.0
// The parts of explanations(), by subject; that of functions stands in explanations.cpp.
#pragma once

#include "frontend/diagnostics/explanations.h"

namespace mlc::diagnostics {

std::span<const Explanation> script_explanations();
std::span<const Explanation> array_explanations();
std::span<const Explanation> tools_explanations();

}  // namespace mlc::diagnostics
