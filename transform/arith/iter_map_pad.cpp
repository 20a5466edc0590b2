// SPDX-License-Identifier: Apache-2.0
// Padding: a mark that divisions do not cut evenly is extended to a multiple of them. A first round over the
// indices collects the divisors of each mark, a second one uses the padded marks. Then: are the digits of
// every mark disjoint and complete?
#include <numeric>

#include "transform/arith/expr_equal.h"
#include "transform/arith/iter_map_rewriter.h"

namespace mlc::transform {
namespace {

// The least common multiple, or the product of symbols.
Expr common_multiple(const Expr& a, const Expr& b, Analyzer& analyzer) {
  auto x = const_int(a), y = const_int(b);
  if (x && y && *x != 0 && *y != 0) return const_like(a, std::lcm(*x, *y));
  if (analyzer.can_prove_equal(floormod(a, b), const_like(a, 0))) return a;
  if (analyzer.can_prove_equal(floormod(b, a), const_like(a, 0))) return b;
  return mul(a, b);
}

}  // namespace

IterMapRewriter::Padding* IterMapRewriter::padding_of(const IterMark& mark) {
  for (auto& [known, padding] : padding_) {
    if (known.same_as(mark)) return &padding;
  }
  return nullptr;
}

// The split of the padded mark, and what was added below its first value.
std::pair<IterSplit, Expr> IterMapRewriter::pad(const IterSplit& split, const Expr& base,
                                                const Expr& divisor) {
  Expr zero = const_like(base, 0);
  Expr left = is_const_int(base, 0) ? zero : analyzer_.simplify(floormod(base, divisor));
  if (check_ == IterMapCheck::kBijective) {
    if (!analyzer_.can_prove(eq(left, zero)))
      errors_.push_back({"Digits would begin in the middle of one, by {}", {left}});
    return {split, zero};
  }
  const IterMark& mark = split->source;
  Padding* padding = padding_of(mark);
  if (noting_padding_) {
    if (!padding) {
      Expr one = const_like(mark->extent, 1);
      padding_.emplace_back(mark, Padding{one, zero, nullptr, nullptr});
      padding = &padding_.back().second;
    }
    padding->factor = common_multiple(padding->factor, mul(split->lower_factor, divisor), analyzer_);
    if (is_const_int(left, 0) && divides(divisor, split->extent)) return {split, zero};
    requires_padding_ = true;
    // Below a digit that runs backwards there is nothing to add to.
    if (const_int(split->lower_factor).value_or(1) < 0) drops_base_ = true;
    padding->left = max(padding->left, mul(left, split->lower_factor));
    Expr extent = mul(ceildiv(add(left, split->extent), divisor), divisor);
    return {make<IterSplitNode>(mark, split->lower_factor, analyzer_.simplify(extent), split->scale), left};
  }
  // A digit of what is padded already.
  if (!padding) {
    unequal_padding_ = unequal_padding_ || !analyzer_.can_prove(eq(left, zero));
    return {split, left};
  }
  if (!padding->padded) {
    Expr right_edge = add(mark->extent, padding->left);
    Expr added = analyzer_.simplify(floormod(neg(right_edge), padding->factor));
    if (is_const_int(padding->left, 0) && is_const_int(added, 0)) return {split, left};
    // As a multiple of the factor, which proofs need.
    Expr extent = analyzer_.simplify(
        mul(analyzer_.simplify(floordiv(add(right_edge, added), padding->factor)), padding->factor));
    auto source = make<IterSumNode>(Array<IterSplit>{make_split(mark)}, padding->left);
    padding->padded = make<IterMarkNode>(nullptr, source, extent);
    padding->origin = mark;
    exact_ = false;
    // In terms of the padded mark's digits: the first `left` values of its first period, the last of its
    // last.
    Expr value = opaque_sum(source), factor = padding->factor;
    Expr period = floordiv(value, factor), within = floormod(value, factor);
    auto present = [&](const Expr& count, const Expr& condition) {
      auto known = const_int(count);
      if (known) return *known == 0 ? bool_imm(false) : condition;
      return logical_and(ne(count, zero), condition);
    };
    Expr before = present(padding->left, logical_and(eq(period, zero), lt(within, padding->left)));
    Expr missing = floormod(sub(zero, right_edge), factor);
    Expr behind = present(missing, logical_and(eq(period, floordiv(right_edge, factor)),
                                               ge(within, floormod(right_edge, factor))));
    padding_predicate_ = logical_or(padding_predicate_, logical_or(before, behind));
  }
  // The digit counts from what was added below the mark's first value, which must be a multiple of the
  // divisor as this index counts.
  Expr shift = zero;
  if (!is_const_int(padding->left, 0)) {
    auto vanishes = [&](const Expr& rest) { return analyzer_.can_prove(eq(rest, zero)); };
    shift = analyzer_.simplify(floordiv(padding->left, split->lower_factor));
    if (!vanishes(floormod(padding->left, split->lower_factor)) ||
        !vanishes(floormod(sub(base, shift), divisor))) {
      unequal_padding_ = true;
      return {split, left};
    }
  }
  // The digit that was all of the mark, or its highest one, is longer by what was added.
  Expr extent = split->extent;
  if (equal(mul(split->lower_factor, split->extent), mark->extent)) {
    extent = analyzer_.simplify(floordiv(padding->padded->extent, split->lower_factor));
  }
  return {make<IterSplitNode>(padding->padded, split->lower_factor, extent, split->scale), shift};
}

bool IterMapRewriter::tiles(const IterMark& mark, const std::vector<IterSplit>& splits) {
  std::vector<bool> used(splits.size());
  Expr expected = const_like(mark->extent, 1);
  for (size_t step = 0; step < splits.size(); ++step) {
    size_t at = splits.size();
    for (size_t i = 0; i < splits.size() && at == splits.size(); ++i) {
      if (!used[i] && equal(splits[i]->lower_factor, expected)) at = i;
    }
    if (at == splits.size()) {
      if (check_ == IterMapCheck::kBijective) return false;
      // A hole: go on above it, with the lowest digit left.
      for (size_t i = 0; i < splits.size(); ++i) {
        if (used[i]) continue;
        if (!divides(expected, splits[i]->lower_factor)) return false;
        if (at == splits.size() || divides(splits[i]->lower_factor, splits[at]->lower_factor)) at = i;
      }
      if (at == splits.size()) return false;
    }
    used[at] = true;
    expected = mul(splits[at]->lower_factor, splits[at]->extent);
  }
  if (check_ == IterMapCheck::kBijective) {
    if (equal(expected, mark->extent)) return true;
    errors_.push_back({"The iterations do not traverse full iter space", {}});
    return false;
  }
  auto padded = std::find_if(padding_.begin(), padding_.end(),
                             [&](const auto& one) { return mark.same_as(one.second.padded); });
  if (!divides(expected, mark->extent)) {
    errors_.push_back({"The lower factor is not divisible by the full iter space extent", {}});
    return false;
  }
  if (padded == padding_.end() || check_ == IterMapCheck::kNone) return true;
  // One digit up to the padded end takes every value; several must all fit in what is not padded.
  if (splits.size() == 1 && equal(expected, mark->extent)) {
    if (!equal(splits[0]->extent, mark->extent)) return true;
    errors_.push_back(
        {"Split on padding iteration is not surjective if the split extent equals to the full "
         "iter space extent",
         {}});
    return false;
  }
  if (analyzer_.can_prove(ge(padded->second.origin->extent, expected))) return true;
  errors_.push_back({"Dependent iterations on padding iter space", {}});
  return false;
}

bool IterMapRewriter::check_mapping(const std::vector<IterSum>& sums) {
  SplitsOfMarks of(sums);
  for (const IterMark& mark : of.marks) {
    if (!tiles(mark, of.splits.at(mark.get()))) return false;
  }
  if (check_ != IterMapCheck::kBijective) return true;
  return std::all_of(inputs_.begin(), inputs_.end(), [&](const IterMark& input) {
    return of.splits.contains(input.get()) || is_const_int(input->extent, 1);
  });
}

}  // namespace mlc::transform
