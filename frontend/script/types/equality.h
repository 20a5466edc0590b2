// SPDX-License-Identifier: Apache-2.0
// `a == b` and `a != b` of expressions in a script: the comparison of the IR, which shows what was compared
// as long as it is no part of anything else. `EqualOp(x, 1)`.
#pragma once

#include <optional>
#include <string>

#include "frontend/script/core/evaluator.h"
#include "ir/core/node_fwd.h"

namespace mlc::script {

// The comparison of `a` and `b`, which are `x` and `y` as expressions of one type each.
ir::Expr deferred_equality(bool equal, const Any& a, const Any& b, ir::Expr x, ir::Expr y, ir::Span span);
// The value as a part of an expression or for another room: a comparison that `deferred_equality` made
// becomes the node alone, attributes (dict_attrs.h) the map that they are.
Any settled(const Any& value);
// How a comparison that `deferred_equality` made shows itself; nullopt for all other values.
std::optional<std::string> equality_text(Evaluator& evaluator, const Any& value);

}  // namespace mlc::script
