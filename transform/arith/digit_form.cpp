// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/digit_form.h"

#include "ir/visit.h"

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

void collect(const Expr& e, int64_t scale, Sum& sum) {
  if (auto* both = as<AddNode>(e)) {
    collect(both->a, scale, sum);
    collect(both->b, scale, sum);
  } else if (auto* difference = as<SubNode>(e)) {
    collect(difference->a, scale, sum);
    collect(difference->b, -scale, sum);
  } else if (auto value = const_int(e)) {
    sum.constant += scale * *value;
  } else {
    auto* product = as<MulNode>(e);
    auto factor = product ? const_int(product->b) : std::nullopt;
    sum.terms.push_back(factor ? Term{product->a, scale * *factor} : Term{e, scale});
  }
}

struct DigitForm final : Rewriter {
  Analyzer& analyzer;
  explicit DigitForm(Analyzer& analyzer) : analyzer(analyzer) {}

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    if (next->kind != ExprKind::kFloorMod && next->kind != ExprKind::kFloorDiv) return next;
    auto* two = as_binary(next);
    auto divisor = const_int(two->b);
    if (!divisor || *divisor < 2 || !two->a->dtype().is_scalar()) return next;
    Sum sum;
    collect(two->a, 1, sum);
    return next->kind == ExprKind::kFloorMod ? remainder_of(next, sum, *divisor)
                                             : quotient_of(next, sum, two->b);
  }

 private:
  static Expr sum_of(const Expr& like, const std::vector<Term>& terms, int64_t constant) {
    Expr sum = const_like(like, constant);
    for (const Term& term : terms) sum = sum + term.value * const_like(like, term.scale);
    return sum;
  }

  Expr remainder_of(const Expr& e, const Sum& sum, int64_t divisor) {
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
      if (bound.min < 0 || bound.max >= scale) continue;
      Expr inner = floormod(sum_of(e, high, 0), const_like(e, divisor / scale));
      return inner * const_like(e, scale) + rest;
    }
    return e;
  }

  Expr quotient_of(const Expr& e, const Sum& sum, const Expr& divisor) {
    if (sum.terms.empty() || sum.constant == 0) return e;
    Expr rest = sum_of(e, sum.terms, 0);
    Expr carry = analyzer.simplify(floormod(rest, divisor)) + const_like(e, sum.constant);
    return floordiv(rest, divisor) + floordiv(carry, divisor);
  }
};

}  // namespace

Expr digit_form(const Expr& e, Analyzer& analyzer) { return DigitForm(analyzer).rewrite(e); }

}  // namespace mlc::transform
