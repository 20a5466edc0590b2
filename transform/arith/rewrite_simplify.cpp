// SPDX-License-Identifier: Apache-2.0
// Local simplification: operands first, then constants, comparisons by bounds, and the rows of rules_*.cpp.
// Order and reach of the rules are those of TVM's RewriteSimplifier: two passes over the expression, a rule's
// result is simplified again at once only where the row says so.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/core/refusal.h"
#include "ir/core/small_float.h"
#include "ir/core/walk_with.h"
#include "ir/tir/linear.h"
#include "ir/tir/op.h"
#include "transform/arith/analyzer_impl.h"
#include "transform/arith/expr_equal.h"
#include "transform/arith/greatest_divisor.h"
#include "transform/arith/rewrite_division.h"
#include "transform/arith/rules.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "InternalError",
    {
        {.name = "too-many-rewrites", .message = "simplification applies more than the {} rules allowed"},
    }};
MLC_REFUSALS(arith_rewrite_simplify, refusals);

namespace {

// Rules that resimplify may undo each other; this bounds them.
constexpr int kMaxDepth = 5;
constexpr int kPasses = 2;

const RuleSet* rule_set(ExprKind kind) {
  switch (kind) {
#define MLC_RULES(Kind, rows)           \
  case ExprKind::Kind: {                \
    static const RuleSet rules(rows()); \
    return &rules;                      \
  }
    MLC_RULES(kAdd, add_rules)
    MLC_RULES(kSub, sub_rules)
    MLC_RULES(kMul, mul_rules)
    MLC_RULES(kFloorDiv, floordiv_rules)
    MLC_RULES(kFloorMod, floormod_rules)
    MLC_RULES(kDiv, truncdiv_rules)
    MLC_RULES(kMod, truncmod_rules)
    MLC_RULES(kMin, min_rules)
    MLC_RULES(kMax, max_rules)
    MLC_RULES(kEQ, eq_rules)
    MLC_RULES(kLT, lt_rules)
    MLC_RULES(kNot, not_rules)
    MLC_RULES(kAnd, and_rules)
    MLC_RULES(kOr, or_rules)
    MLC_RULES(kSelect, select_rules)
#undef MLC_RULES
    default:
      return nullptr;
  }
}

// Arithmetic of these types does not wrap by assumption, so algebra applies.
bool is_index_type(DataType dtype) { return dtype.is_int() && dtype.bits() >= 32; }
bool is_comparison(ExprKind kind) { return kind >= ExprKind::kEQ && kind <= ExprKind::kGE; }

Expr truth(const Expr& like, bool value) {
  return like->dtype().is_scalar() ? Expr(bool_imm(value)) : make_const(like->dtype(), value);
}

// x + 0.0 and x - -0.0 are no x: of -0.0 they are 0.0.
bool turns_negative_zero(const BinaryNode& node) {
  auto zero = [](const Expr& e, bool negative) {
    auto* real = as<FloatImmNode>(e);
    return real && real->value == 0 && (!negative || std::signbit(real->value));
  };
  return (node.kind == ExprKind::kAdd && (zero(node.a, false) || zero(node.b, false))) ||
         (node.kind == ExprKind::kSub && zero(node.b, true));
}

// What a cast makes of a constant: integers wrap, floats truncate. Null where it has no value (a float out of
// range), or is rounded twice (the narrow types by way of float32).
Expr convert_number(DataType to, const Expr& number, Span span) {
  DataType from = number->dtype();
  if (const auto* imm = as<FloatImmNode>(number)) {
    double value = ir::round_to(from, imm->value);
    if (to.is_bool()) return make<IntImmNode>(to, value != 0, span);  // NaN too
    if (to.is_floating()) {
      bool twice = to.bits() <= 16 && !to.is_float() && from.bits() > 32;
      bool overflows = std::isfinite(value) && !std::isfinite(ir::round_to(to, value));
      return twice || overflows ? Expr() : Expr(make<FloatImmNode>(to, value, span));
    }
    double limit = std::ldexp(1, to.is_int() ? to.bits() - 1 : to.bits());
    double whole = std::trunc(value);
    bool inside = to.is_int() ? whole >= -limit && whole < limit : whole >= 0 && whole < limit;
    if (!inside || std::abs(whole) >= 0x1p63) return nullptr;
    return make<IntImmNode>(to, static_cast<int64_t>(whole), span);
  }
  int64_t value = *const_int(number);
  if (to.is_bool()) return make<IntImmNode>(to, value != 0, span);
  if (to.is_floating()) {
    double exact = static_cast<double>(value);
    if (value > (1 << 24) || value < (from.is_uint() ? 0 : -(1 << 24))) return nullptr;
    return std::isfinite(ir::round_to(to, exact)) ? Expr(make<FloatImmNode>(to, exact, span)) : Expr();
  }
  int unused = 64 - to.bits();
  uint64_t shifted = static_cast<uint64_t>(value) << unused;
  return make<IntImmNode>(
      to, to.is_int() ? static_cast<int64_t>(shifted) >> unused : static_cast<int64_t>(shifted >> unused),
      span);
}

// The leading zeros of a constant; null for other calls.
Expr fold_clz(const CallNode& call) {
  auto* value = as<IntImmNode>(call.args[0]);
  if (!value) return nullptr;
  int bits = value->dtype().bits(), zeros = 0;
  while (zeros < bits && (static_cast<uint64_t>(value->value) >> (bits - 1 - zeros) & 1) == 0) ++zeros;
  return make_const(call.dtype(), zeros);
}

// ceil(log2(c)): how many digits counting to c needs; null for other calls.
Expr fold_ceil_log2(const CallNode& call) {
  auto* log = as_call_to(call.args[0], "tirx.log2");
  auto* value = log ? as<FloatImmNode>(log->args[0]) : nullptr;
  if (!value) return nullptr;
  bool defined = value->value >= 0;
  return make<FloatImmNode>(
      call.dtype(), defined ? std::ceil(std::log2(value->value)) : std::numeric_limits<double>::quiet_NaN());
}

// The functions that constants decide; null for other calls.
Expr fold_call(const Expr& e) {
  if (auto* call = as_call_to(e, "tirx.clz")) return fold_clz(*call);
  if (auto* call = as_call_to(e, "tirx.ceil")) return fold_ceil_log2(*call);
  if (auto* call = as_call_to(e, "tirx.likely")) return const_int(call->args[0]) ? call->args[0] : nullptr;
  return nullptr;
}

// Are constants of that type folded? Operators on bits are left, and remainders and shifts of narrow types.
bool folds_constants(ExprKind kind, DataType dtype) {
  bool index = dtype.is_scalar() && is_index_type(dtype);
  switch (kind) {
    case ExprKind::kBitwiseAnd:
    case ExprKind::kBitwiseOr:
    case ExprKind::kBitwiseXor:
      return false;
    case ExprKind::kLShift:
    case ExprKind::kRShift:
      return index;
    case ExprKind::kMod:
      return index || (dtype.is_uint() && dtype.bits() == 64);
    case ExprKind::kFloorMod:
      return index || dtype.is_uint();
    default:
      return true;
  }
}

// x + c and x - c as x and c.
std::pair<Expr, int64_t> constant_offset(const Expr& e) {
  auto* two = as_binary(e);
  if (two && (e->kind == ExprKind::kAdd || e->kind == ExprKind::kSub)) {
    auto c = const_int(two->b);
    if (c && *c != INT64_MIN) return {two->a, e->kind == ExprKind::kAdd ? *c : -*c};
  }
  return {e, 0};
}
int64_t common_factor(ModularSet a, ModularSet b) {
  return greatest_divisor(greatest_divisor(a.coeff, a.base), greatest_divisor(b.coeff, b.base));
}

}  // namespace

