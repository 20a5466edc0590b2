// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "transform/arith/analyzer.h"

namespace mlc::transform {

// `e` simplified so that what its calls do stays: each is made as often as before, in the same order, and
// memory is read between the same calls. `simplified` says what becomes of parts that do nothing.
Expr keep_effects(const Expr& e, Analyzer& analyzer, const std::function<Expr(const Expr&)>& simplified);

// Does it do anything but compute and read?
bool has_effect(const Expr& e);

}  // namespace mlc::transform
