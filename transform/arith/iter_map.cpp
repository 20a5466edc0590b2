// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/iter_map.h"

#include <algorithm>

#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/core/walk_with.h"
#include "transform/arith/expr_equal.h"
#include "transform/arith/iter_map_rewriter.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "InternalError",
    {
        {.name = "iter-map-dependent-ranges",
         .message = "the range of an iterator depends on another iterator"},
    }};
MLC_REFUSALS(arith_iter_map, refusals);

namespace {

constexpr char kOpaqueSum[] = "iter_sum";

// lower <= iter < upper; either may be null.
struct Constraint {
  Expr iter, lower, upper;
  size_t size = 0;
};

// The bounds that a conjunction puts on the iterators. One on an iterator itself changes its range in
// `iters`. False when the predicate is something else.
class Predicate {
 public:
  explicit Predicate(std::vector<LoopRange>& iters) : iters_(iters) {}

  // Conjuncts are taken off the end, or off the beginning; by kinds, as the bounds' forms depend on their
  // order. Two conjunctions side by side are something else.
  bool parse(Expr e) {
    static constexpr ExprKind kinds[] = {ExprKind::kLT, ExprKind::kLE, ExprKind::kGT, ExprKind::kGE};
    while (e->kind == ExprKind::kAnd) {
      auto* both = as_binary(e);
      bool taken = false;
      for (ExprKind kind : kinds) {
        bool last = both->b->kind == kind;
        if (!last && both->a->kind != kind) continue;
        if (!comparison(last ? both->b : both->a)) return false;
        e = Expr(last ? both->a : both->b);
        taken = true;
        break;
      }
      if (!taken) return false;
    }
    return comparison(e);
  }
  std::vector<Constraint> constraints;

 private:
  bool comparison(const Expr& e) {
    auto* two = as_binary(e);
    if (!two || !two->a->dtype().is_integral()) return false;
    switch (e->kind) {
      case ExprKind::kLT:
        return bound(two->a, two->b, false);
      case ExprKind::kLE:
        return bound(two->a, two->b, true);
      case ExprKind::kGT:
        return bound(two->b, two->a, false);
      case ExprKind::kGE:
        return bound(two->b, two->a, true);
      default:
        return false;
    }
  }
  bool varies(const Expr& e) const {
    return uses_var(e, [this](const VarNode* var) {
      return std::any_of(iters_.begin(), iters_.end(),
                         [&](const LoopRange& iter) { return iter.var.get() == var; });
    });
  }
  // low < high, or low <= high.
  bool bound(Expr low, Expr high, bool inclusive) {
    bool low_varies = varies(low), high_varies = varies(high);
    if (!low_varies && !high_varies) return true;
    if (low_varies && high_varies) {
      if (low->dtype().is_uint()) return false;  // what changes sides may wrap
      Expr moving = const_like(low, 0), fixed = const_like(low, 0);
      auto part = [&](auto& self, const Expr& e, bool plus) -> void {
        auto* two = as_binary(e);
        if (e->kind == ExprKind::kAdd || e->kind == ExprKind::kSub) {
          self(self, two->a, plus);
          self(self, two->b, (e->kind == ExprKind::kAdd) == plus);
        } else if (varies(e)) {
          moving = plus ? add(moving, e) : sub(moving, e);
        } else {
          fixed = plus ? sub(fixed, e) : add(fixed, e);
        }
      };
      part(part, sub(low, high), true);
      Analyzer analyzer;
      low = analyzer.simplify(moving);
      high = analyzer.simplify(fixed);
      low_varies = true;
    }
    Constraint found;
    found.iter = low_varies ? low : high;
    if (low_varies) {
      found.upper = inclusive ? high + 1 : high;
    } else {
      found.lower = inclusive ? low : low + 1;
    }
    if (found.iter->kind == ExprKind::kVar) {
      restrict(found);
    } else {
      post_order(found.iter, [&](const Expr&) { ++found.size; });
      constraints.push_back(found);
    }
    return true;
  }
  void restrict(const Constraint& found) {
    for (LoopRange& iter : iters_) {
      if (!iter.var.same_as(found.iter)) continue;
      Expr low = iter.range->min, high = add(low, iter.range->extent);
      if (found.lower) low = max(low, found.lower);
      if (found.upper) high = min(high, found.upper);
      iter.range = make<RangeNode>(low, is_const_int(low, 0) ? high : sub(high, low));
    }
  }

