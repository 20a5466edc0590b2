// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/int_set.h"

#include <algorithm>
#include <unordered_map>

#include "ir/core/walk_with.h"
#include "ir/tir/linear.h"
#include "ir/tir/op.h"
#include "transform/arith/expr_equal.h"
#include "transform/arith/greatest_divisor.h"

namespace mlc::transform {
namespace {

Expr least(const Expr& a, const Expr& b) {
  if (a.same_as(pos_inf())) return b;
  if (b.same_as(pos_inf())) return a;
  if (a.same_as(neg_inf()) || b.same_as(neg_inf())) return neg_inf();
  return min(a, b);
}
Expr greatest(const Expr& a, const Expr& b) {
  if (a.same_as(neg_inf())) return b;
  if (b.same_as(neg_inf())) return a;
  if (a.same_as(pos_inf()) || b.same_as(pos_inf())) return pos_inf();
  return max(a, b);
}

class Evaluator {
 public:
  Evaluator(const Domains& domains, Analyzer& analyzer) : domains_(domains), analyzer_(analyzer) {}

  IntervalSet set(const IntervalSet& interval) {
    IntervalSet low = end(interval->min_value);
    // As in TVM, where what became of the two ends is compared by identity, one value that depends on other
    // domains is no point.
    bool same = interval->is_point() && low->min_value.same_as(interval->min_value);
    IntervalSet high = same ? low : end(interval->max_value);
    if (same) return low;
    return make<IntervalSetNode>(low->min_value, high->max_value);
  }

  IntervalSet of(const Expr& e) {
    switch (e->kind) {
      case ExprKind::kBitwiseAnd:
      case ExprKind::kBitwiseOr:
      case ExprKind::kBitwiseXor:
      case ExprKind::kLShift:
      case ExprKind::kRShift:
        return everything();
      default:
        break;
    }
    if (auto* two = as_binary(e)) {
      IntervalSet a = of(two->a);  // first: domains that mention each other are evaluated in this order
      return of_binary(e, a, of(two->b));
    }
    switch (e->kind) {
      case ExprKind::kIntImm:
        return point(e);
      case ExprKind::kVar: {
        auto found = domains_.find(as<VarNode>(e));
        if (found == domains_.end()) return point(e);
        const IntervalSet& domain = found->second;
        if (domain->min_value.same_as(e) && domain->max_value.same_as(e)) return domain;
        // Each variable is evaluated once. A domain that mentions its own variable, itself or through others,
        // is put in as it is there, as TVM does.
        auto [known, first] = known_.try_emplace(found->first, domain);
        if (!first) return known->second;
        IntervalSet values = set(domain);
        known_.insert_or_assign(found->first, values);
        return values;
      }
      case ExprKind::kSelect: {
        IntervalSet yes = of(as<SelectNode>(e)->true_value);
        return join(of(as<SelectNode>(e)->false_value), yes);
      }
      case ExprKind::kCast: {
        IntervalSet value = of(as<CastNode>(e)->value);
        DataType to = e->dtype().element();
        if (to.is_bool()) return truth(e);
        for (const Expr& end : {value->min_value, value->max_value}) {
          auto constant = to.is_integral() ? const_int(end) : std::nullopt;
          if (constant && !fits(to, *constant)) return everything();
        }
        if (value->is_point()) return point(cast(e->dtype(), value->min_value));
        return make<IntervalSetNode>(
            value->has_lower() ? cast(e->dtype(), value->min_value) : Expr(neg_inf()),
            value->has_upper() ? cast(e->dtype(), value->max_value) : Expr(pos_inf()));
      }
      case ExprKind::kRamp: {
        auto* ramp = as<RampNode>(e);
        auto stride = const_int(ramp->stride), lanes = const_int(ramp->lanes);
        if (!stride || !lanes) return everything();
        DataType dtype = ramp->base->dtype();
        Expr last = int_imm(dtype, *stride * (*lanes - 1)), first = int_imm(dtype, 0);
        bool rising = *stride > 0;
        return sum(of(ramp->base), make<IntervalSetNode>(rising ? first : last, rising ? last : first));
      }
      case ExprKind::kBroadcast:
        return of(as<BroadcastNode>(e)->value);
      case ExprKind::kTensorLoad:
        for (const Expr& index : as<TensorLoadNode>(e)->indices) {
          if (varies(index)) return everything();
        }
        return point(e);
      default:
        return everything();
    }
  }

