// SPDX-License-Identifier: Apache-2.0
#include "ir/tir/linear.h"

#include <limits>
#include <algorithm>

#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"

namespace mlc::ir {
namespace {

bool same_atom(const Expr& a, const Expr& b) {
  if (a.get() == b.get()) return true;
  if (a->kind != b->kind || a->kind == ExprKind::kVar) return false;
  return structural_equal(Any(a), Any(b));
}

bool is_integer(const Expr& e) {
  DataType dtype = e->dtype();
  return dtype.is_scalar() && (dtype.is_int() || dtype.is_uint());
}

// The part of `form` whose factors are multiples of `by`, divided by it, and what is left.
std::pair<LinearForm, LinearForm> divided(const LinearForm& form, int64_t by) {
  LinearForm quotient, rest;
  quotient.dtype = rest.dtype = form.dtype;
  for (const auto& [atom, factor] : form.terms) {
    if (factor % by == 0) {
      quotient.terms.emplace_back(atom, factor / by);
    } else {
      rest.terms.emplace_back(atom, factor);
    }
  }
  quotient.constant = floor_div(form.constant, by);
  rest.constant = form.constant - quotient.constant * by;
  return {quotient, rest};
}

}  // namespace

bool fits(DataType dtype, int64_t value) {
  if (dtype.is_bool()) return value == 0 || value == 1;
  if (dtype.is_uint()) return value >= 0 && (dtype.bits() >= 63 || value < (int64_t{1} << dtype.bits()));
  if (dtype.bits() >= 64) return true;
  int64_t half = int64_t{1} << (dtype.bits() - 1);
  return value >= -half && value < half;
}

template <class Number>
std::optional<bool> comparison_holds(ExprKind comparison, Number a, Number b) {
  switch (comparison) {
    case ExprKind::kEQ:
      return a == b;
    case ExprKind::kNE:
      return a != b;
    case ExprKind::kLT:
      return a < b;
    case ExprKind::kLE:
      return a <= b;
    case ExprKind::kGT:
      return a > b;
    case ExprKind::kGE:
      return a >= b;
    default:
      return std::nullopt;
  }
}
template std::optional<bool> comparison_holds(ExprKind, int64_t, int64_t);
template std::optional<bool> comparison_holds(ExprKind, uint64_t, uint64_t);
template std::optional<bool> comparison_holds(ExprKind, double, double);

std::optional<int64_t> reckoned(ExprKind operation, int64_t a, int64_t b) {
  if (auto holds = comparison_holds(operation, a, b)) return *holds;
  int64_t result = 0;
  bool divides = b != 0 && !(b == -1 && a == std::numeric_limits<int64_t>::min());
  auto unless = [&result](bool overflows) { return overflows ? std::nullopt : std::optional(result); };
  switch (operation) {
    case ExprKind::kAdd:
      return unless(__builtin_add_overflow(a, b, &result));
    case ExprKind::kSub:
      return unless(__builtin_sub_overflow(a, b, &result));
    case ExprKind::kMul:
      return unless(__builtin_mul_overflow(a, b, &result));
    case ExprKind::kFloorDiv:
      return divides ? std::optional(floor_div(a, b)) : std::nullopt;
    case ExprKind::kFloorMod:
      return divides ? std::optional(a - floor_div(a, b) * b) : std::nullopt;
    case ExprKind::kDiv:
      return divides ? std::optional(a / b) : std::nullopt;
    case ExprKind::kMod:
      return divides ? std::optional(a % b) : std::nullopt;
    case ExprKind::kMin:
      return std::min(a, b);
    case ExprKind::kMax:
      return std::max(a, b);
    case ExprKind::kAnd:
      return a != 0 && b != 0;
    case ExprKind::kOr:
      return a != 0 || b != 0;
    default:
      return std::nullopt;
  }
}

void LinearForm::add_term(const Expr& atom, int64_t factor) {
  for (auto it = terms.begin(); it != terms.end(); ++it) {
    if (!same_atom(it->first, atom)) continue;
    it->second += factor;
    if (it->second == 0) terms.erase(it);
    return;
  }
  if (factor != 0) terms.emplace_back(atom, factor);
}

void LinearForm::add(const LinearForm& other, int64_t times) {
  for (const auto& [atom, factor] : other.terms) add_term(atom, factor * times);
  constant += other.constant * times;
}

void LinearForm::scale(int64_t by) {
  if (by == 0) terms.clear();
  for (auto& term : terms) term.second *= by;
  constant *= by;
}

LinearForm LinearForm::of(const Expr& e) {
  LinearForm form;
  form.dtype = e->dtype();
  switch (e->kind) {
    case ExprKind::kIntImm:
      form.constant = static_cast<const IntImmNode*>(e.get())->value;
      return form;
    case ExprKind::kAdd:
    case ExprKind::kSub: {
      auto* sum = static_cast<const BinaryNode*>(e.get());
      if (!is_integer(e)) break;
      form = of(sum->a);
      form.add(of(sum->b), e->kind == ExprKind::kAdd ? 1 : -1);
      return form;
    }
    case ExprKind::kMul: {
      auto* product = static_cast<const BinaryNode*>(e.get());
      if (!is_integer(e)) break;
      LinearForm a = of(product->a);
      LinearForm b = of(product->b);
      if (b.is_constant()) {
        a.scale(b.constant);
        return a;
      }
      if (a.is_constant()) {
        b.scale(a.constant);
        return b;
      }
      form.add_term(binary(ExprKind::kMul, a.expr(), b.expr()), 1);
      return form;
    }
    case ExprKind::kFloorDiv:
    case ExprKind::kFloorMod: {
      auto* division = static_cast<const BinaryNode*>(e.get());
      auto by = const_int(division->b);
      if (!is_integer(e) || !by || *by <= 0) break;
      auto [quotient, rest] = divided(of(division->a), *by);
      if (e->kind == ExprKind::kFloorDiv) {
        if (rest.is_constant()) return quotient;  // 0 <= rest < by
        // (x + 5) // 3 stays, as in TVM: not (x + 2) // 3 + 1.
        if (rest.constant != 0) {
          rest.constant += quotient.constant * *by;
          quotient.constant = 0;
        }
        quotient.add_term(binary(ExprKind::kFloorDiv, rest.expr(), division->b), 1);
        return quotient;
      }
      if (rest.is_constant()) {
        form.constant = rest.constant;
        return form;
      }
      form.add_term(binary(ExprKind::kFloorMod, rest.expr(), division->b), 1);
      return form;
    }
    default:
      break;
  }
  form.add_term(e, 1);
  return form;
}

Expr LinearForm::expr() const {
  if (terms.size() == 1 && constant == 0 && terms[0].second < -1) {
    return binary(ExprKind::kMul, terms[0].first, int_imm(dtype, terms[0].second));
  }
  std::vector<std::pair<Expr, int64_t>> sorted = terms;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& x, const auto& y) { return x.second > y.second; });
  Expr sum;
  auto product = [&](const Expr& atom, int64_t factor) {
    return factor == 1 ? atom : binary(ExprKind::kMul, atom, int_imm(dtype, factor));
  };
  for (const auto& [atom, factor] : sorted) {
    if (factor < 0) break;
    Expr term = product(atom, factor);
    sum = sum ? binary(ExprKind::kAdd, sum, term) : term;
  }
  bool subtracts = !sorted.empty() && sorted.back().second < 0;
  if (constant > 0 || (!sum && (!subtracts || constant >= 0))) {
    Expr term = int_imm(dtype, constant);
    sum = sum ? binary(ExprKind::kAdd, sum, term) : term;
  }
  if (!sum) sum = int_imm(dtype, 0);
  for (const auto& [atom, factor] : sorted) {
    if (factor < 0) sum = binary(ExprKind::kSub, sum, product(atom, -factor));
  }
  if (constant < 0 && !sorted.empty()) sum = binary(ExprKind::kSub, sum, int_imm(dtype, -constant));
  return sum;
}

Expr simplify_linear(const Expr& e) { return is_integer(e) ? LinearForm::of(e).expr() : e; }

Expr difference(const Expr& a, const Expr& b) {
  // Both arms of equal conditions: the difference goes inside.
  auto* x = as<SelectNode>(a);
  auto* y = as<SelectNode>(b);
  if (x && y && same_atom(x->condition, y->condition)) {
    return make<SelectNode>(x->condition, difference(x->true_value, y->true_value),
                            difference(x->false_value, y->false_value));
  }
  LinearForm form = LinearForm::of(a);
  form.add(LinearForm::of(b), -1);
  return form.expr();
}

std::optional<int64_t> constant_difference(const Expr& a, const Expr& b) {
  if (a.get() == b.get()) return 0;
  if (!is_integer(a) || !is_integer(b)) return std::nullopt;
  LinearForm form = LinearForm::of(a);
  form.add(LinearForm::of(b), -1);
  if (!form.is_constant()) return std::nullopt;
  return form.constant;
}

}  // namespace mlc::ir