bool is_undefined(const BinaryNode& node) {
  int64_t bits = node.a->dtype().bits();
  auto number = const_int(node.b);
  if (node.kind == ExprKind::kLShift || node.kind == ExprKind::kRShift)
    return number && (*number < 0 || *number >= bits);
  if (node.kind < ExprKind::kDiv || node.kind > ExprKind::kFloorMod) return false;
  auto* lanes = as<BroadcastNode>(node.b);
  auto* real = as<FloatImmNode>(lanes ? lanes->value : node.b);
  return number == 0 || (real && ir::round_to(real->dtype(), real->value) == 0);
}

Expr AnalyzerImpl::rewrite(const Expr& e) {
  Setting<bool> form(canonical_form_, false);
  Expr result = e;
  for (int pass = 0; pass < kPasses; ++pass) {
    Expr next = visit(result);
    if (next.same_as(result)) break;
    result = next;
  }
  return result;
}

Expr AnalyzerImpl::visit(const Expr& e) {
  ++stats.nodes_visited;
  if (auto* two = as_binary(e)) return remembered(visited_, e, Expr(), [&] { return visit_binary(*two); });
  auto visit_operands = [&] {
    return rewrite_below(e, [this](const Expr& operand, Rewriter&) { return visit(operand); });
  };
  switch (e->kind) {
    case ExprKind::kIntImm:
    case ExprKind::kFloatImm:
    case ExprKind::kStringImm:
    case ExprKind::kOp:
    case ExprKind::kGlobalVar:
      return e;
    case ExprKind::kVar: {
      if (e->dtype().is_bool()) {
        if (auto value = known(e)) return truth(e, *value);
      }
      auto found = var_values.find(as<VarNode>(e));
      return found == var_values.end() ? e : found->second;
    }
    case ExprKind::kLet:
      if (Expr body = inlined_let(e)) return visit(body);
      return rewrite_node(visit_operands());
    case ExprKind::kSelect:
    case ExprKind::kCall:
      if (e->kind == ExprKind::kSelect || as_call_to(e, "tirx.if_then_else"))
        return choice(e, [this](const Expr& part) { return visit(part); });
      return rewrite_node(visit_operands());
    default: {
      Expr next = visit_operands();
      return next->kind == ExprKind::kVar ? next : rewrite_node(next);
    }
  }
}

