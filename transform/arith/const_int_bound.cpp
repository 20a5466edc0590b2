// SPDX-License-Identifier: Apache-2.0
// Bounds of integer expressions by interval arithmetic that saturates at the two infinities.

#include "transform/arith/analyzer_impl.h"
#include "transform/arith/expr_equal.h"
#include "transform/arith/greatest_divisor.h"

namespace mlc::transform {
namespace {

constexpr int64_t kPosInf = ConstIntBound::kPosInf;
constexpr int64_t kNegInf = ConstIntBound::kNegInf;

bool infinite(int64_t v) { return v == kPosInf || v == kNegInf; }

int64_t add_saturating(int64_t a, int64_t b) {
  if (infinite(a)) return a;
  if (infinite(b)) return b;
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return a > 0 ? kPosInf : kNegInf;
  return std::max(sum, kNegInf);  // the least int64 is below
}
int64_t negate(int64_t a) { return -a; }  // kNegInf is -kPosInf
int64_t mul_saturating(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  int64_t product;
  if (infinite(a) || infinite(b) || __builtin_mul_overflow(a, b, &product))
    return (a > 0) == (b > 0) ? kPosInf : kNegInf;
  return std::max(product, kNegInf);
}
int64_t saturating_floor_div(int64_t a, int64_t b) {
  if (infinite(a)) return (a > 0) == (b > 0) ? kPosInf : kNegInf;
  if (infinite(b)) return (a < 0) != (b < 0) && a != 0 ? -1 : 0;
  return a / b - ((a % b != 0) && ((a < 0) != (b < 0)));
}
int64_t saturating_trunc_div(int64_t a, int64_t b) {
  if (infinite(a)) return (a > 0) == (b > 0) ? kPosInf : kNegInf;
  return infinite(b) ? 0 : a / b;
}

ConstIntBound everything(DataType dtype) {
  if (dtype.is_bool()) return {0, 1};
  if (dtype.is_uint()) return {0, dtype.bits() >= 63 ? kPosInf : (int64_t{1} << dtype.bits()) - 1};
  if (!dtype.is_int() || dtype.bits() >= 64) return {};
  int64_t half = int64_t{1} << (dtype.bits() - 1);
  return {-half, half - 1};
}
ConstIntBound join(ConstIntBound a, ConstIntBound b) {
  return {std::min(a.min, b.min), std::max(a.max, b.max)};
}
ConstIntBound meet(ConstIntBound a, ConstIntBound b) {
  return {std::max(a.min, b.min), std::min(a.max, b.max)};
}

template <class F>
ConstIntBound corners(ConstIntBound a, ConstIntBound b, F f) {
  int64_t v[] = {f(a.min, b.min), f(a.min, b.max), f(a.max, b.min), f(a.max, b.max)};
  return {*std::min_element(v, v + 4), *std::max_element(v, v + 4)};
}

template <class F>
ConstIntBound divided(ConstIntBound a, ConstIntBound b, DataType dtype, F f) {
  if (b.min > b.max) return everything(dtype);  // what is known contradicts itself: this is never reached
  if (b.min > 0 || b.max < 0) return corners(a, b, f);
  if (b.min == 0 && b.max > 0) return corners(a, {1, b.max}, f);  // division by zero does not happen
  if (b.max == 0 && b.min == 0) return everything(dtype);
  // Zero is between: division by it does not happen.
  ConstIntBound below = corners(a, {b.min, -1}, f);
  return b.max == 0 ? below : join(below, corners(a, {1, b.max}, f));
}

}  // namespace

ConstIntBound AnalyzerImpl::bounds(const Expr& e) {
  ConstIntBound result =
      as_binary(e) ? remembered(bounds_, e, Expr(), [&] { return bounds_of_node(e); }) : bounds_of_node(e);
  for (const BoundFact& fact : bound_facts_) {
    if (same_expr(fact.expr, e)) result = meet(result, fact.bound);
  }
  return result;
}

ConstIntBound AnalyzerImpl::bounds_of_node(const Expr& e) {
  if (auto* two = as_binary(e)) return bounds_of_binary(*two);
  switch (e->kind) {
    case ExprKind::kIntImm: {
      int64_t value = as<IntImmNode>(e)->value;
      // The infinities are numbers of int64, too, and large ones of uint64 stand as negative ones.
      if (value >= kPosInf || (value < 0 && e->dtype().is_uint())) return {kPosInf - 1, kPosInf};
      if (value <= kNegInf) return {kNegInf, kNegInf + 1};
      return {value, value};
    }
    case ExprKind::kVar: {
      auto found = var_bounds.find(as<VarNode>(e));
      if (found != var_bounds.end()) return found->second;
      return everything(e->dtype());
    }
    case ExprKind::kCast: {
      const Expr& value = as<CastNode>(e)->value;
      ConstIntBound limit = everything(e->dtype().element());
      if (casts_keep_values) return meet(bounds(value), limit);
      if (!value->dtype().element().is_integral()) return limit;
      ConstIntBound inner = bounds(value);
      // Without an end: past 2^63 as well.
      bool wide = value->dtype().is_uint() && value->dtype().bits() == 64 &&
                  inner.max == everything(value->dtype()).max;
      if (wide) return limit;
      return inner.min >= limit.min && inner.max <= limit.max ? inner : limit;
    }
    case ExprKind::kSelect:
      return join(bounds(as<SelectNode>(e)->true_value), bounds(as<SelectNode>(e)->false_value));
    case ExprKind::kBroadcast:
      return bounds(as<BroadcastNode>(e)->value);
    case ExprKind::kLet: {
      auto* let = as<LetNode>(e);
      if (var_bounds.contains(let->var.get())) return bounds(let->body);
      return bounds(substitute(let->body, VarMap{{let->var.get(), let->value}}));
    }
    case ExprKind::kRamp: {
      auto* ramp = as<RampNode>(e);
      ConstIntBound base = bounds(ramp->base);
      auto lanes = const_int(ramp->lanes);
      if (!lanes) return {};
      ConstIntBound last = corners(bounds(ramp->stride), {*lanes - 1, *lanes - 1}, mul_saturating);
      return {add_saturating(base.min, std::min<int64_t>(0, last.min)),
              add_saturating(base.max, std::max<int64_t>(0, last.max))};
    }
    default:
      return everything(e->dtype().element());
  }
}

// The least number over -1, which is no number of the type.
static bool wraps_to_itself(const BinaryNode& division, ConstIntBound divisor) {
  auto number = const_int(division.a);
  DataType type = division.dtype().element();
  return number && type.is_int() && *number == const_int(min_value(type)) && divisor.min <= -1 &&
         divisor.max >= -1;
}

// Sums of signed numbers of 32 and 64 bits are indices, which are taken not to overflow; others wrap.
static bool wraps(const BinaryNode& node, ConstIntBound sum) {
  DataType type = node.dtype().element();
  bool ring = node.kind == ExprKind::kAdd || node.kind == ExprKind::kSub || node.kind == ExprKind::kMul ||
              node.kind == ExprKind::kLShift;
  if (!ring || !type.is_integral() || type.is_bool() || (type.is_int() && type.bits() >= 32)) return false;
  ConstIntBound limit = everything(type);
  return sum.min < limit.min || sum.max > limit.max;
}

bool AnalyzerImpl::may_wrap(const BinaryNode& node) { return wraps(node, bounds_unless_wrapped(node)); }

ConstIntBound AnalyzerImpl::bounds_of_binary(const BinaryNode& node) {
  ConstIntBound sum = bounds_unless_wrapped(node);
  return !casts_keep_values && wraps(node, sum) ? everything(node.dtype().element()) : sum;
}

ConstIntBound AnalyzerImpl::bounds_unless_wrapped(const BinaryNode& node) {
  DataType dtype = node.dtype();
  if (dtype.is_bool() || !dtype.element().is_integral()) return everything(dtype.element());
  // Folded constants wrap around: nothing here is an index that could be taken not to.
  bool folds = node.kind == ExprKind::kAdd || node.kind == ExprKind::kSub || node.kind == ExprKind::kMul;
  if (folds && dtype.is_int() && const_int(node.a) && const_int(node.b)) {
    Expr folded = node.kind == ExprKind::kAdd   ? add(node.a, node.b)
                  : node.kind == ExprKind::kSub ? sub(node.a, node.b)
                                                : mul(node.a, node.b);
    if (as<IntImmNode>(folded)) return bounds_of_node(folded);
  }
  ConstIntBound a = bounds(node.a), b = bounds(node.b);
  switch (node.kind) {
    case ExprKind::kAdd:
      return {add_saturating(a.min, b.min), add_saturating(a.max, b.max)};
    case ExprKind::kSub:
      return {add_saturating(a.min, negate(b.max)), add_saturating(a.max, negate(b.min))};
    case ExprKind::kMul:
      return corners(a, b, mul_saturating);
    case ExprKind::kMin:
      return {std::min(a.min, b.min), std::min(a.max, b.max)};
    case ExprKind::kMax:
      return {std::max(a.min, b.min), std::max(a.max, b.max)};
    case ExprKind::kFloorDiv:
      if (wraps_to_itself(node, b)) return everything(dtype);
      return divided(a, b, dtype, saturating_floor_div);
    case ExprKind::kDiv:
      if (wraps_to_itself(node, b)) return everything(dtype);
      return divided(a, b, dtype, saturating_trunc_div);
    case ExprKind::kFloorMod: {
      if (b.min >= 0 && b.max <= 0) return everything(dtype);
      if (a.min >= 0 && a.max < b.min) return a;
      ConstIntBound result{0, b.max <= 0 ? 0 : add_saturating(b.max, -1)};
      if (b.min < 0) return meet({add_saturating(b.min, 1), result.max}, everything(dtype));
      if (a.min >= 0) result.max = std::min(result.max, a.max);
      if (b.min == b.max) {  // (4 * n + 1) % 32 is in 1..29
        ModularSet residue = modular(node.a);
        int64_t step = greatest_divisor(residue.coeff, b.min);
        if (step > 1) {
          int64_t low = ((residue.base % step) + step) % step;
          result = {low, std::min(result.max, b.min - step + low)};
        }
      }
      return result;
    }
    case ExprKind::kMod: {
      if (b.min <= 0 && b.max <= 0) return everything(dtype);
      if (a.min >= 0 && a.max < b.min) return a;
      if (b.min < 0) b.max = std::max(b.max, negate(b.min));  // the sign is that of the dividend
      int64_t top = add_saturating(b.max, -1);
      if (b.min == b.max && !(a.min >= 0 && a.max < b.max)) {  // of 4 * n + 1 by 8: -7, -3, 1, 5
        ModularSet residue = modular(node.a);
        int64_t step = greatest_divisor(residue.coeff, b.min);
        if (step > 1) {
          int64_t low = ((residue.base % step) + step) % step;
          int64_t least = low == 0 ? step - b.min : low - b.min;
          return {a.min >= 0 ? low : std::max(a.min, least),
                  a.max <= 0 ? 0 : std::min(a.max, b.min - step + low)};
        }
      }
      return {a.min >= 0 ? 0 : std::max(a.min, negate(top)), a.max <= 0 ? 0 : std::min(a.max, top)};
    }
    case ExprKind::kBitwiseAnd:
      if (a.min >= 0 || b.min >= 0) {
        int64_t top = kPosInf;
        if (a.min >= 0) top = a.max;
        if (b.min >= 0) top = std::min(top, b.max);
        return {0, top};
      }
      return everything(dtype);
    case ExprKind::kRShift:
      if (b.min >= 0 && b.min <= b.max && b.max < 63) {
        return corners(a, {int64_t{1} << b.min, int64_t{1} << b.max}, saturating_floor_div);
      }
      return everything(dtype);
    case ExprKind::kLShift:
      if (a.min >= 0 && b.min >= 0 && b.min <= b.max && b.max < 62)
        return corners(a, {int64_t{1} << b.min, int64_t{1} << b.max}, mul_saturating);
      return everything(dtype);
    default:
      return everything(dtype);
  }
}

}  // namespace mlc::transform
