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

// Does this loop give reduction iterators and others, and may it have no step? Then no loop inside of it runs
// over the elements of a sum without terms: after `fuse` of `i` and an empty `k`.
bool may_start_nothing(const SBlockRealizeNode& realize, const ForNode& loop);

// The initialisation of the block in front of these loops (outermost first): the spatial ones among them,
// with variables of their own, around a block `NAME_init`. Conditions on reduction loops are dropped.
// Iterators of loops that may start nothing go through their domains.
Stmt init_nest(const std::vector<const ForNode*>& loops, const SBlockRealizeNode& realize,
               const Simplify& simplify);

// What must run in front of the last of these loops (outermost first) for the reductions below it that it
// begins and that may have no step: where they have none, their initialisation. Where they have steps it does
// nothing, and the init inside of them runs: so it is right whatever the iterators' values are.
std::vector<Stmt> inits_of_empty_reductions(std::vector<const ForNode*> loops, const Simplify& simplify);

}  // namespace mlc::ir