 private:
  IntervalSet end(const Expr& e) {
    return e.same_as(pos_inf()) || e.same_as(neg_inf()) ? make<IntervalSetNode>(e, e) : of(e);
  }
  bool varies(const Expr& e) {
    return uses_var(e, [&](const VarNode* var) { return domains_.contains(var); });
  }
  static IntervalSet truth(const Expr& e) {
    return make<IntervalSetNode>(make_const(e->dtype(), 0), make_const(e->dtype(), 1));
  }
  bool not_negative(const Expr& e) { return analyzer_.can_prove_ge(e, 0); }
  bool negative(const Expr& e) { return analyzer_.can_prove_lt(e, 0); }

  // What becomes of two ends; null where the number leaves its type.
  static Expr combined(ExprKind kind, const Expr& a, const Expr& b) {
    auto x = const_int(a), y = const_int(b);
    if (x && y && kind >= ExprKind::kAdd && kind <= ExprKind::kMul) {
      auto exact = reckoned(kind, *x, *y);
      if (!exact || !fits(a->dtype().element(), *exact)) return nullptr;
    }
    return build(kind, a, b);
  }
  static IntervalSet between(const Expr& low, const Expr& high) {
    return make<IntervalSetNode>(low ? low : Expr(neg_inf()), high ? high : Expr(pos_inf()));
  }

  static IntervalSet sum(const IntervalSet& a, const IntervalSet& b) {
    if (a->is_nothing()) return a;
    if (b->is_nothing()) return b;
    Expr low =
        a->has_lower() && b->has_lower() ? combined(ExprKind::kAdd, a->min_value, b->min_value) : Expr();
    return between(low, a->has_upper() && b->has_upper()
                            ? combined(ExprKind::kAdd, a->max_value, b->max_value)
                            : Expr());
  }
  static IntervalSet difference(const IntervalSet& a, const IntervalSet& b) {
    if (a->is_nothing()) return a;
    if (b->is_nothing()) return b;
    return between(
        a->has_lower() && b->has_upper() ? combined(ExprKind::kSub, a->min_value, b->max_value) : Expr(),
        a->has_upper() && b->has_lower() ? combined(ExprKind::kSub, a->max_value, b->min_value) : Expr());
  }

  // The ends of `a`, each combined with `by`: in order, swapped for a negative `by`, or chosen when running.
  IntervalSet scaled(const IntervalSet& a, const Expr& by, ExprKind kind) {
    Expr low = a->has_lower() ? combined(kind, a->min_value, by) : Expr();
    Expr high = a->has_upper() ? combined(kind, a->max_value, by) : Expr();
    if (not_negative(by)) return between(low, high);
    if (negative(by)) return between(high, low);
    if (!low || !high) return everything();
    Expr sign = ge(by, const_like(by, 0));
    return make<IntervalSetNode>(select(sign, low, high), select(sign, high, low));
  }