Expr AnalyzerImpl::visit_binary(const BinaryNode& two) {
  const Span& span = two.span;
  if (two.kind == ExprKind::kGT) return visit(binary(ExprKind::kLT, two.b, two.a, span));
  if (two.kind == ExprKind::kGE) return visit(binary(ExprKind::kLE, two.b, two.a, span));
  if ((two.kind == ExprKind::kAnd || two.kind == ExprKind::kOr) && !canonical_form_ &&
      (extensions & kApplyConstraintsToBooleanBranches) && two.dtype().is_scalar())
    return rewrite_node(boolean_branches(two, span));
  Expr a = visit(two.a), b = visit(two.b);
  if (a.same_as(two.a) && b.same_as(two.b)) return rewrite_node(ref(&two));
  return rewrite_node(binary(two.kind, std::move(a), std::move(b), span));
}

// The body of a `let` whose value is a constant or a variable, which stands for the name; else null.
Expr AnalyzerImpl::inlined_let(const Expr& e) {
  auto* let = as<LetNode>(e);
  Expr value = visit(let->value);
  if (!is_number(value) && value->kind != ExprKind::kVar) return nullptr;
  return substitute(let->body, VarMap{{let->var.get(), value}});
}

Expr AnalyzerImpl::again(const Expr& e) {
  if (depth_ >= kMaxDepth) return e;
  ++depth_;
  ++stats.num_recursive_rewrites;
  stats.max_recursive_depth = std::max<int64_t>(stats.max_recursive_depth, depth_);
  Expr result = visit_in_form(e);
  --depth_;
  return result;
}

