// SPDX-License-Identifier: Apache-2.0
// tvm.sym: the values that ranges of indices cover while their variables run.
#include "ir/core/try_get.h"
#include "transform/arith/iter_map.h"
#include "transform/arith/region_bound.h"
#include "transform/arith/sym.h"

namespace mlc::transform::sym {
namespace {

// min, min + 1, ..., min + extent - 1
IntervalSet from_min_extent(const Expr& min, const Expr& extent) {
  if (is_const_int(extent, 1)) return point(min);
  return make<IntervalSetNode>(min, sub(add(extent, min), const_like(min, 1)));
}

// One index of `extent` values from a digit on; null when they leave holes.
IntervalSet covered(const IterSum& sum, const Expr& extent, Analyzer& analyzer) {
  if (sum->args.empty()) return from_min_extent(sum->base, extent);
  const IterSplit& split = sum->args[0];
  Expr step = split->scale, reach = mul(sub(split->extent, const_like(step, 1)), step);
  // (y * -1) % 4 is the digit y % -4, scaled by -1.
  if (const_int(split->extent).value_or(1) < 1) return nullptr;
  // Counting down, the last value is the least.
  bool down = analyzer.can_prove(lt(step, const_like(step, 0)));
  if (!analyzer.can_prove(ge(extent, down ? neg(step) : step))) return nullptr;
  if (down) return from_min_extent(add(sum->base, reach), sub(extent, reach));
  return from_min_extent(sum->base, add(extent, reach));
}

}  // namespace

std::optional<std::vector<IntervalSet>> strict_bound(const Array<Range>& region,
                                                     const std::vector<LoopRange>& iters,
                                                     const Expr& predicate, Analyzer& analyzer) {
  Array<Expr> starts;
  for (const Range& range : region) {
    if (!const_int(range->extent)) return std::nullopt;
    starts.push_back(range->min);
  }
  IterMapResult found = detect_iter_map(starts, iters, predicate, IterMapCheck::kSurjective, analyzer);
  if (found.indices.empty() || found.reordered) return std::nullopt;
  std::vector<IntervalSet> sets;
  for (size_t i = 0; i < region.size(); ++i) {
    IntervalSet set = covered(found.indices[i], region[i]->extent, analyzer);
    if (!set) return std::nullopt;
    sets.push_back(set);
  }
  return sets;
}

IntervalSet bound_by_digits(const Range& range, const std::vector<LoopRange>& iters, const Expr& predicate,
                            Analyzer& analyzer) {
  IterMapResult found = detect_iter_map({range->min}, iters, predicate, IterMapCheck::kSurjective, analyzer);
  return found.indices.empty() || found.reordered ? nullptr : covered(found.indices[0], range->extent, analyzer);
}

namespace {

Array<Range> region_argument(const ApiCall& call) { return list_argument<Range>(call, 0, "list of ranges"); }

Any exact_region(ApiCall& call) {
  AnalyzerValue analyzer = analyzer_argument(call, 3);
  auto sets = strict_bound(region_argument(call), iters_argument(call, 1), expr_argument(call, 2),
                           *analyzer->analyzer);
  return sets ? Any(Array<Any>(sets->begin(), sets->end())) : Any(nullptr);
}

Any relaxed_region(ApiCall& call) {
  AnalyzerValue own = analyzer_argument(call, 3);
  Analyzer& analyzer = *own->analyzer;
  Array<Range> region = region_argument(call);
  std::vector<LoopRange> iters = iters_argument(call, 1);
  Expr predicate = expr_argument(call, 2);
  if (auto sets = strict_bound(region, iters, predicate, analyzer))
    return Array<Any>(sets->begin(), sets->end());
  Domains domains;
  for (const LoopRange& iter : iters) domains[iter.var.get()] = interval_of(iter.range, analyzer);
  Array<Any> sets;
  for (const Range& range : region) {
    IterMapResult found =
        detect_iter_map({range->min}, iters, predicate, IterMapCheck::kSurjective, analyzer);
    IntervalSet set = nullptr;
    if (!found.indices.empty() && !found.reordered) {
      Expr extent = range->extent;
      if (!const_int(extent)) extent = interval_of(extent, domains, analyzer)->max_value;
      set = covered(found.indices[0], extent, analyzer);
    }
    sets.push_back(set ? set : interval_of(interval_of(range, analyzer), domains, analyzer));
  }
  return sets;
}

// Of sets that do not touch, only those that join the first are kept.
Any union_lower_bound(ApiCall& call) {
  auto listed = elements(call.args[0]);
  if (!listed) wrong_argument(call, 0, "list of sets");
  Analyzer analyzer;
  IntervalSet all = nullptr;
  auto touches = [&](const Expr& low, const Expr& high) {
    return low.same_as(neg_inf()) || high.same_as(pos_inf()) || analyzer.can_prove(le(low, high + 1));
  };
  for (const Any& one : *listed) {
    IntervalSet next = interval_argument(call, one, 0);
    if (!all) {
      all = next;
    } else if (touches(next->min_value, all->max_value) && touches(all->min_value, next->max_value)) {
      all = join(all, next);
    }
  }
  return all ? all : nothing();
}

constexpr ApiRow region_api_table[] = {
    {ApiKind::kFunction, kSym, "estimate_region_lower_bound(region, var_dom, predicate, analyzer=None)",
     "What a region certainly covers while its variables run; None when it is no box.", exact_region},
    {ApiKind::kFunction, kSym, "estimate_region_strict_bound(region, var_dom, predicate, analyzer=None)",
     "Exactly what a region covers while its variables run; None when it is no box.", exact_region},
    {ApiKind::kFunction, kSym, "estimate_region_upper_bound(region, var_dom, predicate, analyzer=None)",
     "A box that a region stays in while its variables run.", relaxed_region},
    {ApiKind::kFunction, kSym, "union_lower_bound(sets)",
     "One interval within the union of intervals; those that do not join the others are dropped.",
     union_lower_bound},
};

}  // namespace

void register_region_api() { ApiRegistry::global().add(region_api_table); }

}  // namespace mlc::transform::sym
