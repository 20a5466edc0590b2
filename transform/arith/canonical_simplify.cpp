// SPDX-License-Identifier: Apache-2.0
// Index arithmetic as sums of digits, (index % upper // lower) * scale, in which divisions by constants
// cancel.
#include <numeric>

#include "ir/op.h"
#include "transform/arith/analyzer_impl.h"
#include "transform/arith/expr_equal.h"

namespace mlc::transform {

// One run over one expression.
class Canonical final : public Rewriter {
 public:
  explicit Canonical(AnalyzerImpl& analyzer) : analyzer_(analyzer) {}

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (is_leaf(e) && e->kind != ExprKind::kVar) return e;
    if (arithmetic(e) || e->kind == ExprKind::kVar) {
      if (e->kind == ExprKind::kVar && !analyzer_.var_values.contains(as<VarNode>(e))) return e;
      Expr next = sum(e).expr();
      return same_expr(next, e) ? e : next;
    }
    return leaf(e);
  }

  LinearSum sum(const Expr& e) {
    LinearSum result{e->dtype(), {}, 0};
    if (auto constant = e->kind == ExprKind::kIntImm ? const_int(e) : std::nullopt) {
      result.base = *constant;
      return result;
    }
    if (e->kind == ExprKind::kVar) {
      auto value = analyzer_.var_values.find(as<VarNode>(e));
      if (value != analyzer_.var_values.end() && !value->second.same_as(e)) return sum(value->second);
      result.terms.push_back({e});
      return result;
    }
    if (!arithmetic(e)) return sum_of_leaf(leaf(e));
    auto* two = as_binary(e);
    switch (e->kind) {
      case ExprKind::kAdd:
      case ExprKind::kSub:
        result = sum(two->a);
        result.add(sum(two->b), e->kind == ExprKind::kAdd ? 1 : -1);
        result.summed = true;
        return result;
      case ExprKind::kMul:
        return product(sum(two->a), sum(two->b), e);
      default:
        return divide(e, sum(two->a), sum(two->b));
    }
  }

 private:
  static bool is_leaf(const Expr& e) {
    return e->kind == ExprKind::kVar || e->kind == ExprKind::kIntImm || e->kind == ExprKind::kFloatImm;
  }
  static bool arithmetic(const Expr& e) {
    if (!e->dtype().is_scalar() || !e->dtype().is_int() || e->dtype().bits() < 32) return false;
    return (e->kind >= ExprKind::kAdd && e->kind <= ExprKind::kFloorMod);
  }

  // A node that is not a sum: its operands in canonical form, then the local rules.
  Expr leaf(const Expr& e) {
    if (auto* order = as_binary(e)) {
      switch (e->kind) {
        case ExprKind::kLT:
          if (Expr divided = divide_comparison(order->a, order->b)) return divided;
          break;
        case ExprKind::kGT:
          if (Expr divided = divide_comparison(order->b, order->a)) return divided;
          break;
        case ExprKind::kLE:
          if (Expr divided = divide_comparison(order->b, order->a))
            return analyzer_.rewrite_node(make<NotNode>(divided));
          break;
        case ExprKind::kGE:
          if (Expr divided = divide_comparison(order->a, order->b))
            return analyzer_.rewrite_node(make<NotNode>(divided));
          break;
        default:
          break;
      }
    }
    if (e->kind == ExprKind::kSelect || as_call_to(e, "tirx.if_then_else")) return choice(e);
    Expr next = rewrite_children(e);
    if (next->kind == ExprKind::kVar) return next;
    Expr simple = analyzer_.rewrite_node(next);
    if (!simple.same_as(next) && !is_leaf(simple) && ++reentries_ < 16) simple = rewrite(simple);
    return same_expr(simple, e) ? e : simple;
  }

  Expr choice(const Expr& e) {
    auto* select_node = as<SelectNode>(e);
    auto* call = as<CallNode>(e);
    const Expr& old_condition = select_node ? select_node->condition : call->args[0];
    const Expr& old_true = select_node ? select_node->true_value : call->args[1];
    const Expr& old_false = select_node ? select_node->false_value : call->args[2];
    Expr condition = rewrite(old_condition);
    if (auto constant = const_int(condition)) return rewrite(*constant ? old_true : old_false);
    size_t before = analyzer_.mark();
    analyzer_.assume(condition);
    Expr true_value = rewrite(old_true);
    analyzer_.forget(before);
    analyzer_.assume(logical_not(condition));
    Expr false_value = rewrite(old_false);
    analyzer_.forget(before);
    if (condition.same_as(old_condition) && true_value.same_as(old_true) && false_value.same_as(old_false))
      return e;
    if (select_node)
      return analyzer_.rewrite_node(make<SelectNode>(condition, true_value, false_value, e->span));
    return make<CallNode>(e->ty, call->op, Array<Expr>{condition, true_value, false_value}, call->attrs,
                          e->span);
  }

