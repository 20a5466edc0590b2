// SPDX-License-Identifier: Apache-2.0
// How the iterators of a block follow from the loops around it.
#include <algorithm>

#include "transform/arith/iter_map.h"
#include "transform/schedule/analysis.h"
#include "transform/schedule/witness.h"

namespace mlc::transform {

bool binds_affinely(const SBlockRealize& realize, const std::vector<LoopRange>& loops, Analyzer& analyzer) {
  // Loops of one iteration stay terms of sums: a predicate names them too.
  IterMapResult map = detect_iter_map(realize->iter_values, loops, realize->predicate,
                                      IterMapCheck::kSurjective, analyzer, false);
  // Iterators leave out no values: `i * 2` is no affine binding.
  return !map.indices.empty() && std::all_of(map.indices.begin(), map.indices.end(), [](const IterSum& sum) {
    return sum->args.empty() || is_const_int(sum->args[0]->scale, 1);
  });
}

bool has_affine_binding(ScheduleState& state, const SRefNode& block) {
  if (!block.parent) return true;
  SBlockRealize realize = realize_of(state, block);
  if (realize->iter_values.empty()) return true;
  std::vector<SRefNode*> loops = loops_above(block);
  // Each iterator one loop variable of its own: the usual case needs no proof.
  bool plain = true;
  std::unordered_set<const VarNode*> seen;
  for (const Expr& value : realize->iter_values) {
    auto* var = as<VarNode>(value);
    plain = plain && var && seen.insert(var).second;
  }
  Analyzer analyzer;
  bind_loops(analyzer, loops);
  if (plain && is_const_int(realize->predicate, 1)) {
    for (const SRefNode* loop : loops) seen.erase(loop->loop()->loop_var.get());
    if (seen.empty()) return true;
  }
  return binds_affinely(realize, ranges_of(loops), analyzer);
}

bool repeats_instances(const SBlockRealize& realize, const std::vector<SRefNode*>& loops) {
  for (const SRefNode* sref : loops) {
    bool used = used_by(realize, *sref, true) || used_by(realize, *sref, false);
    if (!used && !is_const_int(sref->loop()->extent, 1)) return true;
  }
  Analyzer analyzer;
  auto map_of = [&](IterMapCheck check) {
    return detect_iter_map(realize->iter_values, ranges_of(loops), bool_imm(true), check, analyzer, false);
  };
  IterMapResult one_to_one = map_of(IterMapCheck::kBijective);
  if (!one_to_one.indices.empty() && one_to_one.exact) return false;
  return !map_of(IterMapCheck::kSurjective).indices.empty() && !each_instance_once(realize, loops);
}

}  // namespace mlc::transform
