// SPDX-License-Identifier: Apache-2.0
// Divisions and remainders whose simplification needs residues and bounds, which rows cannot express.
#include "transform/arith/rewrite_division.h"
#include "ir/tir/linear.h"
#include "transform/arith/analyzer_impl.h"
#include "transform/arith/expr_equal.h"

namespace mlc::transform {
namespace {

// ramp(base, stride, lanes) over broadcast(divisor, lanes)
struct RampDivision {
  const RampNode* ramp;
  const BroadcastNode* by;
  int64_t stride, lanes, divisor;
};
std::optional<RampDivision> ramp_division(const BinaryNode* e) {
  auto* ramp = as<RampNode>(e->a);
  auto* by = as<BroadcastNode>(e->b);
  if (!ramp || !by) return std::nullopt;
  auto stride = const_int(ramp->stride), lanes = const_int(ramp->lanes), divisor = const_int(by->value);
  if (!stride || !lanes || !divisor || *divisor == 0) return std::nullopt;
  return RampDivision{ramp, by, *stride, *lanes, *divisor};
}
// Do all lanes provably have the same quotient, by the residue of the base?
bool one_quotient(const RampDivision& d, ModularSet base) {
  int64_t last = base.base + (d.lanes - 1) * d.stride;
  return floor_div(base.base, d.divisor) == floor_div(last, d.divisor);
}
bool within_one_step(const RampDivision& d, ModularSet base) {
  int64_t last = base.base + (d.lanes - 1) * d.stride;
  return base.coeff != 0 && d.divisor % base.coeff == 0 && last >= 0 && last < base.coeff;
}

struct Scaled {
  Expr x;
  int64_t scale;
};
std::optional<Scaled> scaled(const Expr& e) {
  auto* two = as<MulNode>(e);
  auto scale = two ? const_int(two->b) : std::nullopt;
  if (!scale) return std::nullopt;
  return Scaled{two->a, *scale};
}

// (x * c1 + y) // c2, also with the product last or alone.
Expr divided_sum(const Expr& e, int64_t c2, AnalyzerImpl& analyzer) {
  Expr y = const_like(e, 0);
  auto product = scaled(e);
  if (!product && e->kind == ExprKind::kAdd) {
    auto* sum = as_binary(e);
    product = scaled(sum->a);
    y = sum->b;
    if (!product) {
      product = scaled(sum->b);
      y = sum->a;
    }
  }
  if (!product || c2 == 0) return nullptr;
  auto [x, c1] = *product;
  if (c2 == -1 && c1 == const_int(min_value(e->dtype())))
    return nullptr;  // the quotient is no number of the type
  auto number = [&](int64_t value) { return const_like(e, value); };
  // What is left of the sum when multiples of c2 are taken out of c1 and y.
  Expr rest = floordiv(add(mul(x, number(c1 - floor_div(c1, c2) * c2)), floormod(y, number(c2))), number(c2));
  Expr quotient = floordiv(y, number(c2));
  ConstIntBound of_quotient = analyzer.bounds(quotient);
  if (of_quotient.min == 0 && of_quotient.max == 0) quotient = number(0);
  ConstIntBound bound = analyzer.bounds(rest);
  if (bound.min == bound.max) {
    return add(mul(x, number(floor_div(c1, c2))), add(quotient, number(bound.max)));
  }
  // c2 == a * c1 and y % c2 < c1:  (x * c1 + y) // c2 == x // a + y // c2
  if (c1 > 0 && c2 > 0 && c2 % c1 == 0 && analyzer.bounds(floormod(y, number(c2))).max < c1) {
    return add(floordiv(x, number(c2 / c1)), quotient);
  }
  return nullptr;
}

}  // namespace

Expr rewrite_floordiv(const Expr& e, AnalyzerImpl& analyzer) {
  auto* two = as_binary(e);
  if (!e->dtype().is_scalar()) {
    auto *left = as<BroadcastNode>(two->a), *right = as<BroadcastNode>(two->b);
    if (left && right) return make<BroadcastNode>(floordiv(left->value, right->value), left->lanes);
    auto d = ramp_division(two);
    if (!d) return nullptr;
    Expr base = floordiv(d->ramp->base, d->by->value);
    if (d->stride % d->divisor == 0) {
      return make<RampNode>(base, floordiv(d->ramp->stride, d->by->value), d->ramp->lanes);
    }
    ModularSet residue = analyzer.modular(d->ramp->base);
    bool flat =
        one_quotient(*d, residue) && (residue.coeff % d->divisor == 0 || within_one_step(*d, residue));
    return flat ? Expr(make<BroadcastNode>(base, d->ramp->lanes)) : nullptr;
  }
  auto c = const_int(two->b);
  if (!c) return nullptr;
  auto number = [&](int64_t value) { return const_like(e, value); };
  auto in_type = [&](int64_t a, int64_t b) {
    int64_t product;
    return !__builtin_mul_overflow(a, b, &product) && product <= *const_int(max_value(e->dtype()));
  };
  // (x + c1) // c where all values of x + c1 are in the period of c1.
  auto* shifted = as<AddNode>(two->a);
  if (auto c1 = shifted ? const_int(shifted->b) : std::nullopt; c1 && *c1 >= 0 && *c > 0 && *c1 % *c != 0) {
    ConstIntBound bound = analyzer.bounds(two->a);
    int64_t period = *c1 / *c;
    if (floor_div(bound.min, *c) == period && floor_div(bound.max, *c) == period) return number(period);
  }
  if (auto* inner = as<FloorDivNode>(two->a)) {
    auto c1 = const_int(inner->b);
    if (c1 && *c1 > 0 && *c > 0 && in_type(*c1, *c)) return floordiv(inner->a, number(*c1 * *c));
  }
  if (auto* sum = as<AddNode>(two->a)) {
    auto* inner = as<FloorDivNode>(sum->a);
    auto c1 = inner ? const_int(inner->b) : std::nullopt;
    auto c2 = const_int(sum->b);
    if (c1 && c2 && *c1 > 0 && *c > 0 && in_type(*c1, *c) && in_type(*c1, std::abs(*c2)))
      return floordiv(add(inner->a, number(*c1 * *c2)), number(*c1 * *c));
  }
  return divided_sum(two->a, *c, analyzer);
}

// Unsigned numbers wrap, so only what also holds then, and what TVM takes for granted: multiples stay
// multiples.
Expr rewrite_unsigned_division(const Expr& e, AnalyzerImpl& analyzer) {
  auto* two = as_binary(e);
  bool quotient = e->kind == ExprKind::kFloorDiv;
  if (same_expr(two->a, two->b)) return const_like(e, quotient ? 1 : 0);
  auto c = const_int(two->b);
  if (!c || *c <= 0) return nullptr;
  if (quotient) {
    ConstIntBound bound = analyzer.bounds(two->a);
    return bound.min >= 0 && bound.max < *c ? const_like(e, 0) : nullptr;
  }
  ModularSet residue = analyzer.modular(two->a);
  if (residue.coeff % *c != 0) return nullptr;
  return const_like(e, residue.base - floor_div(residue.base, *c) * *c);
}

Expr rewrite_floormod_lanes(const Expr& e, AnalyzerImpl& analyzer) {
  auto* two = as_binary(e);
  auto remainder = [&](const Expr& x, const Expr& y) { return build(e->kind, x, y); };
  auto *left = as<BroadcastNode>(two->a), *right = as<BroadcastNode>(two->b);
  if (left && right) return make<BroadcastNode>(remainder(left->value, right->value), left->lanes);
  auto d = ramp_division(two);
  if (!d) return nullptr;
  Expr base = remainder(d->ramp->base, d->by->value);
  if (d->stride % d->divisor == 0) return make<BroadcastNode>(base, d->ramp->lanes);
  ModularSet residue = analyzer.modular(d->ramp->base);
  bool known = residue.coeff % d->divisor == 0;
  Expr known_base = floormod(const_like(d->ramp->base, residue.base), d->by->value);
  if (one_quotient(*d, residue)) {
    if (known) return make<RampNode>(known_base, d->ramp->stride, d->ramp->lanes);
    if (within_one_step(*d, residue)) return make<RampNode>(base, d->ramp->stride, d->ramp->lanes);
  }
  // Rounded to zero, lanes below 0 would have other remainders.
  bool above = e->kind == ExprKind::kFloorMod || d->stride >= 0;
  if (known && above && !same_expr(d->ramp->base, known_base)) {
    return remainder(make<RampNode>(known_base, d->ramp->stride, d->ramp->lanes), two->b);
  }
  return nullptr;
}

Expr rewrite_remainder(const Expr& e, AnalyzerImpl& analyzer) {
  auto* two = as_binary(e);
  auto c = const_int(two->b);
  if (!c || *c <= 0) return nullptr;
  ConstIntBound bound = analyzer.bounds(two->a);
  bool floor = e->kind == ExprKind::kFloorMod;
  ModularSet residue = analyzer.modular(two->a);
  if (residue.coeff % *c == 0 && (floor || bound.min >= 0)) {
    return const_like(e, residue.base - floor_div(residue.base, *c) * *c);
  }

  if (floor && bound.min >= 0 && bound.max < *c) return two->a;
  return nullptr;
}

}  // namespace mlc::transform
