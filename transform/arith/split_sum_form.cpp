// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/split_sum_form.h"

#include "ir/core/visit.h"
#include "ir/tir/linear.h"

namespace mlc::transform {
namespace {

struct Term {
  Expr value;
  int64_t scale;
};
struct Sum {
  std::vector<Term> terms;
  int64_t constant = 0;
};

// False where a constant of the sum is no number of its type.
bool collect(const Expr& e, int64_t scale, Sum& sum) {
  DataType dtype = e->dtype();
  if (auto* both = as<AddNode>(e)) return collect(both->a, scale, sum) && collect(both->b, scale, sum);
  if (auto* difference = as<SubNode>(e)) {
    auto negated = reckoned(ExprKind::kSub, 0, scale);
    return negated && collect(difference->a, scale, sum) && collect(difference->b, *negated, sum);
  }
  auto* product = as<MulNode>(e);
  auto value = const_int(e), factor = product ? const_int(product->b) : std::nullopt;
  auto scaled = value || factor ? reckoned(ExprKind::kMul, scale, value ? *value : *factor) : scale;
  if (!scaled || !fits(dtype, *scaled)) return false;
  if (!value) {
    sum.terms.push_back({factor ? product->a : e, *scaled});
    return true;
  }
  auto constant = reckoned(ExprKind::kAdd, sum.constant, *scaled);
  if (!constant || !fits(dtype, *constant)) return false;
  sum.constant = *constant;
  return true;
}

struct SplitSumForm final : Rewriter {
  Analyzer& analyzer;
  explicit SplitSumForm(Analyzer& analyzer) : analyzer(analyzer) {}

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    if (next->kind != ExprKind::kFloorMod && next->kind != ExprKind::kFloorDiv) return next;
    auto* two = as_binary(next);
    auto divisor = const_int(two->b);
    if (!divisor || *divisor < 2 || !two->a->dtype().is_scalar()) return next;
    Sum sum;
    if (!collect(two->a, 1, sum)) return next;
    return next->kind == ExprKind::kFloorMod ? remainder_of(next, sum, *divisor)
                                             : quotient_of(next, sum, *divisor);
  }

 private:
  static Expr sum_of(const Expr& like, const std::vector<Term>& terms, int64_t constant) {
    Expr sum = const_like(like, constant);
    for (const Term& term : terms) sum = sum + term.value * const_like(like, term.scale);
    return sum;
  }

  // `e` is `high * scale + low` where `scale` divides the divisor and 0 <= low < scale.
  struct Parts {
    Expr high, low;
    int64_t scale;
  };
  std::optional<Parts> parts_of(const Expr& e, const Sum& sum, int64_t divisor) {
    for (const Term& unit : sum.terms) {
      int64_t scale = std::abs(unit.scale);
      if (scale < 2 || scale >= divisor || divisor % scale != 0) continue;
      std::vector<Term> high, low;
      for (const Term& term : sum.terms) {
        if (term.scale % scale == 0) {
          high.push_back({term.value, term.scale / scale});
        } else {
          low.push_back(term);
        }
      }
      Expr rest = sum_of(e, low, sum.constant);
      ConstIntBound bound = analyzer.const_int_bound(rest);
      if (bound.min >= 0 && bound.max < scale) return Parts{sum_of(e, high, 0), rest, scale};
    }
    return std::nullopt;
  }

  Expr remainder_of(const Expr& e, const Sum& sum, int64_t divisor) {
    auto parts = parts_of(e, sum, divisor);
    if (!parts) return e;
    Expr inner = floormod(parts->high, const_like(e, divisor / parts->scale));
    return inner * const_like(e, parts->scale) + parts->low;
  }

  Expr quotient_of(const Expr& e, const Sum& sum, int64_t divisor) {
    if (auto parts = parts_of(e, sum, divisor))
      return floordiv(parts->high, const_like(e, divisor / parts->scale));
    if (sum.terms.empty() || sum.constant == 0) return e;
    Expr rest = sum_of(e, sum.terms, 0), by = const_like(e, divisor);
    Expr carry = analyzer.simplify(floormod(rest, by)) + const_like(e, sum.constant);
    return floordiv(rest, by) + floordiv(carry, by);
  }
};

}  // namespace

Expr split_sum_form(const Expr& e, Analyzer& analyzer) { return SplitSumForm(analyzer).rewrite(e); }

}  // namespace mlc::transform
