// SPDX-License-Identifier: Apache-2.0
// Index arithmetic as sums of digits, (index % upper // lower) * scale, in which divisions by constants
// cancel.
#include <algorithm>

#include "ir/tir/linear.h"
#include "ir/tir/op.h"
#include "transform/arith/analyzer_impl.h"
#include "transform/arith/expr_equal.h"
#include "transform/arith/greatest_divisor.h"

namespace mlc::transform {

// One run over one expression.
class Canonical final : public Rewriter {
 public:
  explicit Canonical(AnalyzerImpl& analyzer) : analyzer_(analyzer) {}

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (is_leaf(e) && e->kind != ExprKind::kVar) return e;
    if (e->kind == ExprKind::kVar) return in_form(e);
    return analyzer_.remembered(analyzer_.canonical_, e, Expr(), [&] { return in_form(e); });
  }

  LinearSum sum(const Expr& e) {
    if (e->kind == ExprKind::kIntImm || e->kind == ExprKind::kVar || !as_binary(e)) return sum_of_node(e);
    return analyzer_.remembered(analyzer_.sums_, e, Expr(), [&] { return sum_of_node(e); });
  }

 private:
  Expr in_form(const Expr& e) {
    if (arithmetic(e) || e->kind == ExprKind::kVar || (e->kind == ExprKind::kCast && is_index(e->dtype()))) {
      if (auto* var = as<VarNode>(e)) {
        auto value = analyzer_.var_values.find(var);
        if (value == analyzer_.var_values.end()) return e;
        if (e->dtype().is_bool()) return value->second.same_as(e) ? e : rewrite(value->second);
      }
      LinearSum whole = sum(e);
      Expr next = whole.expr();
      return same_expr(next, e) ? e : next;
    }
    return leaf(e);
  }

  LinearSum sum_of_node(const Expr& e) {
    if (e->kind == ExprKind::kIntImm) return sum_of_leaf(e);
    if (e->kind == ExprKind::kVar) {
      auto value = analyzer_.var_values.find(as<VarNode>(e));
      if (value != analyzer_.var_values.end() && !value->second.same_as(e)) return sum(value->second);
      return sum_of_leaf(e);
    }
    if (auto pushed = cast_of_sum(e)) return *pushed;
    if (!arithmetic(e)) return sum_of_leaf(leaf(e));
    auto* two = as_binary(e);
    switch (e->kind) {
      case ExprKind::kAdd:
      case ExprKind::kSub:
        return plus(sum(two->a), sum(two->b), e->kind == ExprKind::kAdd ? 1 : -1);
      case ExprKind::kMul:
        return product(sum(two->a), sum(two->b), e);
      default:
        return divide(e, sum(two->a), sum(two->b));
    }
  }

  static bool is_leaf(const Expr& e) {
    return e->kind == ExprKind::kVar || e->kind == ExprKind::kIntImm || e->kind == ExprKind::kFloatImm;
  }
  static bool arithmetic(const Expr& e) {
    if (!e->dtype().is_scalar() || !e->dtype().is_int() || e->dtype().bits() < 32) return false;
    return (e->kind >= ExprKind::kAdd && e->kind <= ExprKind::kFloorMod);
  }

  static bool is_index(DataType dtype) { return dtype.is_scalar() && dtype.is_int() && dtype.bits() >= 32; }

  // A cast of a sum as the sum of casts, where no part can leave the range of the type.
  std::optional<LinearSum> cast_of_sum(const Expr& e) {
    auto* node = as<CastNode>(e);
    if (!node || !is_index(e->dtype()) || !is_index(node->value->dtype())) return std::nullopt;
    LinearSum value = sum(node->value);
    bool plain = value.terms.size() == 1 && value.base == 0 && !value.summed && value.terms[0].scale == 1 &&
                 value.terms[0].lower == 1 && value.terms[0].upper == LinearTerm::kNoUpper;
    if (plain || value.is_const()) return std::nullopt;
    if (e->dtype().bits() < value.dtype.bits()) {
      auto fits = [&](const Expr& part) {
        ConstIntBound bound = analyzer_.bounds(part);
        return bound.min >= INT32_MIN && bound.max <= INT32_MAX;
      };
      // Of x % 2**53 as well: the type has no such divisor, whatever the range of x is.
      auto has = [&](int64_t number) { return ir::fits(e->dtype(), number); };
      LinearSum part{value.dtype, {}, value.base};
      if (!fits(value.expr()) || !has(value.base)) return std::nullopt;
      for (const LinearTerm& term : value.terms) {
        bool limits = term.upper != LinearTerm::kNoUpper && !has(term.upper);
        if (limits || !has(term.lower) || !has(term.scale)) return std::nullopt;
        part.terms.push_back(term);
        if (!fits(term.index) || !fits(part.expr())) return std::nullopt;
      }
    }
    LinearSum result{e->dtype(), {}, value.base, value.summed};
    for (LinearTerm term : value.terms) {
      term.index = cast(e->dtype(), term.index);
      result.terms.push_back(std::move(term));
    }
    return result;
  }

