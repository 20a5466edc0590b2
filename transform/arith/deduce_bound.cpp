// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/deduce_bound.h"

namespace mlc::transform {
namespace {

enum class Side : uint8_t { kAtMost, kAtLeast, kEqual };

// `expr` SIDE `limit`, brought step by step to `target` SIDE `limit`.
class Deducer {
 public:
  Deducer(const Var& target, const Domains& hints, const Domains& relaxed)
      : target_(target), hints_(hints), relaxed_(relaxed) {}

  bool solve(const Expr& condition) {
    if (!take(condition) || !relax()) return false;
    while (!expr_.same_as(target_)) {
      if (!step()) return false;
    }
    return true;
  }
  IntervalSet result() {
    Expr limit = analyzer_.simplify(limit_);
    return make<IntervalSetNode>(side_ == Side::kAtMost ? Expr(neg_inf()) : limit,
                                 side_ == Side::kAtLeast ? Expr(pos_inf()) : limit, side_ == Side::kEqual);
  }

 private:
  bool take(const Expr& condition) {
    auto* two = as_binary(condition);
    if (!two || !two->a->dtype().is_int()) return false;
    bool left = depends_on(two->a, target_);
    if (left == depends_on(two->b, target_)) return false;
    expr_ = left ? two->a : two->b;
    limit_ = left ? two->b : two->a;
    Expr one = const_like(limit_, 1);
    switch (condition->kind) {
      case ExprKind::kLT:
        side_ = left ? Side::kAtMost : Side::kAtLeast;
        limit_ = left ? sub(limit_, one) : add(limit_, one);
        return true;
      case ExprKind::kLE:
        side_ = left ? Side::kAtMost : Side::kAtLeast;
        return true;
      case ExprKind::kGT:
        side_ = left ? Side::kAtLeast : Side::kAtMost;
        limit_ = left ? add(limit_, one) : sub(limit_, one);
        return true;
      case ExprKind::kGE:
        side_ = left ? Side::kAtLeast : Side::kAtMost;
        return true;
      case ExprKind::kEQ:
        side_ = Side::kEqual;
        return true;
      default:
        return false;
    }
  }

  // The hardest case of the relaxed variables.
  bool relax() {
    IntervalSet expr = interval_of(expr_, relaxed_, analyzer_);
    IntervalSet limit = interval_of(limit_, relaxed_, analyzer_);
    if (side_ == Side::kEqual) {
      if (!expr->is_point() || !limit->is_point()) return false;
      expr_ = expr->min_value;
      limit_ = limit->min_value;
      return depends_on(expr_, target_);
    }
    bool below = side_ == Side::kAtMost;
    if (below ? !expr->has_upper() || !limit->has_lower() : !expr->has_lower() || !limit->has_upper())
      return false;
    expr_ = below ? expr->max_value : expr->min_value;
    limit_ = below ? limit->min_value : limit->max_value;
    return depends_on(expr_, target_);
  }

  void turn_round() {
    if (side_ == Side::kEqual) return;
    side_ = side_ == Side::kAtMost ? Side::kAtLeast : Side::kAtMost;
  }

  // 1, -1, or 0 when it is not known.
  int sign(const Expr& e) {
    IntervalSet set = interval_of(e, hints_, analyzer_);
    if (set->has_lower() && analyzer_.can_prove_ge(set->min_value, 1)) return 1;
    if (set->has_upper() && analyzer_.can_prove_lt(set->max_value, 0)) return -1;
    return 0;
  }

  bool step() {
    auto* two = as_binary(expr_);
    if (!two) return false;
    bool left = depends_on(two->a, target_);
    if (left && depends_on(two->b, target_)) return false;
    Expr inner = left ? two->a : two->b, other = left ? two->b : two->a;
    switch (expr_->kind) {
      case ExprKind::kAdd:
        limit_ = sub(limit_, other);
        break;
      case ExprKind::kSub:
        limit_ = left ? add(limit_, other) : sub(other, limit_);
        if (!left) turn_round();
        break;
      case ExprKind::kMul: {
        int factor = sign(other);
        if (factor == 0) return false;
        if (factor < 0) turn_round();
        // Floor division is the right end from above; from below it is one short unless it is exact.
        bool exact = analyzer_.can_prove_equal(floormod(limit_, other), const_like(limit_, 0));
        if (!exact && side_ == Side::kEqual) return false;
        limit_ = floordiv(limit_, other);
        if (!exact && side_ == Side::kAtLeast) limit_ = add(limit_, const_like(limit_, 1));
        break;
      }
      case ExprKind::kFloorDiv: {
        int divisor = left && side_ != Side::kEqual ? sign(other) : 0;
        if (divisor == 0) return false;
        if (divisor > 0) {
          // x // c <= l  iff  x <= l * c + c - 1,  x // c >= l  iff  x >= l * c
          limit_ = mul(limit_, other);
          if (side_ == Side::kAtMost) limit_ = sub(add(limit_, other), const_like(limit_, 1));
        } else {
          // x // c <= l  iff  x >= l * c + c + 1,  x // c >= l  iff  x <= l * c
          Expr zero = const_like(limit_, 0);
          limit_ = mul(sub(zero, limit_), sub(zero, other));
          if (side_ == Side::kAtMost) limit_ = add(add(limit_, other), const_like(limit_, 1));
          turn_round();
        }
        break;
      }
      default:
        return false;
    }
    expr_ = inner;
    return true;
  }

  const Var& target_;
  const Domains& hints_;
  const Domains& relaxed_;
  Analyzer analyzer_;
  Expr expr_;
  Expr limit_;
  Side side_ = Side::kEqual;
};

}  // namespace

IntervalSet deduce_bound(const Var& target, const Expr& condition, const Domains& hints,
                         const Domains& relaxed) {
  Deducer deducer(target, hints, relaxed);
  return deducer.solve(condition) ? deducer.result() : nothing();
}

}  // namespace mlc::transform