  std::vector<LoopRange>& iters_;
};

Expr digit_expr(const IterSplit& split, Analyzer& analyzer);

bool has_zero_product(const Expr& e) {
  bool found = false;
  post_order(e, [&](const Expr& sub) {
    auto* product = as<MulNode>(sub);
    found = found || (product && (is_const_int(product->a, 0) || is_const_int(product->b, 0)));
  });
  return found;
}

Expr sum_expr(const IterSumNode* sum, Analyzer& analyzer) {
  Expr result = const_like(sum->base, 0);
  for (const IterSplit& split : sum->args) result = add(result, digit_expr(split, analyzer));
  // Left behind by loops of one iteration: `0 * 16`, `0 * n`.
  bool fixed = !const_int(sum->base) && (free_vars(sum->base).empty() || has_zero_product(sum->base));
  return add(result, fixed ? analyzer.simplify(sum->base) : sum->base);
}

Expr digit_expr(const IterSplit& split, Analyzer& analyzer) {
  const IterMark& mark = split->source;
  Expr source = mark->source ? mark->source : iter_map_to_expr(mark->sum, analyzer);
  const Expr &lower = split->lower_factor, &extent = split->extent;
  if (is_const_int(lower, 1) && analyzer.can_prove_equal(extent, mark->extent)) {
    return mul(source, split->scale);
  }
  if (is_const_int(extent, 1)) return const_like(source, 0);
  // Symbolic products are equal in the order that they are written in, so both orders are tried.
  Expr period = mul(extent, lower);
  auto whole = [&](const Expr& product) { return analyzer.can_prove(eq(mark->extent, product)); };
  if (whole(period) || whole(mul(lower, extent))) return mul(floordiv(source, lower), split->scale);
  return mul(floordiv(floormod(source, analyzer.simplify(period)), lower), split->scale);
}

}  // namespace

Expr opaque_sum(const IterMap& sum) {
  auto* digits = sum.as<IterSumNode>();
  Expr like = digits ? digits->base : sum.as<IterSplitNode>()->extent;
  return make<CallNode>(like->ty, make<GlobalVarNode>(String(kOpaqueSum)), Array<Expr>(),
                        Map<String, Any>{{"sum", sum}});
}

Expr iter_map_to_expr(const IterMap& sum, Analyzer& analyzer) {
  if (auto* digits = sum.as<IterSumNode>()) return sum_expr(digits, analyzer);
  return digit_expr(ref(sum.as<IterSplitNode>()), analyzer);
}

Expr iter_map_to_expr(const Expr& e, Analyzer& analyzer) {
  return rewrite_with(e, [&](const Expr& e, Rewriter& on) {
    auto* call = as<CallNode>(e);
    auto* callee = call ? as<GlobalVarNode>(call->op) : nullptr;
    if (callee && callee->name_hint == kOpaqueSum && call->attrs.count("sum"))
      return iter_map_to_expr(*call->attrs.at("sum").as<IterMap>(), analyzer);
    return on.rewrite_children(e);
  });
}

bool independent_ranges(const std::vector<LoopRange>& iters) {
  auto is_iter = [&](const VarNode* var) {
    return std::any_of(iters.begin(), iters.end(),
                       [&](const LoopRange& iter) { return iter.var.get() == var; });
  };
  return std::none_of(iters.begin(), iters.end(), [&](const LoopRange& iter) {
    return uses_var(iter.range->min, is_iter) || uses_var(iter.range->extent, is_iter);
  });
}

