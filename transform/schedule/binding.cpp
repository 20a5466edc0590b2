// SPDX-License-Identifier: Apache-2.0
// How the iterators of a block follow from the loops around it.
#include <algorithm>

#include "transform/arith/expr_equal.h"
#include "transform/arith/iter_map.h"
#include "transform/schedule/analysis.h"
#include "transform/schedule/compute_location.h"
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
  // A block that never runs keeps any condition.
  bool runs_never = std::any_of(loops.begin(), loops.end(),
                                [](const SRefNode* loop) { return is_const_int(loop->loop()->extent, 0); });
  if (plain && (runs_never || is_const_int(realize->predicate, 1))) {
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

Expr last_under_condition(const SBlockRealize& realize, size_t iter, Expr last, Analyzer& analyzer) {
  for (const Expr& condition : conjuncts(realize->predicate)) {
    auto* test = as<LTNode>(condition);
    if (!test || !same_expr(test->a, realize->iter_values[iter])) continue;
    Expr end = test->b - 1;
    last = analyzer.can_prove(le(end, last)) ? end : ir::min(last, end);
  }
  return last;
}

std::optional<std::pair<double, double>> fewer_instances(const SBlockRealize& realize, const SRefNode& block,
                                                         SRefNode& loop,
                                                         const std::vector<IterDomain>& domains,
                                                         Analyzer& analyzer) {
  double domain = 1, now = 1, then = 1;
  bool known = true;
  auto times = [&](double& product, const Expr& extent) {
    auto value = const_int(analyzer.simplify(extent));
    product *= static_cast<double>(value.value_or(0));
    known = known && value;
  };
  for (const SRefNode* each : loops_up(loop)) times(then, each->loop()->extent);
  std::vector<SRefNode*> above = loops_above(block);
  for (const SRefNode* each : above) {
    Expr last = each->loop()->extent - 1;
    for (size_t i = 0; i < realize->iter_values.size(); ++i)
      if (realize->iter_values[i].same_as(each->loop()->loop_var))
        last = last_under_condition(realize, i, last, analyzer);
    times(now, last + 1);
  }
  for (size_t i = 0; i < domains.size() && known; ++i) {
    const Interval& range = domains[i].range;
    if (!range) return std::nullopt;
    const Range& all = realize->block->iter_vars[i]->dom;
    Expr last = last_under_condition(realize, i, all->min + all->extent - 1, analyzer);
    times(domain, last - all->min + 1);
    times(then, range.max - range.min + 1);
  }
  if (!known || then >= std::min(domain, now)) return std::nullopt;
  return std::pair{then, std::min(domain, now)};
}

}  // namespace mlc::transform