  LinearSum sum_of_leaf(const Expr& e) {
    if (arithmetic(e) && ++reentries_ < 16) return sum(e);
    LinearSum result{e->dtype(), {}, 0};
    if (auto constant = e->kind == ExprKind::kIntImm ? const_int(e) : std::nullopt) {
      result.base = *constant;
    } else {
      result.terms.push_back({e});
    }
    return result;
  }

  LinearSum product(LinearSum a, LinearSum b, const Expr& original) {
    if (a.is_const()) std::swap(a, b);
    if (b.is_const()) {
      a.multiply(b.base);
      if (b.base == 0) a.terms.clear();
      return a;
    }
    // Factors in the order written, constants pulled out.
    std::vector<Expr> factors;
    int64_t scale = 1;
    auto collect = [&](auto& self, const Expr& e) -> void {
      if (auto* two = as<MulNode>(e)) {
        self(self, two->a);
        self(self, two->b);
      } else if (auto constant = const_int(e)) {
        scale *= *constant;
      } else {
        factors.push_back(e);
      }
    };
    collect(collect, a.expr());
    collect(collect, b.expr());
    if (factors.empty()) return LinearSum{a.dtype, {}, scale};
    Expr whole = factors[0];
    for (size_t i = 1; i < factors.size(); ++i) whole = mul(whole, factors[i]);
    if (same_expr(whole, original)) whole = original;
    LinearSum result{a.dtype, {}, 0};
    result.terms.push_back({whole});
    result.multiply(scale);
    return result;
  }

  // The sum as one term; a sum of several becomes the index of one.
  static LinearTerm term_of(LinearSum s) {
    s.merge();
    if (s.base == 0 && s.terms.size() == 1) return s.terms[0];
    return {s.expr()};
  }
  static LinearSum sum_of_term(DataType dtype, LinearTerm term) {
    LinearSum result{dtype, {}, 0};
    if (term.scale != 0) result.terms.push_back(std::move(term));
    return result;
  }

  LinearSum divide(const Expr& e, LinearSum a, LinearSum b) {
    Rounding rounding = e->kind == ExprKind::kFloorDiv || e->kind == ExprKind::kFloorMod
                            ? Rounding::kFloor
                            : Rounding::kTruncate;
    bool quotient = e->kind == ExprKind::kFloorDiv || e->kind == ExprKind::kDiv;
    if (!b.is_const() || b.base <= 0) {
      Expr left = a.expr(), right = b.expr();
      auto* two = as_binary(e);
      Expr next =
          same_expr(left, two->a) && same_expr(right, two->b) ? e : binary(e->kind, left, right, e->span);
      Expr simple = analyzer_.rewrite_node(next);
      if (same_expr(simple, next)) {
        LinearSum result{e->dtype(), {}, 0};
        result.terms.push_back({next});
        return result;
      }
      return sum_of_leaf(simple);
    }
    int64_t c = b.base;
    if (a.is_const()) {
      if (Expr folded = fold(e->kind, int_imm(a.dtype, a.base), int_imm(a.dtype, c))) {
        return LinearSum{a.dtype, {}, *const_int(folded)};
      }
    }
    if (c == 1) return quotient ? a : LinearSum{a.dtype, {}, 0};
    a.merge();
    if (rounding == Rounding::kTruncate && !may_split(a)) {
      LinearTerm whole{a.expr()};
      return quotient ? divide_term(std::move(whole), c, rounding, a.dtype)
                      : remainder_of_term(std::move(whole), c, rounding, a.dtype);
    }
    LinearSum rest;
    LinearSum exact = a.divisible_part(c, rest);
    if (quotient) {
      exact.divide_exactly(c);
      if (rest.is_const() && rest.base == 0) return exact;
      if (rest.is_const()) {
        Expr folded = fold(e->kind, int_imm(a.dtype, rest.base), int_imm(a.dtype, c));
        exact.base += *const_int(folded);
      } else if (!within(rest, c)) {
        exact.add(divide_term(term_of(rest), c, rounding, a.dtype), 1);
      }
      return exact;
    }
    if (rest.is_const()) {
      Expr folded = fold(e->kind, int_imm(a.dtype, rest.base), int_imm(a.dtype, c));
      return LinearSum{a.dtype, {}, *const_int(folded)};
    }
    if (within(rest, c)) return rest;
    if (rounding == Rounding::kFloor && (rest.base < 0 || rest.base >= c)) {
      rest.base = ((rest.base % c) + c) % c;
      if (within(rest, c)) return rest;
    }
    return remainder_of_term(term_of(rest), c, rounding, a.dtype);
  }

