// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/digit_form.h"

#include "ir/visit.h"

namespace mlc::transform {
namespace {

struct Term {
  Expr value;
  int64_t scale;
};

// The terms of a sum, and its constant.
void collect(const Expr& e, int64_t scale, std::vector<Term>& terms, int64_t& constant) {
  if (auto* sum = as<AddNode>(e)) {
    collect(sum->a, scale, terms, constant);
    collect(sum->b, scale, terms, constant);
  } else if (auto* difference = as<SubNode>(e)) {
    collect(difference->a, scale, terms, constant);
    collect(difference->b, -scale, terms, constant);
  } else if (auto value = const_int(e)) {
    constant += scale * *value;
  } else {
    auto* product = as<MulNode>(e);
    auto factor = product ? const_int(product->b) : std::nullopt;
    terms.push_back(factor ? Term{product->a, scale * *factor} : Term{e, scale});
  }
}

struct DigitForm final : Rewriter {
  Analyzer& analyzer;
  explicit DigitForm(Analyzer& analyzer) : analyzer(analyzer) {}

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    if (auto* remainder = as<FloorModNode>(next)) return remainder_of(next, remainder->a, remainder->b);
    if (auto* quotient = as<FloorDivNode>(next)) return quotient_of(next, quotient->a, quotient->b);
    return next;
  }

 private:
  static Expr sum_of(const Expr& like, const std::vector<Term>& terms, int64_t constant) {
    Expr sum = const_like(like, constant);
    for (const Term& term : terms) sum = sum + term.value * const_like(like, term.scale);
    return sum;
  }

  Expr remainder_of(const Expr& e, const Expr& a, const Expr& b) {
    auto divisor = const_int(b);
    if (!divisor || *divisor < 2 || !a->dtype().is_scalar()) return e;
    std::vector<Term> terms;
    int64_t constant = 0;
    collect(a, 1, terms, constant);
    for (const Term& unit : terms) {
      int64_t scale = std::abs(unit.scale);
      if (scale < 2 || scale >= *divisor || *divisor % scale != 0) continue;
      std::vector<Term> high, low;
      for (const Term& term : terms) {
        if (term.scale % scale == 0) {
          high.push_back({term.value, term.scale / scale});
        } else {
          low.push_back(term);
        }
      }
      Expr rest = sum_of(a, low, constant);
      ConstIntBound bound = analyzer.const_int_bound(rest);
      if (bound.min < 0 || bound.max >= scale) continue;
      Expr inner = floormod(sum_of(a, high, 0), const_like(a, *divisor / scale));
      return inner * const_like(a, scale) + rest;
    }
    return e;
  }

  Expr quotient_of(const Expr& e, const Expr& a, const Expr& b) {
    auto divisor = const_int(b);
    if (!divisor || *divisor < 2 || !a->dtype().is_scalar()) return e;
    std::vector<Term> terms;
    int64_t constant = 0;
    collect(a, 1, terms, constant);
    if (terms.empty() || constant == 0) return e;
    Expr rest = sum_of(a, terms, 0);
    return floordiv(rest, b) + floordiv(analyzer.simplify(floormod(rest, b)) + const_like(a, constant), b);
  }
};

}  // namespace

Expr digit_form(const Expr& e, Analyzer& analyzer) { return DigitForm(analyzer).rewrite(e); }

}  // namespace mlc::transform
