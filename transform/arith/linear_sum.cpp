// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/linear_sum.h"

#include <algorithm>

#include "ir/tir/linear.h"
#include "transform/arith/expr_equal.h"

namespace mlc::transform {
namespace {

Expr quotient(Expr a, int64_t b, Rounding rounding) {
  Expr divisor = int_imm(a->dtype(), b);
  return rounding == Rounding::kFloor ? floordiv(std::move(a), divisor) : truncdiv(std::move(a), divisor);
}
Expr remainder(Expr a, int64_t b, Rounding rounding) {
  Expr divisor = int_imm(a->dtype(), b);
  return rounding == Rounding::kFloor ? floormod(std::move(a), divisor) : truncmod(std::move(a), divisor);
}

// Without a division both roundings mean the same.
bool compatible(const LinearTerm& term, Rounding rounding) {
  return term.rounding == rounding || (term.lower == 1 && term.upper == LinearTerm::kNoUpper);
}

Expr term_expr(const LinearTerm& term, int64_t scale) {
  Expr result = term.index;
  if (term.upper != LinearTerm::kNoUpper) result = remainder(result, term.upper, term.rounding);
  if (term.lower != 1) result = quotient(result, term.lower, term.rounding);
  return scale == 1 ? result : mul(result, int_imm(result->dtype(), scale));
}

// Is what becomes of the constant a number of the type?
bool reckon(ExprKind operation, DataType dtype, int64_t& constant, int64_t operand) {
  auto result = reckoned(operation, constant, operand);
  constant = result.value_or(0);
  return result && fits(dtype, constant);
}

}  // namespace

bool LinearSum::add(LinearTerm term, int64_t factor) {
  if (term.scale == 0 || factor == 0) return true;
  if (!reckon(ExprKind::kMul, dtype, term.scale, factor)) return false;
  size_t at = 0;
  while (at < terms.size() && !same_expr(terms[at].index, term.index)) ++at;
  for (; at < terms.size(); ++at) {
    LinearTerm& present = terms[at];
    if (!same_expr(present.index, term.index) || term.lower > present.lower) break;
    if (present.lower == term.lower && present.upper == term.upper && compatible(present, term.rounding))
      return reckon(ExprKind::kAdd, dtype, present.scale, term.scale);
  }
  terms.insert(terms.begin() + at, std::move(term));
  return true;
}

bool LinearSum::add(const LinearSum& other, int64_t factor) {
  int64_t more = other.base;
  return std::ranges::all_of(other.terms, [&](const LinearTerm& term) { return add(term, factor); }) &&
         reckon(ExprKind::kMul, dtype, more, factor) && reckon(ExprKind::kAdd, dtype, base, more);
}

bool LinearSum::multiply(int64_t factor) {
  auto times = [&](int64_t& constant) { return reckon(ExprKind::kMul, dtype, constant, factor); };
  return times(base) && std::ranges::all_of(terms, times, &LinearTerm::scale);
}

void LinearSum::divide_exactly(int64_t divisor) {
  for (LinearTerm& term : terms) term.scale /= divisor;
  base /= divisor;
}

LinearSum LinearSum::divisible_part(int64_t divisor, LinearSum& rest) const {
  LinearSum part{dtype, {}, 0, summed};
  rest = part;
  (base % divisor == 0 ? part : rest).base = base;
  for (const LinearTerm& term : terms) (term.scale % divisor == 0 ? part : rest).terms.push_back(term);
  return part;
}

void LinearSum::merge() {
  for (size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].scale == 0) continue;
    for (size_t j = i + 1; j < terms.size(); ++j) {
      LinearTerm &high = terms[i], &low = terms[j];
      if (!same_expr(high.index, low.index) || high.upper < low.lower) break;
      if (high.upper == low.upper && high.lower == low.lower && compatible(high, low.rounding)) {
        low.scale += high.scale;
        high.scale = 0;
      } else if (high.lower == low.upper && low.scale != 0 && high.scale % low.scale == 0 &&
                 high.lower == high.scale / low.scale * low.lower && compatible(high, low.rounding)) {
        // (x % u // c) * (c / l) * s + (x % c // l) * s == (x % u // l) * s
        low.upper = high.upper;
        high.scale = 0;
        break;
      }
    }
  }
  std::erase_if(terms, [](const LinearTerm& term) { return term.scale == 0; });
  std::stable_sort(terms.begin(), terms.end(), [](const LinearTerm& a, const LinearTerm& b) {
    if (a.scale != b.scale) return a.scale > b.scale;
    if (a.lower != b.lower) return a.lower > b.lower;
    if (a.upper != b.upper) return a.upper > b.upper;
    bool digits = a.lower != 1 || a.upper != LinearTerm::kNoUpper;
    return digits && a.rounding < b.rounding;
  });
}

Expr LinearSum::expr() const {
  LinearSum merged = *this;
  merged.merge();
  bool subtracted = summed && !merged.terms.empty() && merged.terms[0].scale < 0;
  if (base == 0 && merged.terms.size() == 1 && !subtracted)
    return term_expr(merged.terms[0], merged.terms[0].scale);
  Expr result;
  auto plus = [&](Expr e) { result = result ? ir::add(result, std::move(e)) : std::move(e); };
  // The opposite of the least number is no number of the type.
  int64_t least = *const_int(min_value(dtype));
  for (const LinearTerm& term : merged.terms) {
    if (term.scale > 0 || term.scale == least) plus(term_expr(term, term.scale));
  }
  if (base > 0) plus(int_imm(dtype, base));
  for (const LinearTerm& term : merged.terms) {
    if (term.scale >= 0 || term.scale == least) continue;
    if (!result) result = int_imm(dtype, 0);
    result = sub(result, term_expr(term, -term.scale));
  }
  if (base < 0 && (base == least || !result)) {
    plus(int_imm(dtype, base));
  } else if (base < 0) {
    result = sub(result, int_imm(dtype, -base));
  }
  return result ? result : int_imm(dtype, 0);
}

bool same_terms(const LinearSum& a, const LinearSum& b) {
  if (a.terms.size() != b.terms.size()) return false;
  for (size_t i = 0; i < a.terms.size(); ++i) {
    const LinearTerm &x = a.terms[i], &y = b.terms[i];
    if (x.lower != y.lower || x.upper != y.upper || x.scale != y.scale || !same_expr(x.index, y.index))
      return false;
  }
  return true;
}

}  // namespace mlc::transform
