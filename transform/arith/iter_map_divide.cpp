// SPDX-License-Identifier: Apache-2.0
// Sums of digits cut between inner loops and those around them.
#include "transform/arith/iter_map.h"
#include "transform/arith/iter_map_rewriter.h"

namespace mlc::transform {
namespace {

// The sum mixes inner and outer digits; thrown and caught within this file.
struct NotDivisible {};

// outer * inner_extent + inner
struct Division {
  enum class Kind : uint8_t { kInner, kOuter, kMixed };
  IterMap outer;
  Expr outer_extent;
  IterMap inner;
  Expr inner_extent;
  Kind kind = Kind::kMixed;
};

IterSum empty_sum(const Expr& base) { return make<IterSumNode>(Array<IterSplit>(), base); }
Division all_inner(const IterMap& map, const Expr& extent) {
  return {empty_sum(const_like(extent, 0)), const_like(extent, 1), map, extent, Division::Kind::kInner};
}
Division all_outer(const IterMap& map, const Expr& extent) {
  return {map, extent, empty_sum(const_like(extent, 0)), const_like(extent, 1), Division::Kind::kOuter};
}
IterSplit as_split(const IterMap& map, const Expr& extent) {
  if (auto* split = map.as<IterSplitNode>()) return ref(split);
  return make_split(make<IterMarkNode>(nullptr, map, extent));
}
IterMap with_base(const IterMap& map, const Expr& base) {
  if (auto* sum = map.as<IterSumNode>()) return make<IterSumNode>(sum->args, add(sum->base, base));
  return make<IterSumNode>(Array<IterSplit>{ref(map.as<IterSplitNode>())}, base);
}

class Divider {
 public:
  // `exact`: digits that a predicate keeps below their extent, so that the next one begins earlier, are not
  // taken for whole ones.
  Divider(const std::vector<IterSum>& sums, const std::unordered_set<const VarNode*>& inner, bool exact,
          Analyzer& analyzer)
      : analyzer_(analyzer), inner_(inner), exact_(exact), of_(sums) {}

  // `extent`: of the mark whose sum this is; null for an index itself.
  Division divide(const IterSumNode* sum, const Expr& extent) {
    const Array<IterSplit>& args = sum->args;
    if (args.empty()) {
      Expr one = const_like(sum->base, 1);
      return {empty_sum(const_like(sum->base, 0)), one, empty_sum(sum->base), one};
    }
    if (args.size() == 1) {
      if (!is_const_int(args[0]->scale, 1)) throw NotDivisible{};
      Division result = divide(args[0]);
      if (!is_const_int(sum->base, 0)) result.inner = with_base(result.inner, sum->base);
      return result;
    }
    std::vector<IterSplit> outer, inner;
    Expr product = const_like(sum->base, 1);
    bool has_unit_scale = false;
    for (auto it = args.rbegin(); it != args.rend(); ++it) {
      has_unit_scale |= is_const_int((*it)->scale, 1);
      if (exact_ && !equal((*it)->scale, product)) throw NotDivisible{};
      Division part = divide(*it);
      if (part.kind == Division::Kind::kInner) {
        if (!outer.empty()) throw NotDivisible{};  // an inner digit above an outer one
        inner.push_back(as_split(part.inner, part.inner_extent));
        product = mul(product, inner.back()->extent);
      } else if (part.kind == Division::Kind::kOuter) {
        outer.push_back(as_split(part.outer, part.outer_extent));
        product = mul(product, outer.back()->extent);
      } else {
        throw NotDivisible{};
      }
    }
    if (!has_unit_scale) throw NotDivisible{};
    auto [outer_sum, outer_extent] = stacked(outer, const_like(sum->base, 0));
    auto [inner_sum, inner_extent] = stacked(inner, sum->base);
    MLC_CHECK(extent, "a sum of several digits is always fused");
    if (equal(product, extent)) return {outer_sum, outer_extent, inner_sum, inner_extent};
    // Kept below its full extent by the predicate: it cannot be split, but may be on one side.
    if (inner.empty()) {
      outer_predicate = logical_and(outer_predicate, lt(iter_map_to_expr(outer_sum, analyzer_), extent));
      return all_outer(outer_sum, extent);
    }
    if (!outer.empty()) throw NotDivisible{};
    inner_predicate = logical_and(inner_predicate, lt(iter_map_to_expr(inner_sum, analyzer_), extent));
    return all_inner(inner_sum, extent);
  }

  Expr outer_predicate = bool_imm(true), inner_predicate = bool_imm(true);

 private:
  bool equal(const Expr& a, const Expr& b) { return analyzer_.can_prove_equal(a, b); }

  // Is this digit within the first `extent` values of its mark, which end where one of its own ends?
  static bool fits(const IterSplit& split, const Expr& extent) {
    return is_const_int(floormod(extent, mul(split->lower_factor, split->extent)), 0);
  }

  // Digits from the innermost on as one sum without holes.
  static std::pair<IterSum, Expr> stacked(const std::vector<IterSplit>& inner_first, const Expr& base) {
    Expr extent = const_like(base, 1);
    std::vector<IterSplit> args;
    for (const IterSplit& split : inner_first) {
      args.push_back(make<IterSplitNode>(split->source, split->lower_factor, split->extent, extent));
      extent = mul(extent, split->extent);
    }
    return {make<IterSumNode>(Array<IterSplit>(args.rbegin(), args.rend()), base), extent};
  }

