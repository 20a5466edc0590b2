// SPDX-License-Identifier: Apache-2.0
// Conditions of blocks: which parts of them follow from their iterators, and how the others move along.
#pragma once

#include "transform/schedule/analysis.h"

namespace mlc::transform {

// The parts of a block's condition that do not hold by themselves wherever all of its iterators stay in their
// domains. `loops`: those around the block, whose ranges `analyzer` knows.
std::vector<Expr> conditions_beyond_domains(const SBlockRealize& realize, const std::vector<SRefNode*>& loops,
                                            Analyzer& analyzer);

// A condition on the loops around a block as one on its iterators; loops in `kept` stay. nullopt where the
// iterators do not imply.
std::optional<Expr> condition_on_iterators(const Expr& condition, const SBlockRealize& realize,
                                           const std::vector<SRefNode*>& loops, const std::vector<SRefNode*>& kept);

// A condition without its repeated parts.
Expr said_once(const Expr& condition);

// Is an index a load of one element while the variables of `domain` run over theirs, and the same
// all along: no block of the scope writes it?
bool is_fixed_element(const Expr& index, const Domain& domain, ScheduleState& state, const SRefNode& scope);

// Does the condition hold for all values of its variables? Proved, also by what remains between both sides
// while the variables of `domain` run over theirs, or, where these are few, looked at one by one.
bool always_holds(const Expr& condition, Analyzer& analyzer, const Domain& domain = {});

}  // namespace mlc::transform
