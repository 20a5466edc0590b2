// SPDX-License-Identifier: Apache-2.0
// Residues: which arithmetic progression an expression stays in.
#include <algorithm>

#include "ir/tir/linear.h"
#include "transform/arith/analyzer_impl.h"
#include "transform/arith/greatest_divisor.h"

namespace mlc::transform {
namespace {

ModularSet progression(int64_t coeff, int64_t base) {
  coeff = greatest_divisor(coeff, 0);
  if (coeff == 0) return {0, base};
  base %= coeff;
  return {coeff, base < 0 ? base + coeff : base};
}
ModularSet join(ModularSet a, ModularSet b) {
  // As TVM joins them, which is coarser than need be: of two constants nothing is kept.
  int64_t step = greatest_divisor(a.coeff, b.coeff);
  if (step == 0) return a.base == b.base ? a : ModularSet{};
  int64_t x = a.base % step, y = b.base % step;
  if (x == y) return progression(step, x);
  return progression(greatest_divisor(greatest_divisor(x, y), step), 0);
}

// What wraps does so at a power of two.
ModularSet wrapped(ModularSet residues, DataType type) {
  return progression(greatest_divisor(residues.coeff, int64_t{1} << std::min(type.bits(), 62)),
                     residues.base);
}

}  // namespace

ModularSet AnalyzerImpl::modular(const Expr& e) {
  switch (e->kind) {
    case ExprKind::kIntImm:
      // A uint64 from 2^63 on is held as a negative number.
      if (e->dtype().is_uint() && as<IntImmNode>(e)->value < 0) return {};
      return {0, as<IntImmNode>(e)->value};
    case ExprKind::kVar: {
      auto found = var_residues.find(as<VarNode>(e));
      return found == var_residues.end() ? ModularSet{} : found->second;
    }
    case ExprKind::kCast: {
      const Expr& value = as<CastNode>(e)->value;
      DataType to = e->dtype().element();
      if (to.is_bool() || !to.is_integral() || !value->dtype().is_integral()) return {};
      ModularSet inner = modular(value);
      ConstIntBound bound = bounds(value);
      bool ends = bound.min != ConstIntBound::kNegInf && bound.max != ConstIntBound::kPosInf;
      bool keeps = ends ? fits(to, bound.min) && fits(to, bound.max) : to == value->dtype().element();
      return keeps ? inner : wrapped(inner, to);
    }
    case ExprKind::kSelect:
      return join(modular(as<SelectNode>(e)->true_value), modular(as<SelectNode>(e)->false_value));
    case ExprKind::kLet: {
      auto* let = as<LetNode>(e);
      if (var_residues.contains(let->var.get())) return modular(let->body);
      return modular(substitute(let->body, VarMap{{let->var.get(), let->value}}));
    }
    default:
      break;
  }
  auto* two = as_binary(e);
  if (!two || two->a->dtype() != e->dtype() || !e->dtype().is_integral()) return {};
  ModularSet residues = modular_unless_wrapped(*two);
  return may_wrap(*two) ? wrapped(residues, e->dtype().element()) : residues;
}

ModularSet AnalyzerImpl::modular_unless_wrapped(const BinaryNode& node) {
  ModularSet a = modular(node.a);
  ModularSet b = modular(node.b);
  int64_t x, y, z, base;
  switch (node.kind) {
    case ExprKind::kAdd:
      if (__builtin_add_overflow(a.base, b.base, &x)) return {};
      return progression(greatest_divisor(a.coeff, b.coeff), x);
    case ExprKind::kSub:
      if (__builtin_sub_overflow(a.base, b.base, &x)) return {};
      return progression(greatest_divisor(a.coeff, b.coeff), x);
    case ExprKind::kMul:
      // (p n + r)(q m + s) = pq nm + ps n + rq m + rs
      if (__builtin_mul_overflow(a.coeff, b.coeff, &x) || __builtin_mul_overflow(a.coeff, b.base, &y) ||
          __builtin_mul_overflow(a.base, b.coeff, &z) || __builtin_mul_overflow(a.base, b.base, &base)) {
        return {};
      }
      return progression(greatest_divisor(greatest_divisor(x, y), z), base);
    case ExprKind::kMin:
    case ExprKind::kMax:
      return join(a, b);
    case ExprKind::kFloorDiv:
      if (b.coeff == 0 && b.base > 0 && a.coeff % b.base == 0) {
        int64_t floor = a.base / b.base - (a.base % b.base < 0 ? 1 : 0);
        return progression(a.coeff / b.base, floor);
      }
      return {};
    case ExprKind::kLShift:
      if (b.coeff == 0 && b.base >= 0 && b.base < 62 &&
          !__builtin_mul_overflow(a.coeff, int64_t{1} << b.base, &x) &&
          !__builtin_mul_overflow(a.base, int64_t{1} << b.base, &y)) {
        return progression(x, y);
      }
      return {};
    case ExprKind::kRShift:
      if (b.coeff == 0 && b.base >= 0 && b.base < 62 && a.coeff % (int64_t{1} << b.base) == 0) {
        return progression(a.coeff >> b.base, a.base >> b.base);
      }
      return {};
    case ExprKind::kBitwiseAnd:
      // x & (2^n - 1) == x % 2^n
      if (b.coeff == 0 && b.base > 0 && (b.base & (b.base + 1)) == 0)
        return progression(greatest_divisor(a.coeff, b.base + 1), a.coeff == 0 ? a.base & b.base : a.base);
      return {};
    case ExprKind::kFloorMod:
      // x = p n + r modulo c keeps the residue modulo gcd(p, c)
      if (b.coeff == 0 && b.base != 0) return progression(greatest_divisor(a.coeff, b.base), a.base);
      return {};
    case ExprKind::kDiv:
      // Rounds like floor division where it is exact or the dividend is not negative.
      if (b.coeff == 0 && b.base != 0 && a.coeff % b.base == 0 && a.coeff != 0 &&
          (a.base == 0 || bounds(node.a).min >= 0)) {
        return progression(a.coeff / b.base, a.base / b.base);
      }
      return {};
    case ExprKind::kMod:
      if (b.coeff == 0 && b.base != 0) {
        int64_t step = greatest_divisor(a.coeff, b.base);
        if (a.base % step == 0 || bounds(node.a).min >= 0) return progression(step, a.base);
      }
      return {};
    default:
      return {};
  }
}

}  // namespace mlc::transform