  Division divide(const IterSplit& split) {
    if (auto known = divided_.find(split.get()); known != divided_.end()) return known->second;
    const IterMark& mark = split->source;
    const std::vector<IterSplit>& splits = of_.splits.at(mark.get());
    if (auto* var = mark->var()) {
      bool inside = inner_.contains(var);
      return inside ? all_inner(split, split->extent) : all_outer(split, split->extent);
    }
    auto* sum = mark->as_sum();
    if (!sum) throw NotDivisible{};
    Division whole = divide(sum, mark->extent);
    bool all_of_it = is_const_int(split->lower_factor, 1) && equal(split->extent, mark->extent);
    if (splits.size() == 1 && all_of_it) return whole;
    auto outer_mark = make<IterMarkNode>(nullptr, whole.outer, whole.outer_extent);
    auto inner_mark = make<IterMarkNode>(nullptr, whole.inner, whole.inner_extent);
    bool beyond = whole.kind == Division::Kind::kOuter;
    if (splits.size() == 1) {
      // One digit of the mark; nothing takes the others.
      if (whole.kind == Division::Kind::kInner || fits(split, whole.inner_extent)) {
        return all_inner(make<IterSplitNode>(inner_mark, split->lower_factor, split->extent, split->scale),
                         split->extent);
      }
      if (!beyond && !is_const_int(floormod(split->lower_factor, whole.inner_extent), 0))
        throw NotDivisible{};
      Expr lower = beyond ? split->lower_factor : floordiv(split->lower_factor, whole.inner_extent);
      return all_outer(make<IterSplitNode>(outer_mark, lower, split->extent, split->scale), split->extent);
    }
    // The digits of the mark must meet where its inner part ends.
    std::vector<bool> used(splits.size());
    Expr expected = const_like(mark->extent, 1), first_outer;
    for (size_t step = 0; step < splits.size(); ++step) {
      size_t at = 0;
      while (at < splits.size() && (used[at] || !equal(splits[at]->lower_factor, expected))) ++at;
      if (at == splits.size()) throw NotDivisible{};
      used[at] = true;
      const IterSplit& one = splits[at];
      if (beyond) {
        if (!first_outer) first_outer = one->lower_factor;
        auto moved = make<IterSplitNode>(outer_mark, floordiv(one->lower_factor, first_outer), one->extent,
                                         one->scale);
        divided_.emplace(one.get(), all_outer(moved, one->extent));
      } else {
        auto moved = make<IterSplitNode>(inner_mark, one->lower_factor, one->extent, one->scale);
        divided_.emplace(one.get(), all_inner(moved, one->extent));
      }
      expected = mul(expected, one->extent);
      if (equal(expected, whole.inner_extent)) beyond = true;
    }
    if (!beyond) throw NotDivisible{};
    return divided_.at(split.get());
  }

  Analyzer& analyzer_;
  const std::unordered_set<const VarNode*>& inner_;
  bool exact_;
  SplitsOfMarks of_;
  std::unordered_map<const IterSplitNode*, Division> divided_;
};

}  // namespace

std::vector<MarkPair> subspace_divide(const Array<Expr>& indices, const std::vector<LoopRange>& iters,
                                      const std::unordered_set<const VarNode*>& inner, const Expr& predicate,
                                      IterMapCheck check, Analyzer& analyzer, bool simplify_trivial_iterators,
                                      bool exact) {
  IterMapResult found =
      detect_iter_map(indices, iters, predicate, check, analyzer, simplify_trivial_iterators);
  if (found.indices.empty() || (exact && (!found.exact || found.reordered))) return {};
  Divider divider(found.indices, inner, exact, analyzer);
  std::vector<MarkPair> result;
  try {
    for (const IterSum& sum : found.indices) {
      Division division = divider.divide(sum.get(), nullptr);
      result.push_back({make<IterMarkNode>(nullptr, division.outer, division.outer_extent),
                        make<IterMarkNode>(nullptr, division.inner, division.inner_extent)});
    }
  } catch (const NotDivisible&) {
    return {};
  }
  IterSum none = empty_sum(int_imm(DataType::Int(32), 0));
  result.push_back({make<IterMarkNode>(nullptr, none, divider.outer_predicate),
                    make<IterMarkNode>(nullptr, none, divider.inner_predicate)});
  return result;
}

std::optional<SubspaceDivision> divide_subspace(const Array<Expr>& indices,
                                                const std::vector<LoopRange>& iters,
                                                const std::unordered_set<const VarNode*>& inner,
                                                const Expr& predicate, IterMapCheck check, Analyzer& analyzer,
                                                bool simplify_trivial_iterators) {
  std::vector<MarkPair> pairs =
      subspace_divide(indices, iters, inner, predicate, check, analyzer, simplify_trivial_iterators, true);
  if (pairs.empty()) return std::nullopt;
  SubspaceDivision result{{}, pairs.back().outer->extent, pairs.back().inner->extent};
  pairs.pop_back();
  for (const MarkPair& pair : pairs) {
    IterMap within = pair.inner->sum;
    Expr base = const_like(pair.inner->extent, 0);
    if (auto* sum = pair.inner->as_sum()) {
      base = sum->base;
      within = make<IterSumNode>(sum->args, const_like(base, 0));
    }
    result.indices.push_back({iter_map_to_expr(pair.outer->sum, analyzer), pair.outer->extent,
                              iter_map_to_expr(within, analyzer), pair.inner->extent, base});
  }
  return result;
}

}  // namespace mlc::transform