Expr AnalyzerImpl::apply_rules(const Expr& e) {
  const RuleSet* rules = rule_set(e->kind);
  if (!rules) return e;
  bool go_on = false;
  Expr next = rules->apply(e, *this, go_on);
  if (!next) return e;
  ++stats.rewrites_performed;
  if (maximum_rewrites > 0 && stats.rewrites_performed > maximum_rewrites) {
    throw refuse(refusals["too-many-rewrites"], maximum_rewrites);
  }
  return go_on ? again(next) : next;
}

Expr AnalyzerImpl::apply_rules_of_any_type(const Expr& e) {
  static const RuleSet sums(add_rules_of_any_type(), true), differences(sub_rules_of_any_type(), true),
      of_choices(sub_rules_of_floats(), true), least(min_rules_of_any_type(), true),
      greatest(max_rules_of_any_type(), true);
  const RuleSet* rules = e->kind == ExprKind::kAdd   ? &sums
                         : e->kind == ExprKind::kSub ? &differences
                         : e->kind == ExprKind::kMin ? &least
                         : e->kind == ExprKind::kMax ? &greatest
                                                     : nullptr;
  if (!rules) return e;
  // Sums of floats are rounded, and infinities do not cancel.
  if (rules == &differences && e->dtype().is_floating()) rules = &of_choices;
  bool go_on = false;
  Expr next = rules->apply(e, *this, go_on);
  if (!next) return e;
  ++stats.rewrites_performed;
  return next;
}

Expr AnalyzerImpl::apply_not(const Expr& inner, Span span) {
  // not (x < y) is no y <= x for NaN.
  auto* two = as_binary(inner);
  Expr e = make<NotNode>(inner, span);
  bool order =
      two && is_comparison(inner->kind) && inner->kind != ExprKind::kEQ && inner->kind != ExprKind::kNE;
  return order && two->a->dtype().is_floating() ? e : apply_rules(e);
}

Expr AnalyzerImpl::apply_equal(const Expr& e) {
  auto* two = as_binary(e);
  if (is_index_type(two->a->dtype()) && e->dtype().is_scalar()) {
    Ordering order = compare(two->a, two->b);
    if (order == Ordering::kEqual) return truth(e, true);
    if (order == Ordering::kLess || order == Ordering::kGreater || order == Ordering::kNotEqual)
      return truth(e, false);
  } else {
    bool reflexive = !two->a->dtype().is_floating();  // NaN is not equal to itself
    if (reflexive && same_expr(two->a, two->b)) return truth(e, true);
    if (e->dtype().is_scalar()) return e;
  }
  return apply_rules(e);
}

Expr AnalyzerImpl::apply_less(const Expr& e) {
  auto* two = as_binary(e);
  if (!e->dtype().is_scalar()) return apply_rules(e);
  if (!is_index_type(two->a->dtype())) return e;
  Ordering order = compare(two->a, two->b);
  if (order == Ordering::kLess) return truth(e, true);
  if (order == Ordering::kEqual || order == Ordering::kGreater || order == Ordering::kGreaterEqual)
    return truth(e, false);
  Expr next = apply_rules(e);
  if (!next.same_as(e)) return next;
  auto [left, left_offset] = constant_offset(two->a);
  auto [right, right_offset] = constant_offset(two->b);
  if (left_offset != 0 || right_offset != 0) {
    int64_t difference = right_offset - left_offset;
    if (difference == 0) return again(lt(left, right));
    if (difference == 1) return again(le(left, right));
    if (!fits(left->dtype(), difference) || !fits(left->dtype(), -difference)) return e;
    // A side with the difference: what is no constant is taken for a small number, but a large difference
    // needs bounds.
    auto stays = [&](const Expr& side) {
      auto constant = const_int(side);
      if (!constant && !is_far(difference, side->dtype())) return true;
      int64_t most = constant ? *constant : bounds(side).max;
      auto sum = reckoned(ExprKind::kAdd, most, std::abs(difference));
      return sum && fits(side->dtype(), *sum);
    };
    if (difference < 0 && right_offset != 0 && stays(left)) return again(lt(left + -difference, right));
    if (difference > 0 && left_offset != 0 && stays(right)) return again(lt(left, right + difference));
  }
  int64_t factor = common_factor(modular(two->a), modular(two->b));
  if (factor > 1) {
    Expr by = const_like(two->a, factor);
    return again(lt(floordiv(two->a, by), floordiv(two->b, by)));
  }
  return e;
}

