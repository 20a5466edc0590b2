// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/regions.h"

#include "ir/core/walk_with.h"
#include "ir/tir/op.h"
#include "transform/arith/int_set.h"

namespace mlc::transform {

Interval interval_of(const Expr& e, const Domain& domain, Analyzer& analyzer) {
  if (e->dtype().is_vector()) return {};
  Domains sets;
  // What memory holds may be anything.
  Expr index = rewrite_with(e, [&](const Expr& part, Rewriter& on) -> Expr {
    if (part->kind != ExprKind::kTensorLoad) return on.rewrite_children(part);
    Var held = make_var("held", part->dtype());
    sets[held.get()] = everything();
    return held;
  });
  for (const Var& var : free_vars(index)) {
    auto known = domain.find(var.get());
    if (known == domain.end()) continue;
    const auto& [min, max] = known->second;
    sets[var.get()] = known->second ? IntervalSet(make<IntervalSetNode>(min, max)) : everything();
  }
  if (sets.empty()) return side_effect(e) == Effect::kPure ? Interval{e, e} : Interval{};
  IntervalSet all = interval_of(index, sets, analyzer);
  return all->has_lower() && all->has_upper() ? Interval{all->min_value, all->max_value} : Interval{};
}

Interval interval_of(const Range& range, const Domain& domain, Analyzer& analyzer) {
  Interval first = interval_of(range->min, domain, analyzer);
  if (is_const_int(range->extent, 1)) return first;
  // An extent that is not constant often takes back what `min` adds.
  Expr end = range->min + range->extent - 1;
  Interval last =
      interval_of(range->extent->kind == ExprKind::kIntImm ? end : analyzer.simplify(end), domain, analyzer);
  return {first.min, last.max};
}

Interval unite(const Interval& a, const Interval& b, Analyzer& analyzer) {
  return {analyzer.simplify(ir::min(a.min, b.min)), analyzer.simplify(ir::max(a.max, b.max))};
}

}  // namespace mlc::transform