  // Truncating division distributes over a sum only where nothing is negative.
  bool may_split(const LinearSum& a) {
    if (a.terms.size() == 1 && a.base == 0) return true;
    if (a.base < 0) return false;
    for (const LinearTerm& term : a.terms) {
      if (term.scale < 0 || analyzer_.bounds(term.index).min < 0) return false;
    }
    return true;
  }
  // 0 <= s < limit
  bool within(const LinearSum& s, int64_t limit) {
    Expr e = s.expr();
    ConstIntBound bound = analyzer_.bounds(e);
    if (bound.min >= 0 && bound.max < limit) return true;
    Expr cap = int_imm(s.dtype, limit);
    return analyzer_.proves_by_bounds(ExprKind::kGE, e, int_imm(s.dtype, 0)) &&
           analyzer_.proves_by_bounds(ExprKind::kLT, e, cap);
  }

  LinearTerm with_rounding(LinearTerm term, Rounding rounding) {
    if (term.rounding == rounding) return term;
    if (term.lower == 1 && term.upper == LinearTerm::kNoUpper) {
      term.rounding = rounding;
      return term;
    }
    if (analyzer_.bounds(term.index).min >= 0) {
      term.rounding = rounding;
      return term;
    }
    LinearTerm opaque{sum_of_term(term.index->dtype(), term).expr()};
    opaque.rounding = rounding;
    return opaque;
  }

  LinearSum divide_term(LinearTerm term, int64_t c, Rounding rounding, DataType dtype) {
    term = with_rounding(std::move(term), rounding);
    if (term.scale % c == 0) {
      term.scale /= c;
      return sum_of_term(dtype, term);
    }
    if (term.scale > 0 && c % term.scale == 0) {
      int64_t by = term.lower * (c / term.scale);
      if (term.upper != LinearTerm::kNoUpper && term.upper % by != 0) {
        if (term.upper <= by) return LinearSum{dtype, {}, 0};
        LinearTerm inner = term;
        inner.lower = 1;
        inner.scale = 1;
        term.index = sum_of_term(dtype, inner).expr();
        term.upper = LinearTerm::kNoUpper;
      }
      term.scale = 1;
      term.lower = by;
      if (term.upper == by) return LinearSum{dtype, {}, 0};
      return sum_of_term(dtype, term);
    }
    LinearTerm whole{sum_of_term(dtype, term).expr()};
    whole.rounding = rounding;
    whole.lower = c;
    return sum_of_term(dtype, whole);
  }

  LinearSum remainder_of_term(LinearTerm term, int64_t c, Rounding rounding, DataType dtype) {
    term = with_rounding(std::move(term), rounding);
    if (term.scale % c == 0) return LinearSum{dtype, {}, 0};
    if (term.scale > 0 && c % term.scale == 0) {
      // (x // l * s) % c == (x % (l * c / s) // l) * s
      int64_t upper = term.lower * (c / term.scale);
      if (term.upper == LinearTerm::kNoUpper) {
        term.upper = upper;
        return sum_of_term(dtype, term);
      }
      if (term.upper % upper == 0) {
        if (upper == term.upper) return sum_of_term(dtype, term);
        // A smaller modulus: the index may lose parts of itself.
        Expr index = rounding == Rounding::kFloor ? floormod(term.index, int_imm(dtype, upper))
                                                  : truncmod(term.index, int_imm(dtype, upper));
        LinearSum inner = sum(index);
        if (term.lower != 1) inner = divide_term(term_of(inner), term.lower, rounding, dtype);
        inner.multiply(term.scale);
        return inner;
      }
      if (upper % term.upper == 0) return sum_of_term(dtype, term);
    }
    LinearTerm whole{sum_of_term(dtype, term).expr()};
    whole.rounding = rounding;
    whole.upper = c;
    return sum_of_term(dtype, whole);
  }

  // a < b with the common factor removed, or null: with d = gcd of scales and constant of a - b, and
  // 0 <= r < d:  d * s + r < 0  iff  s < 0.
  Expr divide_comparison(const Expr& a, const Expr& b) {
    DataType dtype = a->dtype();
    if (!dtype.is_scalar() || !dtype.is_int() || dtype.bits() < 32) return nullptr;
    LinearSum difference = sum(sub(a, b));
    difference.merge();
    int64_t d = std::abs(difference.base);
    bool scaled = false;
    for (const LinearTerm& term : difference.terms) {
      if (std::abs(term.scale) > 1) {
        scaled = true;
        d = std::gcd(d, std::abs(term.scale));
      }
    }
    if (!scaled || d <= 1) return nullptr;
    LinearSum rest;
    LinearSum exact = difference.divisible_part(d, rest);
    if (!(rest.is_const() && rest.base == 0) && !within(rest, d)) return nullptr;
    exact.divide_exactly(d);
    return analyzer_.rewrite(binary(ExprKind::kLT, exact.expr(), int_imm(dtype, 0)));
  }

  AnalyzerImpl& analyzer_;
  int reentries_ = 0;
};

Expr AnalyzerImpl::canonical(const Expr& e) { return Canonical(*this).rewrite(e); }
LinearSum AnalyzerImpl::sum_of(const Expr& e) { return Canonical(*this).sum(e); }

}  // namespace mlc::transform