  IntervalSet quotient(const IntervalSet& a, const IntervalSet& b, ExprKind kind) {
    if (!b->is_point()) return everything();
    if (is_const_int(b->min_value, 1)) return a;
    return scaled(a, b->min_value, kind);
  }
  // `dividend`: of a floored remainder, else null.
  IntervalSet remainder(const IntervalSet& a, const IntervalSet& b, const Expr& dividend) {
    if (!b->is_point()) return everything();
    const Expr& by = b->min_value;
    if (!not_negative(by)) {
      if (by->dtype().is_int() && const_int(by) == const_int(min_value(by->dtype()))) return everything();
      Expr zero = const_like(by, 0);
      Expr size = const_int(by) ? sub(zero, by) : select(ge(by, zero), by, sub(zero, by));
      Expr bound = sub(size, const_like(by, 1));
      return make<IntervalSetNode>(sub(zero, bound), bound);
    }
    if (dividend && by->kind == ExprKind::kIntImm && a->has_lower() && a->has_upper()) {
      // One period of the remainder: shifted down as it is.
      Expr first = floordiv(a->min_value, by), last = floordiv(a->max_value, by);
      if (analyzer_.can_prove_equal(first, last) || within_step(a, *const_int(by))) {
        return make<IntervalSetNode>(sub(a->min_value, mul(by, first)), sub(a->max_value, mul(by, first)));
      }
    }
    if (auto divisor = const_int(by); dividend && divisor) {
      // x in steps of g stays in steps of gcd(g, divisor): that says how far it gets. TVM begins at 0.
      ModularSet residue = analyzer_.modular_set(dividend);
      int64_t step = greatest_divisor(residue.coeff, *divisor), low = residue.base % step;
      if (low < 0) low += step;  // of a constant
      if (step > 1) return make<IntervalSetNode>(const_like(by, 0), const_like(by, *divisor - step + low));
    }
    Expr most = sub(by, const_like(by, 1));
    bool has_sign = !dividend && !(a->has_lower() && not_negative(a->min_value));
    return make<IntervalSetNode>(has_sign ? neg(most) : const_like(by, 0), most);
  }
  // Does it begin at a multiple of a step that divides `by`, and end before the next one? TVM sees that of
  // sums without a constant.
  bool within_step(const IntervalSet& a, int64_t by) {
    auto* two = as_binary(a->min_value);
    if (!two || a->min_value->kind != ExprKind::kAdd || const_int(two->b)) return false;
    ModularSet start = analyzer_.modular_set(a->min_value);
    int64_t step = greatest_divisor(start.coeff, by);
    auto length = const_int(analyzer_.simplify(sub(a->max_value, a->min_value)));
    return step > 1 && start.base % step == 0 && length && *length < step;
  }

  IntervalSet of_binary(const Expr& e, IntervalSet a, IntervalSet b) {
    // A quotient by zero has no value; it may stand where it is never computed.
    bool divides = e->kind >= ExprKind::kDiv && e->kind <= ExprKind::kFloorMod;
    if (divides && b->is_point() && is_const_int(b->min_value, 0)) return everything();
    if (a->is_point() && b->is_point()) {
      auto* two = as_binary(e);
      bool constant = const_int(two->a) && const_int(two->b);  // folded, or its ends would wrap unseen
      if (!constant && a->min_value.same_as(two->a) && b->min_value.same_as(two->b)) return point(e);
      Expr only = combined(e->kind, a->min_value, b->min_value);
      return only ? point(only) : everything();
    }
    if (e->dtype().is_bool()) return truth(e);
    switch (e->kind) {
      case ExprKind::kAdd:
        return sum(a, b);
      case ExprKind::kSub:
        return difference(a, b);
      default:
        break;
    }
    if (a->is_nothing()) return a;
    if (b->is_nothing()) return b;
    switch (e->kind) {
      case ExprKind::kMul:
        if (a->is_point()) std::swap(a, b);
        if (!b->is_point()) return everything();
        if (is_const_int(b->min_value, 0)) return b;
        if (is_const_int(b->min_value, 1)) return a;
        return scaled(a, b->min_value, ExprKind::kMul);
      case ExprKind::kDiv:
      case ExprKind::kFloorDiv:
        return quotient(a, b, e->kind);
      case ExprKind::kMod:
        return remainder(a, b, nullptr);
      case ExprKind::kFloorMod:
        return remainder(a, b, as_binary(e)->a);
      case ExprKind::kMin:
        return make<IntervalSetNode>(least(a->min_value, b->min_value), least(a->max_value, b->max_value));
      case ExprKind::kMax:
        return make<IntervalSetNode>(greatest(a->min_value, b->min_value),
                                     greatest(a->max_value, b->max_value));
      default:
        return everything();
    }
  }

