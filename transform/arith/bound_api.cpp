// SPDX-License-Identifier: Apache-2.0
// tvm.sym: linear equations, bounds that a condition puts on variables, iterator maps made simpler.
#include "ir/core/try_get.h"
#include "transform/arith/deduce_bound.h"
#include "transform/arith/inequalities.h"
#include "transform/arith/sym.h"

namespace mlc::transform::sym {
namespace {

// var * coeff + base; null stands for nothing, where a zero would be written out.
struct Linear {
  Expr coeff;
  Expr base;
};

Expr sum(const Expr& a, const Expr& b) { return !a ? b : !b ? a : add(a, b); }
Expr product(const Expr& a, const Expr& b) { return a && b ? mul(a, b) : Expr(nullptr); }

// Nullopt when `e` is not linear in `var`.
std::optional<Linear> linear(const Expr& e, const Var& var) {
  if (e.same_as(var)) return Linear{const_like(e, 1), nullptr};
  bool arithmetic = e->kind == ExprKind::kAdd || e->kind == ExprKind::kSub || e->kind == ExprKind::kMul;
  if (!arithmetic) {
    if (depends_on(e, var)) return std::nullopt;
    return Linear{nullptr, e};
  }
  auto* two = as_binary(e);
  auto a = linear(two->a, var);
  auto b = a ? linear(two->b, var) : std::nullopt;
  if (!b) return std::nullopt;
  switch (e->kind) {
    case ExprKind::kAdd:
      return Linear{sum(a->coeff, b->coeff), sum(a->base, b->base)};
    case ExprKind::kSub: {
      auto difference = [](const Expr& x, const Expr& y) {
        return !y ? x : !x ? sub(const_like(y, 0), y) : sub(x, y);
      };
      return Linear{difference(a->coeff, b->coeff), difference(a->base, b->base)};
    }
    default:
      if (a->coeff && b->coeff) return std::nullopt;
      if (a->coeff) std::swap(a, b);
      return Linear{product(a->base, b->coeff), product(a->base, b->base)};
  }
}

Array<Var> vars_argument(const ApiCall& call, size_t i) {
  Array<Var> vars;
  for (const Expr& e : exprs_argument(call, i)) {
    if (e->kind != ExprKind::kVar) wrong_argument(call, i, "list of variables");
    vars.push_back(ref(as<VarNode>(e)));
  }
  return vars;
}

Any detect_linear_equation(ApiCall& call) {
  Expr base = expr_argument(call, 0);
  Array<Var> vars = vars_argument(call, 1);
  Array<Expr> coefficients;
  for (const Var& var : vars) {
    auto found = linear(base, var);
    if (!found) return Array<Any>();
    coefficients.push_back(found->coeff ? found->coeff : const_like(var, 0));
    base = found->base ? found->base : const_like(var, 0);
  }
  for (const Expr& coefficient : coefficients) {
    for (const Var& var : vars) {
      if (depends_on(coefficient, var)) return Array<Any>();
    }
  }
  coefficients.push_back(base);
  return coefficients;
}

struct Ends {
  Expr low;
  Expr high;
};

// One condition on one of the variables, into `ends`; false when it is none.
bool clip(const Expr& condition, const Array<Var>& vars, std::vector<Ends>& ends, Analyzer& analyzer) {
  int64_t which = -1;
  for (int64_t i = 0; i < static_cast<int64_t>(vars.size()); ++i) {
    if (!depends_on(condition, vars[i])) continue;
    if (which >= 0) return false;
    which = i;
  }
  // At most 0, or 0.
  Expr difference = which < 0 ? Expr() : difference_of(condition);
  if (!difference) return false;
  auto found = linear(analyzer.simplify(difference), vars[which]);
  if (!found || !found->coeff) return false;
  Expr base = found->base ? found->base : const_like(vars[which], 0);
  Expr coeff = analyzer.simplify(found->coeff);
  bool above = is_const_int(coeff, 1), below = is_const_int(coeff, -1);
  if (!above && !below) return false;
  Expr end = analyzer.simplify(above ? sub(const_like(base, 0), base) : base);
  bool both = condition->kind == ExprKind::kEQ;
  Ends& known = ends[static_cast<size_t>(which)];
  if (above || both) known.high = known.high ? min(known.high, end) : end;
  if (below || both) known.low = known.low ? max(known.low, end) : end;
  return true;
}

Any detect_clip_bound(ApiCall& call) {
  Analyzer analyzer;
  Array<Var> vars = vars_argument(call, 1);
  std::vector<Ends> ends(vars.size());
  std::vector<Expr> todo{analyzer.simplify(expr_argument(call, 0))};
  while (!todo.empty()) {
    Expr condition = todo.back();
    todo.pop_back();
    if (auto* both = as<AndNode>(condition)) {
      todo.push_back(both->b);
      todo.push_back(both->a);
      continue;
    }
    if (!clip(condition, vars, ends, analyzer)) return Array<Any>();
  }
  Array<Any> bounds;
  for (const Ends& one : ends) {
    bounds.push_back(one.low ? Any(one.low) : Any(nullptr));
    bounds.push_back(one.high ? Any(one.high) : Any(nullptr));
  }
  return bounds;
}

constexpr ApiRow bound_api_table[] = {
    {ApiKind::kFunction, kSym, "detect_linear_equation(expr, var_list)",
     "The coefficients of the variables and the rest, when the expression is linear in them; else ().",
     detect_linear_equation},
    {ApiKind::kFunction, kSym, "detect_clip_bound(expr, var_list)",
     "Least and largest value of each variable, when the condition says no more than that; else ().",
     detect_clip_bound},
    {ApiKind::kFunction, kSym, "deduce_bound(var, cond, hint_map, relax_map)",
     "The values of a variable for which the condition holds, whatever the variables of relax_map are.",
     +[](ApiCall& call) -> Any {
       return deduce_bound(var_argument(call, 0), expr_argument(call, 1), domains_argument(call, 2),
                           domains_argument(call, 3));
     }},
};

}  // namespace

void register_bound_api() { ApiRegistry::global().add(bound_api_table); }

}  // namespace mlc::transform::sym