// a <= b is not (b < a); written so again when nothing else comes of it.
Expr AnalyzerImpl::apply_less_equal(const Expr& e) {
  auto* two = as_binary(e);
  // Of floats `a <= b` is not `not b < a`: with NaN neither holds.
  if (two->a->dtype().is_floating()) return e;
  if (!is_index_type(two->a->dtype()) && e->dtype().is_scalar()) return e;
  Expr turned = apply_not(apply_less(binary(ExprKind::kLT, two->b, two->a, e->span)), e->span);
  auto* same = as<LENode>(turned);
  return same && same->a.same_as(two->a) && same->b.same_as(two->b) ? e : turned;
}

Expr AnalyzerImpl::rewrite_node(const Expr& e) {
  auto* two = as_binary(e);
  if (two && is_undefined(*two)) return e;  // it may stand where it is never computed
  if (two) {
    bool folds = folds_constants(e->kind, two->a->dtype());
    if (Expr folded = folds ? fold(e->kind, two->a, two->b, e->span) : Expr()) return folded;
    bool shift = e->kind == ExprKind::kLShift || e->kind == ExprKind::kRShift;
    if (!folds || shift) {
    } else if ((is_number(two->a) || is_number(two->b)) && !turns_negative_zero(*two)) {
      Expr built = build(e->kind, two->a, two->b, e->span);  // identities: x + 0, x * 1, ...
      auto* same = built->kind == e->kind ? as_binary(built) : nullptr;
      if (!same || !same->a.same_as(two->a) || !same->b.same_as(two->b)) return built;
    }
  }
  if (!truths_.empty() && e->dtype().is_bool()) {
    if (auto value = known(e)) return truth(e, *value);
  }
  if (auto* inverse = as<NotNode>(e)) {
    if (auto value = const_int(inverse->a)) return truth(e, *value == 0);
    return apply_not(inverse->a, e->span);
  }
  if (auto* cast_node = as<CastNode>(e)) {
    if (cast_node->dtype() == cast_node->value->dtype()) return cast_node->value;
    auto* lanes = as<BroadcastNode>(cast_node->value);
    const Expr& number = lanes ? lanes->value : cast_node->value;
    if (is_number(number) && (lanes || e->dtype().is_scalar())) {
      Expr converted = convert_number(e->dtype().element(), number, e->span);
      if (!converted) return e;
      return lanes ? Expr(make<BroadcastNode>(converted, lanes->lanes, e->span)) : converted;
    }
    Expr built = cast(e->dtype(), cast_node->value, e->span);
    return built->kind == ExprKind::kCast ? e : built;
  }
  if (e->kind == ExprKind::kSelect) return apply_rules(e);
  if (e->kind == ExprKind::kCall) {
    if (Expr folded = fold_call(e)) return folded;
  }
  if (!two) return e;
  const Expr &a = two->a, &b = two->b;
  bool index = is_index_type(a->dtype().element()) && a->dtype().is_scalar();
  switch (e->kind) {
    case ExprKind::kGT:
      return rewrite_node(binary(ExprKind::kLT, b, a, e->span));
    case ExprKind::kGE:
      return rewrite_node(binary(ExprKind::kLE, b, a, e->span));
    case ExprKind::kLE: {
      Expr next = apply_less_equal(e);
      auto* still = as<LENode>(next);
      if (!still || !index) return next;
      Ordering order = compare(still->a, still->b);
      if (order == Ordering::kLess || order == Ordering::kLessEqual || order == Ordering::kEqual)
        return truth(e, true);
      if (order == Ordering::kGreater) return truth(e, false);
      if (order == Ordering::kNotEqual) return apply_less(binary(ExprKind::kLT, still->a, still->b, e->span));
      if (order == Ordering::kGreaterEqual)
        return apply_equal(binary(ExprKind::kEQ, still->a, still->b, e->span));
      return next;
    }
    case ExprKind::kNE: {
      if (index) {
        Ordering order = compare(a, b);
        if (order == Ordering::kLess || order == Ordering::kGreater || order == Ordering::kNotEqual)
          return truth(e, true);
        if (order == Ordering::kEqual) return truth(e, false);
        if (order == Ordering::kLessEqual) return apply_less(binary(ExprKind::kLT, a, b, e->span));
        if (order == Ordering::kGreaterEqual) return apply_less(binary(ExprKind::kLT, b, a, e->span));
      }
      Expr turned = apply_not(apply_equal(binary(ExprKind::kEQ, a, b, e->span)), e->span);
      auto* same = as<NENode>(turned);
      return same && same->a.same_as(a) && same->b.same_as(b) ? e : turned;
    }
    case ExprKind::kLT:
      return apply_less(e);
    case ExprKind::kEQ:
      return apply_equal(e);
    case ExprKind::kAnd:
    case ExprKind::kOr:
      if (!canonical_form_ && (extensions & kConvertBooleanToAndOfOrs) && e->dtype().is_scalar())
        return as_and_of_ors(e);
      return apply_rules(e);
    default:
      break;
  }
  if (!is_index_type(e->dtype().element())) {
    auto *left = as<BroadcastNode>(a), *right = as<BroadcastNode>(b);
    if (left && right) return make<BroadcastNode>(build(e->kind, left->value, right->value), left->lanes);
    bool division = e->kind == ExprKind::kFloorDiv || e->kind == ExprKind::kFloorMod;
    if (division && e->dtype().is_scalar() && e->dtype().is_uint() && e->dtype().bits() >= 32) {
      Expr next = rewrite_unsigned_division(e, *this);
      return next ? next : e;
    }
    return apply_rules_of_any_type(e);
  }
  switch (e->kind) {
    case ExprKind::kMin:
    case ExprKind::kMax: {
      if (!index) break;
      if (same_expr(a, b)) return a;
      ConstIntBound left = bounds(a), right = bounds(b);
      bool below = left.max <= right.min, above = right.max <= left.min;
      if (e->kind == ExprKind::kMin ? below : above) return a;
      if (below || above) return b;
      break;
    }
    case ExprKind::kFloorDiv:
      if (Expr next = rewrite_floordiv(e, *this)) return next;
      if (!index) return e;
      break;
    case ExprKind::kFloorMod:
    case ExprKind::kMod: {
      if (!index && e->kind == ExprKind::kFloorMod) {
        Expr next = rewrite_floormod_lanes(e, *this);
        return next ? next : e;
      }
      Expr next = apply_rules(e);
      if (!index && next.same_as(e)) {
        bool floors = bounds(a).min >= 0 && bounds(b).min >= 0;
        Expr lanes = floors ? rewrite_floormod_lanes(e, *this) : Expr();
        return lanes ? lanes : e;
      }
      if (!next.same_as(e)) return next;
      next = rewrite_remainder(e, *this);
      return next ? next : e;
    }
    default:
      break;
  }
  Expr next = apply_rules(e);
  return index || !next.same_as(e) ? next : apply_rules_of_any_type(e);
}

}  // namespace mlc::transform