  const Domains& domains_;
  Analyzer& analyzer_;
  std::unordered_map<const VarNode*, IntervalSet> known_;  // what each domain was evaluated to
};

}  // namespace

const Var& pos_inf() {
  static const auto* end = new Var(make_var("pos_inf", DataType::Handle()));
  return *end;
}
const Var& neg_inf() {
  static const auto* end = new Var(make_var("neg_inf", DataType::Handle()));
  return *end;
}

bool IntervalSetNode::has_lower() const {
  return !min_value.same_as(neg_inf()) && !min_value.same_as(pos_inf());
}
bool IntervalSetNode::has_upper() const {
  return !max_value.same_as(pos_inf()) && !max_value.same_as(neg_inf());
}
bool IntervalSetNode::is_nothing() const {
  return min_value.same_as(pos_inf()) || max_value.same_as(neg_inf());
}
bool IntervalSetNode::is_everything() const {
  return min_value.same_as(neg_inf()) && max_value.same_as(pos_inf());
}

IntervalSet everything() { return make<IntervalSetNode>(neg_inf(), pos_inf()); }
IntervalSet nothing() { return make<IntervalSetNode>(pos_inf(), neg_inf()); }
IntervalSet point(const Expr& value) { return make<IntervalSetNode>(value, value, true); }

IntervalSet interval_of(const Expr& e, const Domains& domains, Analyzer& analyzer) {
  return Evaluator(domains, analyzer).of(e);
}
IntervalSet interval_of(const IntervalSet& set, const Domains& domains, Analyzer& analyzer) {
  return Evaluator(domains, analyzer).set(set);
}
IntervalSet join(const IntervalSet& a, const IntervalSet& b) {
  if (a->is_nothing()) return b;
  if (b->is_nothing()) return a;
  return make<IntervalSetNode>(least(a->min_value, b->min_value), greatest(a->max_value, b->max_value));
}
IntervalSet meet(const IntervalSet& a, const IntervalSet& b, Analyzer& analyzer) {
  if (a->is_nothing() || b->is_nothing()) return nothing();
  // What limits one side only stays as it is.
  auto tighter = [](const Expr& x, const Expr& y, const Var& none, Expr (*choose)(Expr, Expr, Span)) {
    return x.same_as(none) ? y : y.same_as(none) ? x : choose(x, y, {});
  };
  Expr low = tighter(a->min_value, b->min_value, neg_inf(), ir::max);
  Expr high = tighter(a->max_value, b->max_value, pos_inf(), ir::min);
  auto first = const_int(low), last = const_int(high);
  if (first && last && *last >= 0 && *first > *last) return nothing();  // unsigned differences would wrap
  bool both = low->dtype().is_int() && high->dtype().is_int();
  if (both && analyzer.can_prove_ge(analyzer.simplify(sub(low, high)), 1)) return nothing();
  if (!low.same_as(neg_inf())) low = analyzer.simplify(low);
  if (!high.same_as(pos_inf())) high = analyzer.simplify(high);
  return make<IntervalSetNode>(low, high);
}

std::vector<std::pair<Var, IntervalSet>> domains_of(const Expr& condition) {
  std::vector<std::pair<Var, IntervalSet>> found;
  auto* two = as_binary(condition);
  if (!two) return found;
  if (condition->kind == ExprKind::kAnd) {
    found = domains_of(two->a);
    for (auto& one : domains_of(two->b)) found.push_back(std::move(one));
    return found;
  }
  DataType dtype = two->a->dtype();
  if (!(dtype.is_int() || dtype.is_uint()) || !dtype.is_scalar()) return found;
  auto is_var = [](const Expr& e) { return e->kind == ExprKind::kVar; };
  auto add = [&](const Expr& var, const Expr& low, const Expr& high) {
    found.emplace_back(ref(as<VarNode>(var)), make<IntervalSetNode>(low, high));
  };
  bool left = is_var(two->a);
  if (!left && !is_var(two->b)) return found;
  ExprKind kind = condition->kind;
  // `x < limit` is preferred to `limit > x` of two variables, as TVM matches them.
  const Expr &var = left ? two->a : two->b, &limit = left ? two->b : two->a;
  bool upper =
      left ? kind == ExprKind::kLE || kind == ExprKind::kLT : kind == ExprKind::kGE || kind == ExprKind::kGT;
  bool strict = kind == ExprKind::kLT || kind == ExprKind::kGT;
  if (dtype.is_uint() && strict && upper && is_const_int(limit, 0)) return found;  // never so
  if (kind == ExprKind::kEQ) {
    found.emplace_back(ref(as<VarNode>(var)), point(limit));
  } else if (kind == ExprKind::kNE) {
    return found;
  } else if (upper) {
    add(var, neg_inf(), strict ? limit - 1 : limit);
  } else {
    add(var, strict ? limit + 1 : limit, pos_inf());
  }
  return found;
}

IntervalSet interval_of(const Range& range, Analyzer& analyzer) {
  if (is_const_int(range->extent, 1)) return point(range->min);
  Expr last = sub(add(range->min, range->extent), const_like(range->extent, 1));
  return make<IntervalSetNode>(range->min, analyzer.simplify(last));
}

}  // namespace mlc::transform