  static LinearSum plus(LinearSum a, LinearSum b, int64_t sign) {
    if (b.is_const() && b.base == 0) return a;
    if (sign > 0 && a.is_const() && a.base == 0) return b;
    LinearSum whole = a;
    if (!whole.add(b, sign))
      return sum_of_leaf(binary(sign > 0 ? ExprKind::kAdd : ExprKind::kSub, a.expr(), b.expr()));
    whole.summed = true;
    return whole;
  }

  // A node that is not a sum: its operands in canonical form, then the local rules.
  Expr leaf(const Expr& e) {
    if (auto* order = as_binary(e)) {
      if (e->kind == ExprKind::kGT) return rewrite(binary(ExprKind::kLT, order->b, order->a, e->span));
      if (e->kind == ExprKind::kGE) return rewrite(binary(ExprKind::kLE, order->b, order->a, e->span));
      if (e->kind == ExprKind::kLT) {
        if (Expr divided = divide_comparison(order->a, order->b)) return divided;
      }
    }
    if (e->kind == ExprKind::kSelect || as_call_to(e, "tirx.if_then_else")) return choice(e);
    if (e->kind == ExprKind::kLet) {
      if (Expr body = analyzer_.inlined_let(e)) return rewrite(body);
    }
    Expr next = rewrite_children(e);
    if (next->kind == ExprKind::kVar) return next;
    Expr simple = analyzer_.rewrite_node(next);
    return same_expr(simple, e) ? e : simple;
  }

  Expr choice(const Expr& e) {
    return analyzer_.choice(e, [this](const Expr& part) { return rewrite(part); });
  }

