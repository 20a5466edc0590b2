// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/inequalities.h"

#include <numeric>

#include "ir/tir/op.h"
#include "transform/arith/deduce_bound.h"
#include "transform/arith/expr_equal.h"
#include "transform/arith/int_set.h"

namespace mlc::transform {

std::optional<LinearIn> linear_in(const Expr& e, const Var& var) {
  if (e.same_as(var)) return LinearIn{const_like(e, 1), const_like(e, 0)};
  if (!depends_on(e, var)) return LinearIn{const_like(e, 0), e};
  auto* op = as_binary(e);
  auto a = op ? linear_in(op->a, var) : std::nullopt;
  auto b = a ? linear_in(op->b, var) : std::nullopt;
  if (!b) return std::nullopt;
  switch (e->kind) {
    case ExprKind::kAdd:
      return LinearIn{add(a->coefficient, b->coefficient), add(a->rest, b->rest)};
    case ExprKind::kSub:
      return LinearIn{sub(a->coefficient, b->coefficient), sub(a->rest, b->rest)};
    case ExprKind::kMul:
      if (depends_on(op->a, var) && depends_on(op->b, var)) return std::nullopt;
      if (depends_on(op->a, var)) std::swap(a, b);
      return LinearIn{mul(a->rest, b->coefficient), mul(a->rest, b->rest)};
    default:
      return std::nullopt;
  }
}

namespace {

// coefficient * var + rest
struct Linear {
  int64_t coefficient;
  Expr rest;
};

// As `difference <= 0` or `difference == 0`; anything else stays.
Expr normalized(const Expr& e, Analyzer& analyzer) {
  Expr simple = analyzer.simplify(e, 3);
  auto* op = as_binary(simple);
  if (!op || !op->a->dtype().is_int()) return simple;
  Expr zero = const_like(op->a, 0);
  Expr difference = difference_of(simple);
  if (!difference) return simple;
  difference = analyzer.simplify(difference, 3);
  return simple->kind == ExprKind::kEQ ? eq(difference, zero) : le(difference, zero);
}

// lower <= coefficient * var <= upper
struct Bounds {
  int64_t coefficient = 1;
  std::vector<Expr> lower, equal, upper;
};

class Solver {
 public:
  Solver(const std::vector<Var>& vars, const std::vector<LoopRange>& known) : vars_(vars), known_(known) {
    for (const LoopRange& one : known) analyzer_.bind(one.var, one.range);
  }

  // Every variable's bounds in terms of those after it; what constrains no variable stays in `rest_`.
  bool eliminate(const std::vector<Expr>& conditions) {
    std::vector<Expr> current;
    for (const Expr& condition : conditions) insert(current, normalized(condition, analyzer_));
    for (const Var& var : vars_) {
      std::vector<Linear> positive, negative;
      if (const Range* range = range_of(var.get(), known_)) {
        Expr last = sub(add((*range)->min, (*range)->extent), const_like((*range)->min, 1));
        negative.push_back({-1, analyzer_.simplify((*range)->min)});
        positive.push_back({1, neg(analyzer_.simplify(last))});
      }
      std::vector<Expr> next;
      classify(var, current, next, positive, negative);
      for (const Linear& p : positive) {
        for (const Linear& n : negative) {
          int64_t common = std::gcd(p.coefficient, -n.coefficient);
          Expr low = mul(n.rest, const_like(n.rest, p.coefficient / common));
          Expr high = mul(p.rest, const_like(p.rest, n.coefficient / common));
          Expr sum = sub(low, high);
          insert(next, normalized(le(sum, const_like(sum, 0)), analyzer_));
        }
      }
      bounds_.push_back(bounds_of(var, positive, negative));
      current = std::move(next);
    }
    for (const Expr& one : current) {
      Expr simple = analyzer_.simplify(one, 3);
      if (is_const_int(simple, 0)) return false;
      if (!is_const_int(simple, 1)) rest_.push_back(simple);
    }
    return true;
  }

  std::optional<std::vector<LoopRange>> ranges() {
    std::vector<LoopRange> known = known_, found;
    for (size_t i = vars_.size(); i-- > 0;) {
      const Var& var = vars_[i];
      Bounds bounds = bounds_[i];
      Analyzer analyzer;
      for (const LoopRange& one : known) analyzer.bind(one.var, one.range);
      Range best = nullptr;
      if (bounds.coefficient == 1 && !bounds.equal.empty()) {
        // Of one value, which only constants show: as in TVM, other ends are not subtracted.
        const Expr& value = bounds.equal[0];
        best = make<RangeNode>(value, sub(analyzer.simplify(value + 1, 3), value));
      } else {
        if (const Range* range = range_of(var.get(), known)) narrow(bounds, *range, analyzer);
        best = best_range(bounds, known, analyzer);
        if (best && analyzer.can_prove(le(best->extent, const_like(best->extent, 0)))) return std::nullopt;
      }
      if (!best) continue;
      found.push_back({var, best});
      std::erase_if(known, [&](const LoopRange& one) { return one.var.same_as(var); });
      known.push_back({var, best});
    }
    Analyzer analyzer;
    for (const LoopRange& one : known) analyzer.bind(one.var, one.range);
    for (const Expr& condition : conditions()) {
      if (!analyzer.can_prove(condition)) return std::nullopt;
    }
    return found;
  }

