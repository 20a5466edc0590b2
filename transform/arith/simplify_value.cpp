// SPDX-License-Identifier: Apache-2.0
// Sums and products of loaded values are polynomials modulo a power of two. As such they are simplified by
// themselves; whoever compares, divides or casts one sees a name in its place.
#include "transform/arith/simplify_value.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

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
    Expr simple = whole.wraps ? polynomial(whole.e) : simplify_whole(whole.e);
    return restored(simple, named_);
  }
  Expr simplify_index(const Expr& e) {
    Expr named = index(e), simple = analyzer_.simplify(named);
    if (!depends_on_memory(named) || !wraps_below_index(simple) || wraps_below_index(named))
      return restored(simple, named_);
    auto operand = [&](const Expr& child, Rewriter&) {
      return is_ring_operator(named) ? ValueSimplifier(analyzer_).simplify_index(child)
                                     : simplify_whole(child);
    };
    return restored(rewrite_below(named, operand), named_);
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

  // `e` has no sum of loaded values that may wrap. Where a rule makes one, as of (x // 2 - 5) // 8 the sum
  // x - 10, only the operands are simplified.
  Expr simplify_whole(const Expr& e) {
    Expr simple = analyzer_.simplify(e);
    if (simple.same_as(e) || !depends_on_memory(e) || !wraps_anywhere(simple) || wraps_anywhere(e))
      return simple;
    return rewrite_below(e, [&](const Expr& child, Rewriter&) { return simplify_whole(child); });
  }
  bool wraps_anywhere(const Expr& e) {
    return any_below_value(e, [&](const Expr& part) { return may_wrap(part); });
  }
  bool wraps_below_index(const Expr& e) {
    if (!is_ring_operator(e)) return wraps_anywhere(e);
    return wraps_below_index(as_binary(e)->a) || wraps_below_index(as_binary(e)->b);
  }
  bool may_wrap(const Expr& e) {
    if (!is_ring_operator(e) || !depends_on_memory(e)) return false;
    return !fits_its_type(e);
  }
  // Of a shift of what may be negative, or by what is not known, the bound is that of the wrapped number.
  bool fits_its_type(const Expr& e) {
    if (auto* shift = as<LShiftNode>(e)) {
      ConstIntBound by = analyzer_.const_int_bound(shift->b);
      if (analyzer_.const_int_bound(shift->a).min < 0 || by.min < 0 || by.max >= 62) return false;
    }
    return within_type(analyzer_.const_int_bound(e), e->dtype().element());
  }
  // Asked of each sum, so answered once for each part.
  bool depends_on_memory(const Expr& e) {
    if (auto known = on_memory_.find(e); known != on_memory_.end()) return known->second;
    auto is_name = [&](const Named& one) { return one.var.same_as(e); };
    bool depends = analyzer_.parts().loaded_names.is_any_number(e) ||
                   (as<VarNode>(e) && std::ranges::any_of(named_, is_name));
    if (!depends) {
      walk_with(e, [&](const Expr& part, Walker& on) {
        if (part.same_as(e))
          on.walk_children(part);
        else
          depends = depends || depends_on_memory(part);
      });
    }
    on_memory_.emplace(e, depends);
    return depends;
  }
  // Is there a part, outside of the indices of loads, that the function says yes to?
  template <class F>
  static bool any_below_value(const Expr& e, F is) {
    bool found = false;
    walk_with(e, [&](const Expr& part, Walker& on) {
      found = found || is(part);
      if (!found && !as<TensorLoadNode>(part)) on.walk_children(part);
    });
    return found;
  }

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
      if (sum.loaded && !sum.wraps) sum.wraps = !fits_its_type(sum.e);
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
      return moves ? name_for(simplify_whole(part.e), named_) : part.e;
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
      return name_for(simplify_whole(part), leaves);
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
  static Expr restored(const Expr& e, const std::vector<Named>& names) {
    if (names.empty()) return e;
    VarMap values;
    for (const Named& one : names) values[one.var.get()] = substitute(one.value, values);
    return substitute(e, values);
  }

  Analyzer& analyzer_;
  std::vector<Named> named_;
  std::unordered_map<Expr, bool, ffi::ObjectPtrHash, ffi::ObjectPtrEqual> on_memory_;
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

void bind_names(const PrimFunc& fn, Analyzer& analyzer) {
  bind_parameters(fn, analyzer);
  bind_names(fn->body, analyzer);
}

void bind_parameters(const PrimFunc& fn, Analyzer& analyzer) {
  if (!fn->ret_type || fn->ret_type->kind != TypeKind::kPrim) return;
  std::unordered_set<const VarNode*> places;
  auto add = [&](const Expr& e) {
    post_order(e, [&](const Expr& part) {
      if (auto* var = as<VarNode>(part)) places.insert(var);
    });
  };
  auto add_all = [&](const Array<Expr>& all) {
    for (const Expr& e : all) add(e);
  };
  for (const Var& param : fn->params) {
    if (param->buffer()) add_all(param->buffer()->shape);
  }
  post_order(
      fn->body,
      [&](const Expr& e) {
        if (auto* load = as<TensorLoadNode>(e)) add_all(load->indices);
      },
      [&](const Stmt& s) {
        if (auto* loop = as<ForNode>(s)) add_all({loop->min, loop->extent});
        if (auto* store = as<BufferStoreNode>(s)) add_all(store->indices);
        if (auto* alloc = as<AllocBufferNode>(s)) add_all(alloc->buffer->buffer()->shape);
      });
  for (const Var& param : fn->params) {
    if (!param->buffer() && param->dtype().is_integral() && !places.contains(param.get()))
      analyzer.bind_any_number(param);
  }
}

Expr simplify_value(const Expr& e, Analyzer& analyzer) {
  return keep_effects(e, analyzer,
                      [&](const Expr& part) { return ValueSimplifier(analyzer).simplify(part); });
}

}  // namespace mlc::transform
