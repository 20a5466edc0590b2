// SPDX-License-Identifier: Apache-2.0
// Conditions in force, what follows from them at once, and comparisons that use them.
#include <algorithm>
#include <tuple>

#include "ir/tir/linear.h"
#include "ir/tir/op.h"
#include "transform/arith/analyzer_impl.h"
#include "transform/arith/expr_equal.h"
#include "transform/arith/greatest_divisor.h"

namespace mlc::transform {
namespace {

bool is_remainder_of(const BinaryNode* e, const Expr& divisor) {
  return e->kind == ExprKind::kFloorMod && same_expr(e->b, divisor);
}

bool integers(const Expr& e) {
  return e->dtype().is_scalar() && (e->dtype().is_int() || e->dtype().is_uint());
}

// The opposite of a condition without `not`, where it has such a form; else null.
Expr negated(const Expr& e) {
  if (auto* inverse = as<NotNode>(e)) return inverse->a;
  auto* two = as_binary(e);
  if (!two) return nullptr;
  auto side = [](const Expr& part) {
    Expr opposite = negated(part);
    return opposite ? opposite : Expr(make<NotNode>(part));
  };
  switch (e->kind) {
    case ExprKind::kEQ:
      return make<NENode>(two->a, two->b);
    case ExprKind::kNE:
      return make<EQNode>(two->a, two->b);
    case ExprKind::kAnd:
      return make<OrNode>(side(two->a), side(two->b));
    case ExprKind::kOr:
      return make<AndNode>(side(two->a), side(two->b));
    default:
      break;
  }
  if (!integers(two->a)) return nullptr;  // of NaN neither holds
  bool less = e->kind == ExprKind::kLT || e->kind == ExprKind::kLE;
  if (!less && e->kind != ExprKind::kGT && e->kind != ExprKind::kGE) return nullptr;
  bool strict = e->kind == ExprKind::kLT || e->kind == ExprKind::kGT;
  ExprKind opposite = strict ? ExprKind::kLE : ExprKind::kLT;
  return less ? binary(opposite, two->b, two->a) : binary(opposite, two->a, two->b);
}

// c + x and c - x, from which TVM takes no fact about x.
bool begins_with_constant(const Expr& e) {
  auto* two = e->kind == ExprKind::kAdd || e->kind == ExprKind::kSub ? as_binary(e) : nullptr;
  return two && two->a->kind == ExprKind::kIntImm;
}

// The remainder of a positive divisor, from 0 on.
int64_t least_residue(int64_t value, int64_t divisor) {
  value %= divisor;
  return value < 0 ? value + divisor : value;
}

// The numbers of a progression whose residue is `residue`, by the Chinese remainder theorem; none where there
// is no such number, or the common step is too long.
std::optional<ModularSet> with_residue(ModularSet known, int64_t divisor, int64_t residue) {
  known.base = least_residue(known.base, known.coeff);
  int64_t step = greatest_divisor(known.coeff, divisor), period = divisor / step;
  if ((residue - known.base) % step != 0) return std::nullopt;
  int64_t last = period, rest = known.coeff / step % period;
  int64_t before = 0, inverse = 1;  // of rest, modulo period
  while (rest > 1) {
    int64_t quotient = last / rest;
    std::tie(last, rest) = std::pair(rest, last % rest);
    std::tie(before, inverse) = std::pair(inverse, before - quotient * inverse);
  }
  __int128 times = static_cast<__int128>((residue - known.base) / step) * inverse % period;
  if (times < 0) times += period;
  __int128 coeff = static_cast<__int128>(known.coeff) * period;
  if (coeff > INT64_MAX) return std::nullopt;
  return ModularSet{static_cast<int64_t>(coeff), static_cast<int64_t>(known.base + known.coeff * times)};
}

// Is a term of that sign in both?
bool shares_side(const LinearSum& a, const LinearSum& b, bool positive) {
  auto in = [&](const LinearTerm& term) {
    return std::any_of(b.terms.begin(), b.terms.end(), [&](const LinearTerm& other) {
      return (other.scale > 0) == positive && same_expr(term.index, other.index);
    });
  };
  return std::any_of(a.terms.begin(), a.terms.end(),
                     [&](const LinearTerm& term) { return (term.scale > 0) == positive && in(term); });
}

// The conjunction of two facts about the same values; the first one where they contradict each other.
Ordering both(Ordering a, Ordering b) {
  // Which of less, equal and greater are possible, by the numbers of Ordering.
  static constexpr int possible[] = {7, 1, 3, 2, 6, 4, 5};
  int left = possible[static_cast<size_t>(a)] & possible[static_cast<size_t>(b)];
  for (size_t i = 0; i < std::size(possible); ++i) {
    if (possible[i] == left) return static_cast<Ordering>(i);
  }
  return a;
}

}  // namespace

void AnalyzerImpl::assume_bound(const Expr& e, ConstIntBound bound) {
  if (e->kind == ExprKind::kIntImm) return;
  bound_facts_.push_back({e, bound});
  facts_changed();
}

// x % c == r, of a variable; rounding to zero leaves the same residue.
void AnalyzerImpl::assume_residue(const Expr& remainder, const Expr& value) {
  bool divides = remainder->kind == ExprKind::kFloorMod || remainder->kind == ExprKind::kMod;
  auto* two = divides ? as_binary(remainder) : nullptr;
  auto* var = two ? as<VarNode>(two->a) : nullptr;
  if (!var) return;
  auto divisor = const_int(two->b), residue = const_int(value);
  if (!divisor || !residue || *divisor <= 1) return;
  ModularSet known = modular(two->a);
  if (known.coeff < 1) return;  // a number, which says all
  auto common = with_residue(known, *divisor, least_residue(*residue, *divisor));
  if (!common) return;
  old_residues_.emplace_back(ref(var), known);
  var_residues[var] = *common;
  facts_changed();
}

LinearSum AnalyzerImpl::merged(const Expr& e) {
  LinearSum sum = sum_of(e);
  sum.merge();
  return sum;
}

// Is the side of a comparison in simplest form, but for what is added to it? As in TVM, whose facts are found
// by their text: what is not says nothing of what is compared in that form.
bool AnalyzerImpl::is_simplest(const Expr& side) {
  auto with_offset = [](const Expr& e) {
    auto* two = as_binary(e);
    return two && (two->kind == ExprKind::kAdd || two->kind == ExprKind::kSub) && const_int(two->b) ? two
                                                                                                    : nullptr;
  };
  auto* sum = with_offset(side);
  const Expr& rest = sum ? sum->a : side;
  return !(sum && with_offset(rest)) && same_expr(simplify(rest, 2), rest);
}

// a < b, or a <= b when not strict.
void AnalyzerImpl::assume_less(const Expr& a, const Expr& b, bool strict) {
  if (!integers(a)) return;
  int64_t slack = strict ? 1 : 0;
  ConstIntBound left = bounds(a), right = bounds(b);
  if (const_int(b)) assume_bound(a, {ConstIntBound::kNegInf, right.max - slack});
  if (const_int(a)) assume_bound(b, {left.min + slack, ConstIntBound::kPosInf});
  if (begins_with_constant(a) || begins_with_constant(b) || !is_simplest(a) || !is_simplest(b)) return;
  LinearSum left_sum = merged(a), right_sum = merged(b);
  if (LinearSum sum = left_sum; !sum.add(right_sum, -1)) return;  // its constant is no number of the type
  LinearSum difference = merged(sub(a, b));
  if (difference.terms.empty()) return;
  int64_t upper = -slack - difference.base;
  difference.base = 0;
  differences_.push_back({std::move(difference), upper, std::move(left_sum), std::move(right_sum)});
  facts_changed();
}

void AnalyzerImpl::assume(const Expr& condition) {
  ++stats.constraints_entered;
  undo_.push_back({truths_.size(), bound_facts_.size(), differences_.size(), old_residues_.size(), knowledge_,
                   bindings_});
  MemoKey transition{condition.get(), nullptr, memo_state()};
  struct Part {
    Expr fact;
    bool value;
    bool below_not;  // as in TVM, implies no bounds
  };
  // What a conjunction says; a loaded value may differ at the next statement.
  auto parts_of = [](const Expr& whole) {
    std::vector<Part> todo{{whole, true, false}}, parts;
    while (!todo.empty()) {
      Part part = todo.back();
      todo.pop_back();
      if (auto* inverse = as<NotNode>(part.fact)) {
        todo.push_back({inverse->a, !part.value, true});
        continue;
      }
      auto* two = as_binary(part.fact);
      if (two &&
          ((two->kind == ExprKind::kAnd && part.value) || (two->kind == ExprKind::kOr && !part.value))) {
        todo.push_back({two->a, part.value, part.below_not});
        todo.push_back({two->b, part.value, part.below_not});
      } else if (part.fact->kind != ExprKind::kIntImm && side_effect(part.fact) <= Effect::kPure) {
        parts.push_back(part);
      }
    }
    return parts;
  };
  // As in TVM: what is literally so is said of conditions in simplest form, bounds are those of the text.
  for (const auto& [fact, value, below_not] : parts_of(rewrite(condition))) {
    auto* two = as_binary(fact);
    truths_.push_back({fact, value});
    if (fact->kind == ExprKind::kEQ || fact->kind == ExprKind::kNE) {
      Expr turned = binary(fact->kind, two->b, two->a);
      truths_.push_back({turned, value});
      truths_.push_back({negated(turned), !value});
    }
    if (Expr opposite = negated(fact)) truths_.push_back({opposite, !value});
    facts_changed();
  }
  for (const auto& [fact, value, below_not] : parts_of(condition)) {
    auto* two = as_binary(fact);
    if (!two || !integers(two->a) || below_not) continue;
    switch (two->kind) {
      case ExprKind::kLT:
        assume_less(two->a, two->b, true);
        break;
      case ExprKind::kLE:
        assume_less(two->a, two->b, false);
        break;
      case ExprKind::kGT:
        assume_less(two->b, two->a, true);
        break;
      case ExprKind::kGE:
        assume_less(two->b, two->a, false);
        break;
      case ExprKind::kEQ:
        assume_residue(two->a, two->b);
        assume_less(two->a, two->b, false);
        assume_less(two->b, two->a, false);
        break;
      default:
        break;
    }
  }
  if (!remembers()) return;
  if (const auto* found = states_.find(transition))
    knowledge_ = found->answer;
  else
    states_.keep(transition, {condition, Expr(), knowledge_, {}});
}

void AnalyzerImpl::assume_in_range(const Var& var, const Range& range) {
  assume_less(var, add(range->min, range->extent), true);
  if (!const_int(range->min)) assume_less(range->min, var, false);
  bindings_changed();
}

void AnalyzerImpl::forget(size_t mark) {
  Undo to = undo_[mark];
  undo_.resize(mark);
  truths_.resize(to.truths);
  bound_facts_.resize(to.bounds);
  differences_.resize(to.differences);
  for (; old_residues_.size() > to.residues; old_residues_.pop_back()) {
    var_residues[old_residues_.back().first.get()] = old_residues_.back().second;
  }
  if (to.bindings == bindings_)
    knowledge_ = to.knowledge;
  else
    facts_changed();
}

void AnalyzerImpl::forget_answers() {
  visited_.clear();
  canonical_.clear();
  sums_.clear();
  bounds_.clear();
  compared_.clear();
  compared_sums_.clear();
}

std::optional<bool> AnalyzerImpl::known(const Expr& condition) const {
  for (const Truth& truth : truths_) {
    if (same_expr(truth.condition, condition)) return truth.value;
  }
  return std::nullopt;
}

Ordering AnalyzerImpl::compare(const Expr& a, const Expr& b) {
  if (same_expr(a, b)) return Ordering::kEqual;
  if (auto limit = const_int(b); limit && *limit == *const_int(min_value(b->dtype()))) {
    // x minus that is no number of the type, but nothing is smaller.
    ConstIntBound range = bounds(a);
    if (range.max == *limit && range.min == *limit) return Ordering::kEqual;
    if (range.min == ConstIntBound::kNegInf) return Ordering::kUnknown;
    if (range.min >= *limit) return range.min > *limit ? Ordering::kGreater : Ordering::kGreaterEqual;
    return Ordering::kUnknown;
  }
  if (auto limit = const_int(b)) {
    ConstIntBound range = bounds(a);
    if (range.max < *limit) return Ordering::kLess;
    bool ends = range.min != ConstIntBound::kPosInf && range.min != ConstIntBound::kNegInf;
    if (range.min > *limit && ends) return Ordering::kGreater;
  }
  return remembered(compared_, a, b, [&] { return order_of_difference(a, b); });
}

static Ordering order_of(int64_t x, int64_t y) {
  return x < y ? Ordering::kLess : x > y ? Ordering::kGreater : Ordering::kEqual;
}

Ordering AnalyzerImpl::order_of_difference(const Expr& a, const Expr& b) {
  Expr difference = visit_in_form(sub(a, b));
  auto* two = as<SubNode>(difference);  // of numbers, which is none of their type
  if (two && const_int(two->a) && const_int(two->b)) return order_of(*const_int(two->a), *const_int(two->b));
  if (auto value = const_int(difference)) {
    auto left = const_int(visit_in_form(a)), right = const_int(visit_in_form(b));  // it may have wrapped
    return left && right ? order_of(*left, *right) : order_of(*value, 0);
  }
  Ordering order = Ordering::kUnknown;
  ConstIntBound range = bounds(difference);
  if (range.min == 0 && range.max == 0) return Ordering::kEqual;
  if (range.max < 0) return Ordering::kLess;
  if (range.min > 0) return Ordering::kGreater;
  if (range.min == 0) order = Ordering::kGreaterEqual;
  if (range.max == 0) order = Ordering::kLessEqual;
  if (!truths_.empty() && known(ne(a, b)) == true) {
    if (order == Ordering::kLessEqual) return Ordering::kLess;
    if (order == Ordering::kGreaterEqual) return Ordering::kGreater;
    if (order == Ordering::kUnknown) order = Ordering::kNotEqual;
  }
  if (order == Ordering::kUnknown && modular(difference).base != 0) order = Ordering::kNotEqual;
  return differences_.empty() ? order : both(order, compare_sums(a, b));
}

bool AnalyzerImpl::equal_by_sums(const Expr& a, const Expr& b) {
  if (same_expr(a, b)) return true;
  return is_const_int(rewrite(canonical(sub(a, b))), 0);
}

// An upper bound of the sum (without its constant) by adding known inequalities up: x - z <= 3 of x - y <= 1
// and y - z <= 2. Each is used once, and only where it covers one side of the difference as a whole.
int64_t AnalyzerImpl::upper_bound(const LinearSum& sum, std::vector<bool>& used, int depth) {
  constexpr int kMostSteps = 8;
  int64_t best = ConstIntBound::kPosInf;
  if (depth == kMostSteps) return best;
  for (size_t i = 0; i < differences_.size(); ++i) {
    if (used[i]) continue;
    const DifferenceFact& fact = differences_[i];
    LinearSum rest = sum;
    if (!rest.add(fact.terms, -1)) continue;
    rest.merge();
    int64_t more = rest.base;
    rest.base = 0;
    if (shares_side(sum, rest, true) && shares_side(sum, rest, false)) continue;
    int64_t remaining = 0;
    if (!rest.terms.empty()) {
      used[i] = true;
      remaining = upper_bound(rest, used, depth + 1);
      used[i] = false;
      if (remaining == ConstIntBound::kPosInf) continue;
    }
    best = std::min(best, fact.upper + more + remaining);
  }
  return best;
}

Ordering AnalyzerImpl::compare_sums(const Expr& a, const Expr& b) {
  if (same_expr(a, b)) return Ordering::kEqual;
  ConstIntBound left = bounds(a), right = bounds(b);
  if (left.max < right.min) return Ordering::kLess;
  if (left.min > right.max && left.min != ConstIntBound::kNegInf) return Ordering::kGreater;
  if (b->kind == ExprKind::kIntImm && a->kind == ExprKind::kVar && differences_.empty()) {
    if (left.max == right.min) return Ordering::kLessEqual;
    if (left.min == right.max) return Ordering::kGreaterEqual;
    return Ordering::kUnknown;
  }
  return remembered(compared_sums_, a, b, [&] { return order_of_sums(a, b); });
}

// Is (b + 1) * y, of numbers, one of their type?
static bool has_product_of_next(const Expr& b, const Expr& y) {
  auto limit = const_int(b), by = const_int(y);
  if (!limit || !by) return true;
  auto next = reckoned(ExprKind::kAdd, *limit, 1);
  auto product = next ? reckoned(ExprKind::kMul, *next, *by) : std::nullopt;
  return product && fits(b->dtype(), *product);
}

Ordering AnalyzerImpl::order_of_sums(const Expr& a, const Expr& b) {
  // Bounds of the difference, then facts about it, both ways round.
  LinearSum difference = merged(sub(a, b));
  if (difference.terms.empty()) return order_of(difference.base, 0);
  if (difference.terms.size() == 1 && as<SubNode>(difference.terms[0].index)) {
    LinearSum left = merged(a), right = merged(b);  // numbers whose difference is none of their type
    if (left.is_const() && right.is_const()) return order_of(left.base, right.base);
  }
  ConstIntBound range = bounds(difference.expr());
  if (!differences_.empty()) {
    int64_t base = difference.base;
    difference.base = 0;
    LinearSum opposite = difference;
    bool turned = opposite.multiply(-1);
    opposite.merge();
    // As in TVM, `n < m` does not imply that `n - m < 0`: the sides are those of a comparison that is known.
    LinearSum left = merged(a), right = merged(b);
    bool begins = false, ends = false;
    for (const DifferenceFact& fact : differences_) {
      if (fact.has_sides(left, right)) range.max = std::min(range.max, fact.upper + base);
      if (fact.has_sides(right, left)) range.min = std::max(range.min, -fact.upper + base);
      begins = begins || same_terms(fact.left, left) || same_terms(fact.right, left);
      ends = ends || same_terms(fact.left, right) || same_terms(fact.right, right);
    }
    if (begins && ends && turned && !canonical_form_ && (extensions & kTransitivelyProveInequalities)) {
      std::vector<bool> used(differences_.size());
      int64_t above = upper_bound(difference, used, 0), below = upper_bound(opposite, used, 0);
      if (above != ConstIntBound::kPosInf) range.max = std::min(range.max, above + base);
      if (below != ConstIntBound::kPosInf) range.min = std::max(range.min, base - below);
    }
  }
  if (range.max < 0) return Ordering::kLess;
  if (auto* division = as_binary(a); division && range.max > 0 && depth_ < 8 && bounds(division->b).min > 0) {
    if (is_remainder_of(division, b)) return Ordering::kLess;  // x % y < y
    if (division->kind == ExprKind::kFloorDiv && has_product_of_next(b, division->b)) {
      // x // y <= b  iff  x < (b + 1) * y
      ++depth_;
      Ordering order = compare_sums(division->a, canonical(mul(b + 1, division->b)));
      --depth_;
      if (order == Ordering::kLess) return Ordering::kLessEqual;
    }
  }
  if (range.min > 0 && range.min != ConstIntBound::kPosInf) return Ordering::kGreater;
  if (range.max == 0) return range.min == 0 ? Ordering::kEqual : Ordering::kLessEqual;
  if (range.min == 0) return Ordering::kGreaterEqual;
  return Ordering::kUnknown;
}

bool AnalyzerImpl::proves_by_bounds(ExprKind comparison, const Expr& a, const Expr& b) {
  if (!integers(a)) return false;
  Ordering order = compare_sums(a, b);
  bool less = order == Ordering::kLess, equal = order == Ordering::kEqual,
       greater = order == Ordering::kGreater;
  switch (comparison) {
    case ExprKind::kLT:
      return less;
    case ExprKind::kGT:
      return greater;
    case ExprKind::kEQ:
      return equal;
    case ExprKind::kLE:
      return less || equal || order == Ordering::kLessEqual;
    case ExprKind::kGE:
      return greater || equal || order == Ordering::kGreaterEqual;
    case ExprKind::kNE:
      return less || greater || modular(sum_of(sub(a, b)).expr()).base != 0;
    default:
      return false;
  }
}

}  // namespace mlc::transform
