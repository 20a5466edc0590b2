// SPDX-License-Identifier: Apache-2.0
// Where and how a reduction block starts, apart from its updates.
#pragma once

#include <vector>

#include "ir/core/visit.h"
#include "ir/tir/simplified.h"

namespace mlc::ir {

// Do reduction iterators of the block, or the others, take their values from this loop?
bool used_by(const SBlockRealizeNode& realize, const VarNode* loop_var, bool reductions);
// The parts of `a and b and ...`.
std::vector<Expr> conjuncts(const Expr& condition);

// The outermost of the loops (outermost first) that a reduction iterator of the block depends on, if one of
// these may have no step: then the result is the reducer's identity, which must be stored before that loop.
std::optional<size_t> outermost_empty_reduction(const std::vector<const ForNode*>& loops,
                                                const SBlockRealizeNode& realize);

// The initialisation of the block in front of these loops (outermost first): the spatial ones among them,
// with variables of their own, around a block `NAME_init`. Conditions on reduction loops are dropped.
Stmt init_nest(const std::vector<const ForNode*>& loops, const SBlockRealizeNode& realize,
               const Simplify& simplify);

}  // namespace mlc::ir
