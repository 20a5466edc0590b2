// SPDX-License-Identifier: Apache-2.0
// Local simplification: operands first, then constants, comparisons by bounds, and the rows of rules_*.cpp.
#include "ir/op.h"
#include "transform/arith/analyzer_impl.h"
#include "transform/arith/expr_equal.h"
#include "transform/arith/rules.h"

namespace mlc::transform {
namespace {

// A rule's result is simplified again; this bounds rules that would undo each other.
constexpr int kMaxDepth = 48;

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
bool is_index_type(DataType dtype) { return dtype.is_bool() || (dtype.is_int() && dtype.bits() >= 32); }

bool is_comparison(ExprKind kind) { return kind >= ExprKind::kEQ && kind <= ExprKind::kGE; }

Expr truth(const Expr& like, bool value) {
  return like->dtype().is_scalar() ? Expr(bool_imm(value)) : make_const(like->dtype(), value);
}

// Rewrites the operands of a node; conditions hold in the arms they guard.
class RewriteOperands final : public Rewriter {
 public:
  explicit RewriteOperands(AnalyzerImpl& analyzer) : analyzer_(analyzer) {}
  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override { return analyzer_.rewrite(e); }

 private:
  AnalyzerImpl& analyzer_;
};

}  // namespace

Expr AnalyzerImpl::rewrite(const Expr& e) {
  if (auto* two = as_binary(e)) {
    Expr a = rewrite(two->a), b = rewrite(two->b);
    if (a.same_as(two->a) && b.same_as(two->b)) return rewrite_node(e);
    return rewrite_node(binary(e->kind, std::move(a), std::move(b), e->span));
  }
  switch (e->kind) {
    case ExprKind::kIntImm:
    case ExprKind::kFloatImm:
    case ExprKind::kStringImm:
    case ExprKind::kOp:
    case ExprKind::kGlobalVar:
      return e;
    case ExprKind::kVar: {
      auto found = var_values.find(as<VarNode>(e));
      return found == var_values.end() ? e : found->second;
    }
    case ExprKind::kSelect:
    case ExprKind::kCall: {
      auto* select_node = as<SelectNode>(e);
      auto* choice = as_call_to(e, "tirx.if_then_else");
      if (!select_node && !choice) return RewriteOperands(*this).rewrite_children(e);
      const Expr& old_condition = select_node ? select_node->condition : choice->args[0];
      const Expr& old_true = select_node ? select_node->true_value : choice->args[1];
      const Expr& old_false = select_node ? select_node->false_value : choice->args[2];
      Expr condition = rewrite(old_condition);
      if (auto constant = const_int(condition)) return rewrite(*constant ? old_true : old_false);
      size_t before = mark();
      assume(condition);
      Expr true_value = rewrite(old_true);
      forget(before);
      assume(logical_not(condition));
      Expr false_value = rewrite(old_false);
      forget(before);
      if (same_expr(true_value, false_value)) return true_value;
      if (condition.same_as(old_condition) && true_value.same_as(old_true) && false_value.same_as(old_false))
        return e;
      if (select_node) return rewrite_node(make<SelectNode>(condition, true_value, false_value, e->span));
      return make<CallNode>(e->ty, choice->op, Array<Expr>{condition, true_value, false_value}, choice->attrs,
                            e->span);
    }
    default: {
      Expr next = RewriteOperands(*this).rewrite_children(e);
      return next->kind == ExprKind::kVar ? next : rewrite_node(next);
    }
  }
}

Expr AnalyzerImpl::rewrite_node(const Expr& e) {
  if (!truths_.empty() && e->dtype().is_bool()) {
    if (auto value = known(e)) return truth(e, *value);
  }
  auto* two = as_binary(e);
  if (two) {
    if (Expr folded = fold(e->kind, two->a, two->b, e->span)) return folded;
    if (two->b->kind == ExprKind::kIntImm || two->a->kind == ExprKind::kIntImm) {
      Expr built = build(e->kind, two->a, two->b, e->span);  // identities: x + 0, x * 1, ...
      auto* same = built->kind == e->kind ? as_binary(built) : nullptr;
      if (!same || !same->a.same_as(two->a) || !same->b.same_as(two->b)) return built;
    }
    const Expr &a = two->a, &b = two->b;
    if (!is_index_type(a->dtype())) {
      auto *left = as<BroadcastNode>(a), *right = as<BroadcastNode>(b);
      if (left && right)
        return make<BroadcastNode>(rewrite_node(binary(e->kind, left->value, right->value)), left->lanes);
      if (e->kind == ExprKind::kGT) return binary(ExprKind::kLT, b, a, e->span);
      if (e->kind == ExprKind::kGE) return binary(ExprKind::kLE, b, a, e->span);
      return e;
    }
    switch (e->kind) {
      case ExprKind::kGT:
        return rewrite_node(binary(ExprKind::kLT, b, a, e->span));
      case ExprKind::kGE:
        return rewrite_node(binary(ExprKind::kLE, b, a, e->span));
      case ExprKind::kLE: {
        Ordering order = a->dtype().is_scalar() && !a->dtype().is_bool() ? compare(a, b) : Ordering::kUnknown;
        if (order == Ordering::kLess || order == Ordering::kLessEqual || order == Ordering::kEqual)
          return truth(e, true);
        if (order == Ordering::kGreater) return truth(e, false);
        if (order == Ordering::kGreaterEqual) return rewrite_node(binary(ExprKind::kEQ, a, b, e->span));
        if (!var_residues.empty() && order == Ordering::kUnknown && proves_by_bounds(ExprKind::kNE, a, b))
          return rewrite_node(binary(ExprKind::kLT, a, b, e->span));
        Expr less = rewrite_node(binary(ExprKind::kLT, b, a, e->span));
        auto* still = as<LTNode>(less);
        if (!still) return rewrite_node(make<NotNode>(less));
        return still->a.same_as(b) && still->b.same_as(a)
                   ? e
                   : binary(ExprKind::kLE, still->b, still->a, e->span);
      }
      case ExprKind::kNE: {
        Ordering order = a->dtype().is_scalar() && !a->dtype().is_bool() ? compare(a, b) : Ordering::kUnknown;
        if (order == Ordering::kLessEqual) return rewrite_node(binary(ExprKind::kLT, a, b, e->span));
        if (order == Ordering::kGreaterEqual) return rewrite_node(binary(ExprKind::kLT, b, a, e->span));
        Expr equal = rewrite_node(binary(ExprKind::kEQ, a, b, e->span));
        auto* still = as<EQNode>(equal);
        if (!still) return rewrite_node(make<NotNode>(equal));
        return still->a.same_as(a) && still->b.same_as(b)
                   ? e
                   : binary(ExprKind::kNE, still->a, still->b, e->span);
      }
      case ExprKind::kLT:
      case ExprKind::kEQ: {
        if (!a->dtype().is_scalar() || a->dtype().is_bool()) break;
        Ordering order = compare(a, b);
        if (order == Ordering::kLess) return truth(e, e->kind == ExprKind::kLT);
        if (order == Ordering::kGreater) return truth(e, false);
        if (order == Ordering::kEqual) return truth(e, e->kind == ExprKind::kEQ);
        if (order == Ordering::kGreaterEqual && e->kind == ExprKind::kLT) return truth(e, false);
        if (e->kind == ExprKind::kEQ && proves_by_bounds(ExprKind::kNE, a, b)) return truth(e, false);
        break;
      }
      case ExprKind::kAdd: {
        // min and max lead a sum; those that lead already keep their order.
        auto chosen = [](const Expr& x) { return x->kind == ExprKind::kMin || x->kind == ExprKind::kMax; };
        auto has_chosen = [&](auto& self, const Expr& x) -> bool {
          if (x->kind != ExprKind::kAdd && x->kind != ExprKind::kSub && x->kind != ExprKind::kMul)
            return chosen(x);
          return self(self, as_binary(x)->a) || self(self, as_binary(x)->b);
        };
        if (chosen(b) && !has_chosen(has_chosen, a))
          return rewrite_node(binary(ExprKind::kAdd, b, a, e->span));
        break;
      }
      case ExprKind::kFloorMod: {
        auto divisor = const_int(b);
        if (!divisor || *divisor <= 0 || var_residues.empty()) break;
        ModularSet residue = modular(a);
        if (residue.coeff % *divisor == 0)
          return const_like(e, (residue.base % *divisor + *divisor) % *divisor);
        break;
      }
      default:
        break;
    }
  } else if (auto* inverse = as<NotNode>(e)) {
    if (auto value = const_int(inverse->a)) return truth(e, *value == 0);
    // An order the rule would turn around must be one of index values: not (x < y) is no y <= x for NaN.
    auto* inner = as_binary(inverse->a);
    if (inner && is_comparison(inner->kind) && inner->kind != ExprKind::kEQ && inner->kind != ExprKind::kNE &&
        !is_index_type(inner->a->dtype()))
      return e;
  } else if (auto* cast_node = as<CastNode>(e)) {
    return cast(e->dtype(), cast_node->value, e->span)->kind == ExprKind::kCast
               ? e
               : cast(e->dtype(), cast_node->value, e->span);
  } else if (e->kind != ExprKind::kSelect) {
    return e;
  }
  if (depth_ >= kMaxDepth) return e;
  const RuleSet* rules = rule_set(e->kind);
  if (!rules) return e;
  Expr next = rules->apply(e, *this);
  if (!next) return e;
  ++depth_;
  next = rewrite(next);
  --depth_;
  return next;
}

}  // namespace mlc::transform
