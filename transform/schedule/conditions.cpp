// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/conditions.h"

#include <algorithm>

#include "ir/tir/linear.h"
#include "ir/tir/op.h"
#include "transform/arith/expr_equal.h"
#include "transform/arith/inequalities.h"

namespace mlc::transform {
namespace {

// The constant step of an expression along a variable; 0 when there is none.
int64_t step_along(const Expr& e, const Var& var, Analyzer& analyzer) {
  Expr first = substitute(e, {{var.get(), const_like(var, 0)}});
  Expr second = substitute(e, {{var.get(), const_like(var, 1)}});
  return const_int(analyzer.simplify(sub(second, first))).value_or(0);
}

// Does `a < b` (or `a >= b`) follow of one iterator's value staying in its domain? With value = s * a + r and
// the bounds of r, it bounds s * a.
bool follows_of(const Expr& value, const Range& domain, const Expr& a, const Expr& b, bool upper,
                Analyzer& analyzer) {
  // value = a // d: the quotient stays below q where a stays below q * d.
  if (auto* quotient = as<FloorDivNode>(value); quotient && upper && analyzer.can_prove_ge(quotient->b, 0)) {
    Expr past = domain->min + domain->extent;
    auto is_within = [&](const Expr& product) { return analyzer.can_prove(le(product, b)); };
    if (analyzer.can_prove_equal(quotient->a, a) &&
        (is_within(mul(past, quotient->b)) || is_within(mul(quotient->b, past))))
      return true;
  }
  std::vector<Var> vars = free_vars(a);
  if (vars.empty()) return false;
  int64_t step = step_along(a, vars[0], analyzer), value_step = step_along(value, vars[0], analyzer);
  if (step == 0 || value_step % step != 0 || value_step / step <= 0) return false;
  Expr s = const_like(a, value_step / step);
  ConstIntBound rest = analyzer.const_int_bound(analyzer.simplify(sub(value, mul(a, s))));
  if (upper) {
    if (rest.min == ConstIntBound::kNegInf) return false;
    return analyzer.can_prove(lt(domain->min + domain->extent - 1 - const_like(a, rest.min), mul(b, s)));
  }
  if (rest.max == ConstIntBound::kPosInf) return false;
  return analyzer.can_prove(gt(domain->min - const_like(a, rest.max), mul(b - 1, s)));
}

bool follows_of_domains(const Expr& condition, const SBlockRealize& realize, Analyzer& analyzer) {
  if (analyzer.can_prove(condition)) return true;
  auto* two = as_binary(condition);
  std::vector<Analyzer::Assumption> inside;
  for (size_t i = 0; i < realize->iter_values.size(); ++i) {
    const Expr& value = realize->iter_values[i];
    const Range& domain = realize->block->iter_vars[i]->dom;
    bool found = false;
    if (condition->kind == ExprKind::kLT) found = follows_of(value, domain, two->a, two->b, true, analyzer);
    if (condition->kind == ExprKind::kLE)
      found = follows_of(value, domain, two->a, two->b + 1, true, analyzer);
    if (condition->kind == ExprKind::kGE) found = follows_of(value, domain, two->a, two->b, false, analyzer);
    if (condition->kind == ExprKind::kGT)
      found = follows_of(value, domain, two->a, two->b + 1, false, analyzer);
    if (found) return true;
  }
  for (size_t i = 0; i < realize->iter_values.size(); ++i) {
    const Expr& value = realize->iter_values[i];
    const Range& domain = realize->block->iter_vars[i]->dom;
    inside.push_back(analyzer.assume(ge(value, domain->min)));
    inside.push_back(analyzer.assume(lt(value, domain->min + domain->extent)));
  }
  bool follows = analyzer.can_prove(condition);
  while (!inside.empty()) inside.pop_back();  // the last one first
  return follows;
}

}  // namespace

bool is_fixed_element(const Expr& index, const Domain& domain, ScheduleState& state, const SRefNode& scope) {
  std::vector<Var> used = free_vars(index);
  bool moves =
      std::any_of(used.begin(), used.end(), [&](const Var& var) { return domain.contains(var.get()); });
  if (moves || side_effect(index) > Effect::kReadState) return false;
  std::vector<SRefNode*> blocks = child_blocks(state, scope);
  return std::none_of(blocks.begin(), blocks.end(), [&](const SRefNode* block) {
    const Array<TensorRegion>& writes = block->block()->writes;
    return std::any_of(writes.begin(), writes.end(), [&](const TensorRegion& write) {
      return std::any_of(used.begin(), used.end(),
                         [&](const Var& var) { return var.same_as(write->source); });
    });
  });
}

Expr said_once(const Expr& condition) {
  std::vector<Expr> all = conjuncts(condition), once;
  for (const Expr& part : all) {
    bool known = std::any_of(once.begin(), once.end(), [&](const Expr& e) { return same_expr(e, part); });
    if (!known) once.push_back(part);
  }
  if (once.size() == all.size()) return condition;
  Expr result = once[0];
  for (size_t i = 1; i < once.size(); ++i) result = logical_and(result, once[i]);
  return result;
}

std::vector<Expr> conditions_beyond_domains(const SBlockRealize& realize, const std::vector<SRefNode*>& loops,
                                            Analyzer& analyzer) {
  std::vector<Expr> beyond;
  if (is_const_int(realize->predicate, 1)) return beyond;
  std::unique_ptr<Analyzer> local = analyzer.clone();
  bind_loops(*local, loops);
  for (const Expr& condition : conjuncts(realize->predicate)) {
    if (!follows_of_domains(condition, realize, *local)) beyond.push_back(condition);
  }
  return beyond;
}

std::optional<Expr> condition_on_iterators(const Expr& condition, const SBlockRealize& realize,
                                           const std::vector<SRefNode*>& loops,
                                           const std::vector<SRefNode*>& kept) {
  VarMap known;
  for (const SRefNode* loop : kept) known[loop->loop()->loop_var.get()] = loop->loop()->loop_var;
  for (size_t i = 0; i < realize->iter_values.size(); ++i) {
    if (auto* var = as<VarNode>(realize->iter_values[i]))
      known.try_emplace(var, realize->block->iter_vars[i]->var);
  }
  auto tells = [&] {
    return !uses_var(condition, [&](const VarNode* var) {
      bool around = std::any_of(loops.begin(), loops.end(),
                                [&](const SRefNode* loop) { return loop->loop()->loop_var.get() == var; });
      return around && !known.contains(var);
    });
  };
  if (!tells()) {
    Array<Var> iters;
    Analyzer analyzer;
    for (const IterVar& iter : realize->block->iter_vars) {
      iters.push_back(iter->var);
      analyzer.bind(iter->var, iter->dom);
    }
    std::vector<LoopRange> ranges = ranges_of(loops);
    auto inverse = invert_iter_map(realize->iter_values, ranges, iters, analyzer);
    if (!inverse) return std::nullopt;
    for (size_t i = 0; i < ranges.size(); ++i) known.try_emplace(ranges[i].var.get(), (*inverse)[i]);
  }
  return substitute(condition, known);
}

namespace {

// Arithmetic on numbers; what it does not know, and divisions by 0, have no value.
class Numbers {
 public:
  std::unordered_map<const VarNode*, int64_t> values;
  std::optional<int64_t> of(const Expr& e) const {
    if (auto number = const_int(e)) return number;
    if (auto* var = as<VarNode>(e)) {
      auto found = values.find(var);
      return found == values.end() ? std::nullopt : std::optional(found->second);
    }
    if (auto* negated = as<NotNode>(e)) {
      auto a = of(negated->a);
      return a ? std::optional<int64_t>(*a == 0) : std::nullopt;
    }
    if (auto* widened = as<CastNode>(e)) {
      bool keeps = e->dtype().is_int() && widened->value->dtype().bits() <= e->dtype().bits();
      return keeps ? of(widened->value) : std::nullopt;
    }
    auto* two = as_binary(e);
    auto a = two ? of(two->a) : std::nullopt, b = a ? of(two->b) : std::nullopt;
    return b ? reckoned(e->kind, *a, *b) : std::nullopt;
  }
};

constexpr int64_t kMostValues = 1 << 14;  // that are looked at

}  // namespace

bool always_holds(const Expr& condition, Analyzer& analyzer, const Domain& domain) {
  if (analyzer.can_prove(condition)) return true;
  Expr difference = condition->kind == ExprKind::kEQ ? Expr() : difference_of(condition);
  if (difference && !domain.empty()) {
    // Where the variables have values at all.
    Expr some = bool_imm(true);
    for (const auto& [var, range] : domain)
      if (range && !const_int(range.max))
        some = logical_and(some, analyzer.simplify(ge(range.max, range.min)));
    auto inside = analyzer.assume(some);
    if (Interval all = interval_of(analyzer.simplify(neg(difference)), domain, analyzer);
        all && analyzer.can_prove_ge(analyzer.simplify(all.min), 0))
      return true;
  }
  struct Counter {
    const VarNode* var;
    ConstIntBound bound;
  };
  std::vector<Counter> counters;
  Numbers numbers;
  int64_t count = 1;
  for (const Var& var : free_vars(condition)) {
    ConstIntBound bound = analyzer.const_int_bound(var);
    if (!var->dtype().is_int() || bound.min == ConstIntBound::kNegInf || bound.max == ConstIntBound::kPosInf)
      return false;
    int64_t extent = bound.max - bound.min + 1;
    if (extent <= 0 || extent > kMostValues || (count *= extent) > kMostValues) return false;
    counters.push_back({var.get(), bound});
  }
  // Where it fails it mostly does so at the end.
  for (const Counter& counter : counters) numbers.values[counter.var] = counter.bound.max;
  if (numbers.of(condition).value_or(0) == 0) return false;
  for (const Counter& counter : counters) numbers.values[counter.var] = counter.bound.min;
  while (numbers.of(condition).value_or(0) != 0) {
    size_t i = 0;
    for (; i < counters.size(); ++i) {
      int64_t& value = numbers.values[counters[i].var];
      if (++value <= counters[i].bound.max) break;
      value = counters[i].bound.min;
    }
    if (i == counters.size()) return true;
  }
  return false;
}

}  // namespace mlc::transform
