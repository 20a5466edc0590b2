// SPDX-License-Identifier: Apache-2.0
// tvm.sym: linear equations, bounds that a condition puts on variables, iterator maps made simpler.
#include "ir/core/try_get.h"
#include "transform/arith/deduce_bound.h"
#include "transform/arith/inequalities.h"
#include "transform/arith/sym.h"

namespace mlc::transform::sym {
namespace {

Any detect_linear_equation(ApiCall& call) {
  Expr base = expr_argument(call, 0);
  Array<Var> vars = vars_argument(call, 1);
  Array<Expr> coefficients;
  for (const Var& var : vars) {
    auto found = linear_in(base, var);
    if (!found) return Array<Any>();
    coefficients.push_back(found->coefficient);
    base = found->rest;
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
  auto found = linear_in(analyzer.simplify(difference), vars[which]);
  if (!found) return false;
  const Expr& base = found->rest;
  Expr coeff = analyzer.simplify(found->coefficient);
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
