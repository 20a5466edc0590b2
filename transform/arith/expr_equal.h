// SPDX-License-Identifier: Apache-2.0
// Are two expressions the same tree? Variables by identity, constants by value: what simplification
// needs thousands of times per primitive, without reflection.
#pragma once

#include "ir/core/expr.h"

namespace mlc::transform {

using namespace mlc::ir;  // NOLINT: the nodes are the language of this folder

bool same_expr(const Expr& a, const Expr& b);
bool same_exprs(const Array<Expr>& a, const Array<Expr>& b);  // as many, each the same

}  // namespace mlc::transform
