// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/analyzer.h"

#include "transform/arith/analyzer_impl.h"
#include "transform/arith/expr_equal.h"
#include "transform/arith/keep_effects.h"
#include "transform/arith/simplify.h"
#include "transform/arith/solver.h"

namespace mlc::transform {

Expr simplify(const Expr& e) { return Analyzer().simplify(e); }

Analyzer::Analyzer() : impl_(std::make_unique<AnalyzerImpl>()) {}
Analyzer::~Analyzer() = default;

void Analyzer::bind(const Var& var, const Range& range) {
  if (is_const_int(range->extent, 1)) return bind(var, range->min);
  ConstIntBound low = impl_->bounds(range->min), extent = impl_->bounds(range->extent);
  ConstIntBound bound{low.min, ConstIntBound::kPosInf};
  if (extent.max != ConstIntBound::kPosInf && low.max != ConstIntBound::kPosInf &&
      !__builtin_add_overflow(low.max, extent.max - 1, &bound.max)) {
  } else {
    bound.max = ConstIntBound::kPosInf;
  }
  bind(var, bound);
  if (!const_int(range->extent) || !const_int(range->min)) impl_->assume_in_range(var, range);
}
void Analyzer::bind(const Var& var, ConstIntBound bound) {
  impl_->keep_alive.push_back(var);
  impl_->var_values.erase(var.get());
  impl_->var_residues.erase(var.get());
  impl_->var_bounds[var.get()] = bound;
  impl_->bindings_changed();
}
void Analyzer::bind(const Var& var, ModularSet residues) {
  impl_->keep_alive.push_back(var);
  impl_->var_residues[var.get()] = residues;
  impl_->bindings_changed();
}
void Analyzer::bind_name(const Var& var, const Expr& value) {
  impl_->loaded_names.bind(var, value);
  if (impl_->loaded_names.contains(var.get())) impl_->keep_alive.push_back(var);
}
void Analyzer::bind_any_number(const Var& var) {
  impl_->loaded_names.add(var);
  impl_->keep_alive.push_back(var);
}
bool Analyzer::knows(const Var& var) const { return impl_->var_bounds.contains(var.get()); }
std::unique_ptr<Analyzer> Analyzer::clone() const {
  auto copy = std::make_unique<Analyzer>();
  *copy->impl_ = *impl_;
  return copy;
}
void Analyzer::bind(const Var& var, const Expr& value) {
  impl_->keep_alive.push_back(var);
  Expr simple = simplify(value);
  impl_->var_bounds[var.get()] = impl_->bounds(simple);
  impl_->var_residues[var.get()] = impl_->modular(simple);
  impl_->var_values.erase(var.get());
  // A value that depends on the variable itself would be put in for ever.
  bool ends = simple.same_as(var) || !uses_var(simple, [&](const VarNode* one) { return one == var.get(); });
  if (ends && !has_effect(simple)) impl_->var_values[var.get()] = simple;
  impl_->bindings_changed();
}

Expr AnalyzerImpl::simplify(const Expr& e, int steps) {
  Expr result = canonical(e);
  for (int i = 0; i < steps; ++i) {
    if (result->kind == ExprKind::kIntImm) break;
    result = i % 2 == 0 ? rewrite(result) : canonical(result);
  }
  return same_expr(result, e) ? e : result;
}
Expr Analyzer::simplify(const Expr& e, int steps) {
  return keep_effects(e, *this, [&](const Expr& part) { return impl_->simplify(part, steps); });
}
void Analyzer::enable(int64_t extensions) { impl_->extensions = extensions; }
Expr Analyzer::rewrite_simplify(const Expr& e) {
  return keep_effects(e, *this, [&](const Expr& part) { return impl_->rewrite(part); });
}
Expr Analyzer::canonical_simplify(const Expr& e) {
  return keep_effects(e, *this, [&](const Expr& part) { return impl_->canonical(part); });
}

bool Analyzer::can_prove(const Expr& condition) {
  auto constant = const_int(condition);
  if (!constant) constant = const_int(rewrite_simplify(condition));
  if (!constant) constant = const_int(simplify(condition));
  if (constant) return *constant != 0;
  auto* two = as_binary(condition);
  return (two && two->a->dtype().is_int() && condition->kind >= ExprKind::kEQ &&
          condition->kind <= ExprKind::kGE && !has_effect(condition) &&
          impl_->proves_by_bounds(condition->kind, two->a, two->b)) ||
         solver_proves(*impl_, condition);
}
bool Analyzer::simplifies_to_true(const Expr& condition) {
  auto constant = const_int(condition);
  if (!constant) constant = const_int(simplify(condition));
  return constant && *constant != 0;
}
bool Analyzer::can_prove_equal(const Expr& a, const Expr& b) {
  if (same_expr(a, b)) return !has_effect(a);
  auto x = const_int(a), y = const_int(b);
  if (x && y) return *x == *y;
  return a->dtype() == b->dtype() &&
         (is_const_int(simplify(sub(a, b)), 0) || solver_proves(*impl_, eq(a, b)));
}
bool Analyzer::can_prove_equal_numbers(const Expr& a, const Expr& b) {
  DataType x = a->dtype(), y = b->dtype();
  if (x == y || !x.is_int() || !y.is_int() || x.lanes() != y.lanes()) return can_prove_equal(a, b);
  DataType wider = x.bits() < y.bits() ? y : x;
  return can_prove_equal(cast(wider, a), cast(wider, b));
}
bool Analyzer::can_prove_ge(const Expr& e, int64_t lower) {
  if (impl_->bounds(e).min >= lower) return true;
  return impl_->bounds(rewrite_simplify(e)).min >= lower;
}
bool Analyzer::can_prove_lt(const Expr& e, int64_t upper) {
  if (impl_->bounds(e).max < upper) return true;
  return impl_->bounds(rewrite_simplify(e)).max < upper;
}
Ordering Analyzer::compare(const Expr& a, const Expr& b) {
  return has_effect(a) || has_effect(b) ? Ordering::kUnknown : impl_->compare_sums(a, b);
}
ConstIntBound Analyzer::const_int_bound(const Expr& e) { return impl_->bounds(e); }
ModularSet Analyzer::modular_set(const Expr& e) { return impl_->modular(e); }

Analyzer::Assumption::~Assumption() {
  if (impl_) impl_->forget(mark_);
}
Analyzer::Assumption Analyzer::assume(const Expr& condition) {
  size_t mark = impl_->mark();
  impl_->assume(condition);
  return Assumption(impl_.get(), mark);
}

}  // namespace mlc::transform
