// SPDX-License-Identifier: Apache-2.0
// What differs between two states of a graph, as its reader would say it: calls legalised, fused, inlined, written into
// memory, in place; bindings added, removed, moved; types and attributes that have changed.
//
// Nothing is asked of the passes that led from one to the other. Values correspond that are computed in the same way of
// values that correspond, whatever they are called; a call of a graph corresponds to what its body computes.
#pragma once

#include "transform/analysis/graph_tree.h"
#include "transform/analysis/tree_diff.h"

namespace mlc::transform {

// `blocks` of a change are the variables that it is about. Of the same change of several bindings there is one.
std::vector<TreeChange> graph_diff(const ir::IRModule& before, const ir::IRModule& after, const GraphTree& old,
                                   const GraphTree& now, const TextOf& text);

}  // namespace mlc::transform