  static LinearSum sum_of_leaf(const Expr& e) {
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
      LinearSum whole = a;
      if (b.base == 0) whole.terms.clear();
      return whole.multiply(b.base) ? whole : sum_of_leaf(binary(ExprKind::kMul, a.expr(), b.expr()));
    }
    // Factors in the order written, constants pulled out.
    std::vector<Expr> parts;
    LinearSum constant{a.dtype, {}, factors(a.expr(), parts)};
    if (!constant.multiply(factors(b.expr(), parts)))
      return sum_of_leaf(binary(ExprKind::kMul, a.expr(), b.expr()));
    if (parts.empty()) return constant;
    int64_t scale = constant.base;
    Expr whole = parts[0];
    for (size_t i = 1; i < parts.size(); ++i) whole = mul(whole, parts[i]);
    if (scale != 1) whole = mul(whole, int_imm(a.dtype, scale));
    return sum_of_term(a.dtype, {same_expr(whole, original) ? original : whole});
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
    // By 0, which may stand where it is never computed; by what means "no upper end" in a term.
    if (b.is_const() && (b.base == 0 || b.base == LinearTerm::kNoUpper)) return sum_of_leaf(e);
    if (!b.is_const() || b.base <= 0) return divide_by_expr(e, a, b);
    int64_t c = b.base;
    if (a.is_const()) {
      if (Expr folded = fold(e->kind, int_imm(a.dtype, a.base), int_imm(a.dtype, c))) {
        return LinearSum{a.dtype, {}, *const_int(folded)};
      }
    }
    if (c == 1) return quotient ? a : LinearSum{a.dtype, {}, 0};
    if (!a.summed) {
      ConstIntBound bound = analyzer_.bounds(a.expr());
      if (bound.min >= 0 && bound.max < c) return quotient ? LinearSum{a.dtype, {}, 0} : a;
      return quotient ? divide_term(term_of(a), c, rounding, a.dtype)
                      : remainder_of_term(term_of(a), c, rounding, a.dtype);
    }
    LinearSum rest;
    LinearSum exact = a.divisible_part(c, rest);
    bool divides = rest.is_const() && rest.base == 0;
    // Truncating division distributes over a sum only where neither part is negative, and neither does where
    // a part may leave the type: one with a constant near an end of it.
    bool far = !rest.is_const() && is_far(rest.base, a.dtype);
    bool rounds = rounding == Rounding::kTruncate && !divides;
    if (far || (rounds && !(not_negative(exact) && not_negative(rest)))) {
      return quotient ? divide_term(term_of(a), c, rounding, a.dtype)
                      : remainder_of_term(term_of(a), c, rounding, a.dtype);
    }
    if (quotient) {
      exact.divide_exactly(c);
      if (divides) return exact;
      if (rest.is_const()) {
        Expr folded = fold(e->kind, int_imm(a.dtype, rest.base), int_imm(a.dtype, c));
        exact.base += *const_int(folded);
      } else if (!within(rest, c)) {
        LinearTerm whole{rest.expr()};
        exact.add(divide_term(std::move(whole), c, rounding, a.dtype), 1);
      }
      return exact;
    }
    if (rest.is_const()) {
      Expr folded = fold(e->kind, int_imm(a.dtype, rest.base), int_imm(a.dtype, c));
      return LinearSum{a.dtype, {}, *const_int(folded)};
    }
    if (within(rest, c)) return sum_of_leaf(rest.expr());
    if (rounding == Rounding::kFloor && (rest.base < 0 || rest.base >= c)) {
      rest.base = ((rest.base % c) + c) % c;
    }
    if (rounding == Rounding::kTruncate && rest.base >= c) {
      LinearSum less = rest;
      less.base %= c;
      if (not_negative(less)) rest = less;
    }
    return remainder_of_term(term_of(rest), c, rounding, a.dtype);
  }

  // By what is no positive constant: factors on both sides cancel.
  LinearSum divide_by_expr(const Expr& e, const LinearSum& a, const LinearSum& b) {
    Expr left = a.expr(), right = b.expr();
    std::vector<Expr> above, below;
    int64_t scale_above = factors(left, above), scale_below = factors(right, below);
    int64_t common = greatest_divisor(scale_above, scale_below);
    Expr shared;
    for (auto it = above.begin(); it != above.end();) {
      auto match = std::find_if(below.begin(), below.end(), [&](const Expr& f) { return same_expr(f, *it); });
      if (match == below.end()) {
        ++it;
        continue;
      }
      shared = shared ? mul(shared, *it) : *it;
      below.erase(match);
      it = above.erase(it);
    }
    Expr whole;
    if (!below.empty() || shared) {
      if (common > 1 || shared) {
        auto product = [&](const std::vector<Expr>& parts, int64_t scale) {
          Expr all;
          for (const Expr& part : parts) all = all ? mul(all, part) : part;
          Expr number = int_imm(e->dtype(), scale);
          return !all ? number : scale == 1 ? all : mul(all, number);
        };
        whole = build(e->kind, product(above, scale_above / common), product(below, scale_below / common));
        if (e->kind == ExprKind::kFloorMod || e->kind == ExprKind::kMod) {
          if (shared) whole = mul(whole, shared);
          if (common > 1) whole = mul(whole, int_imm(e->dtype(), common));
        }
      }
    }
    if (!whole) {
      auto* two = as_binary(e);
      bool same = same_expr(left, two->a) && same_expr(right, two->b);
      whole = same && !is_const_int(left, 0) ? e : build(e->kind, left, right, e->span);
    }
    return sum_of_leaf(whole);
  }
  static int64_t factors(const Expr& e, std::vector<Expr>& out) {
    if (auto* two = as<MulNode>(e)) {
      int64_t scale = factors(two->a, out);
      return scale * factors(two->b, out);
    }
    if (auto constant = const_int(e)) return *constant;
    out.push_back(e);
    return 1;
  }

  bool not_negative(const LinearSum& s) {
    Expr e = s.expr();
    return analyzer_.bounds(e).min >= 0 || analyzer_.proves_by_bounds(ExprKind::kGE, e, int_imm(s.dtype, 0));
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
    LinearTerm opaque{sum_of_term(term.index->dtype(), term).expr()};
    opaque.rounding = rounding;
    return opaque;
  }

  // (a * by + r) % upper // by == (a + r // by) % (upper / by), upper a multiple of by; null where no part of
  // the index is a multiple of `by`.
  Expr remainder_of_quotient(const LinearTerm& term, int64_t by, Rounding rounding, DataType dtype) {
    bool digit = term.lower == 1 && term.scale == 1 && term.upper != LinearTerm::kNoUpper && by < term.upper;
    if (!digit || by == 1 || rounding != Rounding::kFloor) return nullptr;
    LinearSum index = sum(term.index);
    LinearSum rest;
    LinearSum exact = index.divisible_part(by, rest);
    if (!index.summed || (exact.is_const() && exact.base == 0)) return nullptr;
    Expr quotient = rewrite(binary(ExprKind::kFloorDiv, index.expr(), int_imm(dtype, by)));
    return rewrite(binary(ExprKind::kFloorMod, quotient, int_imm(dtype, term.upper / by)));
  }

  // x % -4, in -3 .. 0, comes of -x % 4.
  static bool same_sign(int64_t a, int64_t b) { return (a < 0) == (b < 0); }

  LinearSum divide_term(LinearTerm term, int64_t c, Rounding rounding, DataType dtype) {
    term = with_rounding(std::move(term), rounding);
    if (term.scale % c == 0) {
      term.scale /= c;
      return sum_of_term(dtype, term);
    }
    int64_t by = 0;
    // floor(-floor(x / l) / k) is not floor(x / (-l k)).
    bool turned = rounding == Rounding::kFloor && term.scale < 0 && term.lower != 1;
    bool in_type = !turned && c % term.scale == 0 &&
                   !__builtin_mul_overflow(term.lower, c / term.scale, &by) &&
                   std::abs(by) <= *const_int(max_value(dtype));
    if (in_type) {
      if (term.upper != LinearTerm::kNoUpper && term.upper % by != 0) {
        if (same_sign(term.upper, by) && std::abs(term.upper) <= std::abs(by)) return LinearSum{dtype, {}, 0};
        LinearTerm inner = term;
        inner.lower = 1;
        inner.scale = 1;
        term.index = sum_of_term(dtype, inner).expr();
        term.upper = LinearTerm::kNoUpper;
      } else if (Expr moved = remainder_of_quotient(term, by, rounding, dtype)) {
        return sum_of_leaf(moved);
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
    // (x // l * s) % c == (x % (l * c / s) // l) * s, of a negative s and floor division only for l == 1
    int64_t upper = 0;
    bool down = rounding == Rounding::kFloor && term.scale < 0;
    bool splits =
        c % term.scale == 0 && !__builtin_mul_overflow(term.lower, c / term.scale, &upper) &&
        std::abs(upper) <= *const_int(max_value(dtype)) &&
        !(down && (term.lower != 1 || (term.upper != LinearTerm::kNoUpper && term.upper % upper != 0)));
    if (splits) {
      if (term.upper == LinearTerm::kNoUpper) {
        term.upper = upper;
        return sum_of_term(dtype, term);
      }
      if (term.upper % upper == 0) {
        if (upper == term.upper) return sum_of_term(dtype, term);
        // A smaller modulus: the index may lose parts of itself.
        Expr index = rounding == Rounding::kFloor ? floormod(term.index, int_imm(dtype, upper))
                                                  : truncmod(term.index, int_imm(dtype, upper));
        LinearSum inner = sum_of_leaf(rewrite(index));
        if (term.lower != 1) inner = divide_term(term_of(inner), term.lower, rounding, dtype);
        if (inner.multiply(term.scale)) return inner;
      }
      if (same_sign(upper, term.upper) && upper % term.upper == 0) return sum_of_term(dtype, term);
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
    int64_t d = greatest_divisor(difference.base, 0);
    bool scaled = false;
    for (const LinearTerm& term : difference.terms) {
      if (term.scale > 1 || term.scale < -1) {
        scaled = true;
        d = greatest_divisor(d, term.scale);
      }
    }
    if (!scaled || d <= 1) return nullptr;
    LinearSum rest;
    LinearSum exact = difference.divisible_part(d, rest);
    exact.summed = true;
    Expr zero = int_imm(dtype, 0);
    if ((rest.is_const() && rest.base == 0) || within(rest, d)) {
      exact.divide_exactly(d);
      return rewrite(lt(exact.expr(), zero));
    }
    // One digit x % m // l is left: of it x // (d * l) % (m / (d * l)) counts.
    if (rest.terms.size() == 1 && rest.base == 0 && rest.terms[0].upper != LinearTerm::kNoUpper &&
        rest.terms[0].upper > 0 && rest.terms[0].upper % (d * rest.terms[0].lower) == 0 &&
        rest.terms[0].scale == 1 && rest.terms[0].rounding == Rounding::kFloor) {
      exact.divide_exactly(d);
      int64_t lower = d * rest.terms[0].lower;
      Expr digit = floormod(floordiv(rest.terms[0].index, int_imm(dtype, lower)),
                            int_imm(dtype, rest.terms[0].upper / lower));
      return rewrite(lt(add(exact.expr(), digit), zero));
    }
    return nullptr;
  }

  AnalyzerImpl& analyzer_;
};

Expr AnalyzerImpl::canonical(const Expr& e) {
  Setting<bool> form(canonical_form_, true);
  return Canonical(*this).rewrite(e);
}
LinearSum AnalyzerImpl::sum_of(const Expr& e) {
  Setting<bool> form(canonical_form_, true);
  return Canonical(*this).sum(e);
}
Expr AnalyzerImpl::visit_in_form(const Expr& e) {
  return canonical_form_ ? Canonical(*this).rewrite(e) : visit(e);
}

}  // namespace mlc::transform
