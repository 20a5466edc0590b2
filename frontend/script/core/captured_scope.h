// SPDX-License-Identifier: Apache-2.0
// The names around a definition, kept to be looked up after the code around it has ended.
#pragma once

#include <memory>
#include <vector>

#include "frontend/script/core/evaluator.h"

namespace mlc::script {

// Variables of the functions around (those that closures share, late), and the names of the file, late.
std::shared_ptr<NameScope> capture(Scope where);

// Those of the names free in a lambda or generator expression that mean variables around it, found by name alone.
std::vector<Symbol> captured_names(Evaluator::State& state, const std::vector<Symbol>& free, Frame& f);

}  // namespace mlc::script