 private:
  static const Range* range_of(const VarNode* var, const std::vector<LoopRange>& known) {
    for (const LoopRange& one : known) {
      if (one.var.get() == var) return &one.range;
    }
    return nullptr;
  }

  // Without what the others imply, and without those that it implies.
  void insert(std::vector<Expr>& all, const Expr& one) {
    if (analyzer_.can_prove(one)) return;
    for (const Expr& other : all) {
      if (structural_equal(other, one)) return;
    }
    if (one->kind == ExprKind::kLE) {
      auto implies = [&](const Expr& a, const Expr& b) {  // a <= 0, so b <= 0
        return analyzer_.can_prove(le(sub(b, a), const_like(a, 0)));
      };
      const Expr& left = as_binary(one)->a;
      for (size_t i = 0; i < all.size();) {
        if (all[i]->kind == ExprKind::kLE) {
          const Expr& other = as_binary(all[i])->a;
          if (implies(other, left)) return;
          if (implies(left, other)) {
            all.erase(all.begin() + static_cast<int64_t>(i));
            continue;
          }
        }
        ++i;
      }
    }
    all.push_back(one);
  }

  void classify(const Var& var, const std::vector<Expr>& current, std::vector<Expr>& next,
                std::vector<Linear>& positive, std::vector<Linear>& negative) {
    for (const Expr& one : current) {
      bool equation = one->kind == ExprKind::kEQ;
      auto found = equation || one->kind == ExprKind::kLE ? linear_in(as_binary(one)->a, var) : std::nullopt;
      auto coefficient = found ? const_int(found->coefficient) : std::nullopt;
      if (!coefficient) {
        rest_.push_back(one);
        continue;
      }
      if (*coefficient == 0) {
        insert(next, one);
        continue;
      }
      Linear linear{*coefficient, analyzer_.simplify(found->rest)};
      DataType dtype = linear.rest->dtype();
      auto rest = const_int(linear.rest);
      if (rest && dtype.is_int() && rest == const_int(min_value(dtype))) {  // the opposite is none of its type
        rest_.push_back(one);
        continue;
      }
      (linear.coefficient > 0 ? positive : negative).push_back(linear);
      if (!equation) continue;
      Linear opposite{-linear.coefficient, neg(linear.rest)};
      (opposite.coefficient > 0 ? positive : negative).push_back(opposite);
    }
  }

  Bounds bounds_of(const Var&, const std::vector<Linear>& positive, const std::vector<Linear>& negative) {
    Bounds bounds;
    for (const Linear& one : positive) bounds.coefficient = std::lcm(bounds.coefficient, one.coefficient);
    for (const Linear& one : negative) bounds.coefficient = std::lcm(bounds.coefficient, -one.coefficient);
    auto keep = [&](std::vector<Expr>& all, const Linear& one, bool upper) {
      Expr bound =
          analyzer_.simplify(mul(one.rest, const_like(one.rest, -bounds.coefficient / one.coefficient)), 3);
      auto better = [&](const Expr& a, const Expr& b) {  // at least as narrow
        return analyzer_.can_prove(upper ? le(sub(a, b), const_like(a, 0)) : ge(sub(a, b), const_like(a, 0)));
      };
      for (const Expr& other : all) {
        if (better(other, bound)) return;
      }
      std::erase_if(all, [&](const Expr& other) { return better(bound, other); });
      all.push_back(bound);
    };
    for (const Linear& one : positive) keep(bounds.upper, one, true);
    for (const Linear& one : negative) keep(bounds.lower, one, false);
    for (size_t i = 0; i < bounds.lower.size();) {
      auto same = std::find_if(bounds.upper.begin(), bounds.upper.end(),
                               [&](const Expr& e) { return structural_equal(e, bounds.lower[i]); });
      if (same == bounds.upper.end()) {
        ++i;
        continue;
      }
      bounds.equal.push_back(*same);
      bounds.upper.erase(same);
      bounds.lower.erase(bounds.lower.begin() + static_cast<int64_t>(i));
    }
    return bounds;
  }

  static void narrow(Bounds& bounds, const Range& range, Analyzer& analyzer) {
    Expr factor = const_like(range->min, bounds.coefficient);
    Expr first = analyzer.simplify(mul(range->min, factor));
    if (is_const_int(range->extent, 1)) {
      bounds.equal.insert(bounds.equal.begin(), first);
      return;
    }
    Expr last = sub(add(range->min, range->extent), const_like(range->min, 1));
    bounds.lower.insert(bounds.lower.begin(), first);
    bounds.upper.insert(bounds.upper.begin(), analyzer.simplify(mul(last, factor)));
  }