IterMapResult detect_iter_map(const Array<Expr>& indices, const std::vector<LoopRange>& iters,
                              const Expr& predicate, IterMapCheck check, Analyzer& analyzer,
                              bool simplify_trivial_iterators, bool opaque_remainders) {
  IterMapResult result;
  if (!independent_ranges(iters)) {
    result.errors.push_back({"Invalid iterators.  Iterators may not be expressions of each other.", {}});
    return result;
  }
  // As in TVM, sums are those of 32 or 64 bits with a sign; others have no negative numbers to compute with.
  auto is_sum = [](const Expr& index) {
    DataType type = index->dtype();
    return as<VarNode>(index) || (type.is_int() && (type.bits() == 32 || type.bits() == 64));
  };
  if (!std::all_of(indices.begin(), indices.end(), is_sum)) {
    result.errors.push_back({"Could not normalize iterators", {}});
    return result;
  }
  std::vector<LoopRange> constrained = iters;
  Predicate parsed(constrained);
  if (!is_const_int(predicate, 1) && !parsed.parse(predicate)) {
    result.errors.push_back({"Could not parse predicate as constraints on the input iterators.", {}});
    return result;
  }
  // A sum that contains another one is larger: the inner one's constraint must be known first.
  std::stable_sort(parsed.constraints.begin(), parsed.constraints.end(),
                   [](const Constraint& a, const Constraint& b) { return a.size < b.size; });
  IterMapRewriter rewriter(constrained, analyzer, check, simplify_trivial_iterators, result.errors,
                           opaque_remainders);
  for (const Constraint& one : parsed.constraints) {
    rewriter.constrain(one.iter, one.lower, one.upper);
    if (!result.errors.empty()) return result;
  }
  if (!rewriter.constraints_nest()) {
    result.errors.push_back({"Invalid constraints.", {}});
    return result;
  }
  bool may_pad = check != IterMapCheck::kBijective;
  std::vector<IterSum> sums;
  for (int round = may_pad ? 0 : 1; round < 2; ++round) {
    if (round == 1 && may_pad && !rewriter.requires_padding()) break;
    sums.clear();
    for (const Expr& index : indices) {
      sums.push_back(round == 0 ? rewriter.rewrite_and_pad(index) : rewriter.rewrite(index));
      if (!result.errors.empty()) return result;
    }
  }
  result.padding_predicate = rewriter.padding_predicate();
  bool independent = rewriter.check_mapping(sums);
  for (size_t i = 0; independent && rewriter.unequal_padding() && i < sums.size(); ++i)
    independent = analyzer.can_prove_equal(iter_map_to_expr(sums[i], analyzer), indices[i]);
  if (!independent) {
    result.errors.push_back({check == IterMapCheck::kBijective
                                 ? "Index mapping does not form a bijective transform."
                                 : "Mapped indices are not independent.",
                             {}});
    return result;
  }
  result.indices = std::move(sums);
  result.exact = rewriter.exact();
  result.reordered = rewriter.drops_base();
  return result;
}

IterSum normalize_to_iter_sum(const Expr& index, const std::vector<LoopRange>& iters, Analyzer& analyzer) {
  if (!independent_ranges(iters)) {
    throw refuse(refusals["iter-map-dependent-ranges"]);
  }
  std::vector<IterMapError> errors;
  IterMapRewriter rewriter(iters, analyzer, IterMapCheck::kNone, true, errors, true);
  IterSum sum = rewriter.rewrite_to_normal_sum(index);
  // Digits that begin in the middle of one, or run down, are no sum.
  bool equal = !rewriter.unequal_padding() && !rewriter.drops_base() &&
               std::all_of(sum->args.begin(), sum->args.end(), [&](const IterSplit& split) {
                 return analyzer.can_prove_ge(split->lower_factor, 1);
               });
  return equal ? sum : make<IterSumNode>(Array<IterSplit>(), index);
}

namespace {

std::optional<Array<Expr>> exprs_of(const IterMapResult& result, Analyzer& analyzer) {
  if (result.indices.empty() || result.reordered) return std::nullopt;
  Array<Expr> exprs;
  for (const IterSum& sum : result.indices) exprs.push_back(iter_map_to_expr(sum, analyzer));
  return exprs;
}

}  // namespace

Array<Expr> simplify_iter_map(const Array<Expr>& indices, const std::vector<LoopRange>& iters,
                              const Expr& predicate, IterMapCheck check, Analyzer& analyzer,
                              bool simplify_trivial_iterators) {
  auto attempt = [&](const Expr& condition) {
    return detect_iter_map(indices, iters, condition, check, analyzer, simplify_trivial_iterators, true);
  };
  auto found = exprs_of(attempt(predicate), analyzer);
  if (!found && !is_const_int(predicate, 1) && check != IterMapCheck::kBijective) {
    // Without the condition that was not understood, only what needs no padding.
    IterMapResult unconditional = attempt(bool_imm(true));
    const Expr& padded = unconditional.padding_predicate;
    if (!padded || is_const_int(padded, 0)) found = exprs_of(unconditional, analyzer);
  }
  return found ? *found : indices;
}

std::optional<std::vector<Expr>> iter_map_extents(const Array<Expr>& indices,
                                                  const std::vector<LoopRange>& iters, Analyzer& analyzer) {
  std::vector<IterMapError> errors;
  IterMapRewriter rewriter(iters, analyzer, IterMapCheck::kBijective, false, errors);
  std::vector<Expr> extents;
  for (const Expr& index : indices) {
    IterSum sum = rewriter.rewrite(index);
    if (!errors.empty() || !is_const_int(sum->base, 0)) return std::nullopt;
    if (sum->args.empty()) {
      extents.push_back(const_like(index, 1));
    } else {
      extents.push_back(analyzer.simplify(mul(sum->args[0]->extent, sum->args[0]->scale)));
    }
  }
  return extents;
}

}  // namespace mlc::transform
