// SPDX-License-Identifier: Apache-2.0
// Sums and products of loaded values are polynomials modulo a power of two. As such they are simplified by
// themselves; whoever compares, divides or casts one sees a name in its place.
#include "transform/arith/simplify_value.h"

#include <algorithm>

#include "ir/core/walk_with.h"
#include "ir/tir/linear.h"
#include "ir/tir/op.h"
#include "transform/arith/analyzer_impl.h"
#include "transform/arith/expr_equal.h"
#include "transform/arith/keep_effects.h"

namespace mlc::transform {
namespace {

bool is_ring_operator(const Expr& e) {
  bool ring = e->kind == ExprKind::kAdd || e->kind == ExprKind::kSub || e->kind == ExprKind::kMul ||
              e->kind == ExprKind::kLShift;
  return ring && e->dtype().is_integral() && e->dtype().bits() >= 32;
}

bool within_type(ConstIntBound bound, DataType dtype) {
  bool ends = bound.min != ConstIntBound::kNegInf && bound.max != ConstIntBound::kPosInf;
  return ends && fits(dtype, bound.min) && fits(dtype, bound.max);
}

class ValueSimplifier {
 public:
  explicit ValueSimplifier(Analyzer& analyzer) : analyzer_(analyzer) {}

  Expr simplify(const Expr& e) {
    Part whole = visit(e);
    if (named_.empty() && !whole.wraps) return analyzer_.simplify(e);
    Expr simple = whole.wraps ? polynomial(whole.e) : analyzer_.simplify(whole.e);
    return restored(simple, named_);
  }
  Expr simplify_index(const Expr& e) {
    Expr named = index(e);
    return restored(analyzer_.simplify(named), named_);
  }

 private:
  struct Part {
    Expr e;
    bool loaded;  // depends on what memory holds, or on what a call returns
    bool wraps;   // a sum or product that may leave its type
  };
  struct Named {
    Var var;
    Expr value;
  };

  // A sum or product on its way to an index does not overflow, since the index lies in its buffer. Behind
  // anything else, a remainder or a clip, one of loaded values may.
  Expr index(const Expr& e) {
    if (!is_ring_operator(e)) return visit(e).e;
    return rewrite_below(e, [&](const Expr& part, Rewriter&) { return index(part); });
  }

  Part visit(const Expr& e) {
    if (as<TensorLoadNode>(e)) {
      return {rewrite_below(e, [&](const Expr& at, Rewriter&) { return index(at); }), true, false};
    }
    if (is_ring_operator(e)) {
      auto* two = as_binary(e);
      Part a = visit(two->a), b = visit(two->b);
      bool same = a.e.same_as(two->a) && b.e.same_as(two->b);
      Part sum{same ? e : binary(e->kind, a.e, b.e, e->span), a.loaded || b.loaded, a.wraps || b.wraps};
      if (sum.loaded && !sum.wraps)
        sum.wraps = !within_type(analyzer_.const_int_bound(sum.e), e->dtype().element());
      return sum;
    }
    if (e->kind >= ExprKind::kLT && e->kind <= ExprKind::kGE) return order(e);
    if (auto* ramp = as<RampNode>(e)) {  // a sum in each lane
      Part base = visit(ramp->base), stride = visit(ramp->stride);
      bool same = base.e.same_as(ramp->base) && stride.e.same_as(ramp->stride);
      bool loaded = base.loaded || stride.loaded;
      return {same ? e : make<RampNode>(base.e, stride.e, ramp->lanes, e->span), loaded, loaded};
    }
    if (auto* let = as<LetNode>(e)) return of_let(*let);
    auto* var = as<VarNode>(e);
    if (var) return {e, analyzer_.parts().loaded_names.contains(var), false};
    Part part{e, returns_any_number(e), false};
    part.e = rewrite_below(e, [&](const Expr& child, Rewriter&) {
      Part below = visit(child);
      part.loaded |= below.loaded;
      return below.wraps ? name_for(polynomial(below.e), named_) : below.e;
    });
    return part;
  }