  // The closest pair of ends, whatever the other variables are.
  static Range best_range(const Bounds& bounds, const std::vector<LoopRange>& known, Analyzer& analyzer) {
    std::vector<Expr> lowers = bounds.equal, uppers = bounds.equal;
    lowers.insert(lowers.end(), bounds.lower.begin(), bounds.lower.end());
    uppers.insert(uppers.end(), bounds.upper.begin(), bounds.upper.end());
    Domains domains;
    for (const LoopRange& one : known) domains[one.var.get()] = interval_of(one.range, analyzer);
    Expr least = nullptr, shortest = nullptr;
    for (const Expr& low : lowers) {
      for (const Expr& high : uppers) {
        Expr by = const_like(low, bounds.coefficient);
        Expr first = analyzer.simplify(floordiv(low + bounds.coefficient - 1, by), 3);
        Expr length = nullptr;
        for (const Expr& difference : {floordiv(sub(high, low), by), sub(floordiv(high, by), first)}) {
          IntervalSet set = interval_of(analyzer.simplify(difference, 3), domains, analyzer);
          if (!set->has_upper()) continue;
          Expr most = analyzer.simplify(set->max_value, 3);
          if (!length || analyzer.can_prove(lt(sub(most, length), const_like(most, 0)))) length = most;
        }
        if (!length) continue;
        if (shortest && !analyzer.can_prove(lt(sub(length, shortest), const_like(length, 0)))) continue;
        least = first;
        shortest = length;
      }
    }
    return least ? make<RangeNode>(least, analyzer.simplify(shortest + 1)) : Range(nullptr);
  }

  // The bounds, and what is left.
  std::vector<Expr> conditions() const {
    std::vector<Expr> all;
    for (size_t i = 0; i < vars_.size(); ++i) {
      const Bounds& bounds = bounds_[i];
      Expr scaled =
          bounds.coefficient == 1 ? Expr(vars_[i]) : mul(vars_[i], const_like(vars_[i], bounds.coefficient));
      for (const Expr& e : bounds.equal) all.push_back(eq(scaled, e));
      for (const Expr& e : bounds.lower) all.push_back(ge(scaled, e));
      for (const Expr& e : bounds.upper) all.push_back(le(scaled, e));
    }
    all.insert(all.end(), rest_.begin(), rest_.end());
    return all;
  }

  const std::vector<Var>& vars_;
  const std::vector<LoopRange>& known_;
  Analyzer analyzer_;
  std::vector<Bounds> bounds_;  // by variable
  std::vector<Expr> rest_;
};

}  // namespace

std::vector<Expr> linear_comparisons(const Expr& condition) {
  if (auto* call = as_call_to(condition, "tirx.likely")) return linear_comparisons(call->args[0]);
  auto* op = as_binary(condition);
  if (!op) return {};
  if (condition->kind == ExprKind::kAnd) {
    std::vector<Expr> all = linear_comparisons(op->a), more = linear_comparisons(op->b);
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  bool compares = condition->kind == ExprKind::kLT || condition->kind == ExprKind::kLE ||
                  condition->kind == ExprKind::kGT || condition->kind == ExprKind::kGE ||
                  condition->kind == ExprKind::kEQ || condition->kind == ExprKind::kNE;
  if (!compares || !op->a->dtype().is_int() || !op->a->dtype().is_scalar()) return {};
  bool simple = true, any = false;
  post_order(condition, [&](const Expr& e) {
    if (e.same_as(condition)) return;
    if (auto* var = as<VarNode>(e)) {
      any = true;
      simple = simple && !var->buffer();
      return;
    }
    switch (e->kind) {
      case ExprKind::kAdd:
      case ExprKind::kSub:
      case ExprKind::kMul:
      case ExprKind::kFloorDiv:
      case ExprKind::kFloorMod:
      case ExprKind::kIntImm:
        return;
      default:
        simple = false;
    }
  });
  return simple && any ? std::vector<Expr>{condition} : std::vector<Expr>{};
}

std::optional<std::vector<LoopRange>> solve_to_ranges(const std::vector<Var>& vars,
                                                      const std::vector<LoopRange>& known,
                                                      const std::vector<Expr>& conditions) {
  Solver solver(vars, known);
  if (!solver.eliminate(conditions)) return std::nullopt;
  return solver.ranges();
}

Expr difference_of(const Expr& comparison) {
  auto* two = as_binary(comparison);
  if (!two || !two->a->dtype().is_int()) return nullptr;
  switch (comparison->kind) {
    case ExprKind::kLT:
      return two->a - two->b + 1;
    case ExprKind::kLE:
    case ExprKind::kEQ:
      return two->a - two->b;
    case ExprKind::kGT:
      return two->b - two->a + 1;
    case ExprKind::kGE:
      return two->b - two->a;
    default:
      return nullptr;
  }
}

}  // namespace mlc::transform