  // What stands for parts of the body must not take the variable out of its scope.
  Part of_let(const LetNode& let) {
    Expr value = ValueSimplifier(analyzer_).simplify(let.value);
    if (value->kind == ExprKind::kIntImm || value->kind == ExprKind::kFloatImm ||
        value->kind == ExprKind::kVar)
      return visit(substitute(let.body, VarMap{{let.var.get(), value}}));
    analyzer_.bind_name(let.var, value);
    Expr body = ValueSimplifier(analyzer_).simplify(let.body);
    bool same = value.same_as(let.value) && body.same_as(let.body);
    Expr next = same ? Expr(ref(&let)) : make<LetNode>(let.var, value, body, let.span);
    return {name_for(next, named_), true, false};
  }

  // A sum of indices beside a loaded value is a name, too: `A[i] <= i - 2` does not imply that A[i] + 2 is a
  // number.
  Part order(const Expr& e) {
    auto* two = as_binary(e);
    Part a = visit(two->a), b = visit(two->b);
    auto side = [&](const Part& part, const Part& other) {
      if (part.wraps) return name_for(polynomial(part.e), named_);
      const Expr* inner = &part.e;
      while (auto* cast = as<CastNode>(*inner)) inner = &cast->value;
      bool moves = other.loaded && is_ring_operator(*inner) && part.e->dtype().is_scalar() &&
                   !within_type(analyzer_.const_int_bound(binary(ExprKind::kSub, a.e, b.e)), part.e->dtype());
      return moves ? name_for(analyzer_.simplify(part.e), named_) : part.e;
    };
    Expr left = side(a, b), right = side(b, a);
    bool same = left.same_as(two->a) && right.same_as(two->b);
    return {same ? e : binary(e->kind, left, right, e->span), a.loaded || b.loaded, false};
  }

  // The simplest form as far as rings go: what is no sum or product is a name in it.
  Expr polynomial(const Expr& e) {
    std::vector<Named> leaves;
    auto visit_ring = [&](const Expr& part, Rewriter& on) -> Expr {
      if (is_ring_operator(part) && part->kind != ExprKind::kLShift) return on.rewrite_children(part);
      if (part->kind == ExprKind::kIntImm || part->kind == ExprKind::kVar) return part;
      if (is_remainder_of_indices(part)) return part;
      return name_for(analyzer_.simplify(part), leaves);
    };
    return restored(analyzer_.simplify(rewrite_with(e, visit_ring)), leaves);
  }

  // Remainders have their own place in the order of a sum.
  bool is_remainder_of_indices(const Expr& e) const {
    auto* mod = as<FloorModNode>(e);
    return mod && const_int(mod->b) && !analyzer_.parts().loaded_names.depends_on_loads(e);
  }

  // Equal values have one name.
  static Expr name_for(const Expr& value, std::vector<Named>& names) {
    if (value->kind == ExprKind::kIntImm || value->kind == ExprKind::kVar) return value;
    for (const Named& one : names) {
      if (same_expr(one.value, value)) return one.var;
    }
    names.push_back({make<VarNode>(String("value"), value->ty), value});
    return names.back().var;
  }
  // Later names may stand for what has earlier ones in it.
  static Expr restored(Expr e, const std::vector<Named>& names) {
    for (size_t i = names.size(); i-- > 0;) e = substitute(e, VarMap{{names[i].var.get(), names[i].value}});
    return e;
  }

  Analyzer& analyzer_;
  std::vector<Named> named_;
};

}  // namespace

Expr simplify_index(const Expr& e, Analyzer& analyzer) {
  return keep_effects(e, analyzer,
                      [&](const Expr& part) { return ValueSimplifier(analyzer).simplify_index(part); });
}

void bind_names(const Stmt& body, Analyzer& analyzer) {
  post_order(body, nullptr, [&](const Stmt& s) {
    if (auto* bind = as<BindNode>(s)) analyzer.bind_name(bind->var, bind->value);
  });
}

Expr simplify_value(const Expr& e, Analyzer& analyzer) {
  return keep_effects(e, analyzer,
                      [&](const Expr& part) { return ValueSimplifier(analyzer).simplify(part); });
}

}  // namespace mlc::transform
