// SPDX-License-Identifier: Apache-2.0
// Sums in which a quotient, multiplied by its divisor, meets the remainder: (c // b) * b + c % b is c.
#include <list>

#include "ir/core/module.h"
#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/simplified.h"

namespace mlc::ir {
namespace {

bool same_term(const Expr& a, const Expr& b) { return a.same_as(b) || structural_equal(a, b); }

Expr plus(const Expr& sum, const Expr& term) { return sum ? add(sum, term) : term; }

void add_terms(const Expr& e, std::list<Expr>& terms) {
  if (auto* sum = as_binary(e); sum != nullptr && sum->kind == ExprKind::kAdd) {
    add_terms(sum->a, terms);
    return add_terms(sum->b, terms);
  }
  terms.push_back(e);
}

// The two factors or summands of a node of that kind.
const BinaryNode* of_kind(const Expr& e, ExprKind kind) {
  auto* binary = as_binary(e);
  return binary != nullptr && binary->kind == kind ? binary : nullptr;
}

struct Remainder {
  Expr of, by;
};

// product = (... + (c // b) * inner) * outer with b = inner * outer, and r the remainder by b of c, or of
// what differs from it by a multiple of b: what is left of their sum. Null where it is not so.
Expr merged(const Expr& product, const Remainder& r, const Simplify& simplify) {
  auto* multiplied = of_kind(product, ExprKind::kMul);
  if (multiplied == nullptr) return Expr();
  Expr outer = multiplied->b, at = multiplied->a;
  while (auto* next = of_kind(at, ExprKind::kMul)) {
    outer = mul(next->b, outer);
    at = next->a;
  }
  Expr inner, rest;
  for (;;) {
    if (auto* quotient = of_kind(at, ExprKind::kFloorDiv)) {
      Expr factor = inner ? mul(inner, outer) : outer;
      if (!same_term(factor, quotient->b) || !same_term(factor, r.by)) return Expr();
      Expr apart = simplify(floormod(sub(quotient->a, r.of), r.by));
      if (!is_const_int(apart, 0)) return Expr();
      return rest ? add(mul(rest, outer), quotient->a) : quotient->a;
    }
    if (auto* factors = of_kind(at, ExprKind::kMul)) {
      inner = inner ? mul(factors->b, inner) : factors->b;
      at = factors->a;
    } else if (auto* sum = of_kind(at, ExprKind::kAdd); sum != nullptr && !inner) {
      rest = plus(rest, sum->a);
      at = sum->b;
    } else {
      return Expr();
    }
  }
}

}  // namespace

Expr merge_remainders(const Expr& e, const Simplify& simplify) {
  Expr whole = simplify(e);
  std::list<Expr> terms, products;
  std::list<Remainder> remainders;
  Expr others;
  add_terms(whole, terms);
  auto sort = [&](const std::list<Expr>& found) {
    for (const Expr& term : found) {
      if (auto* remainder = of_kind(term, ExprKind::kFloorMod))
        remainders.push_back({remainder->a, remainder->b});
      else if (of_kind(term, ExprKind::kMul))
        products.push_back(term);
      else
        others = plus(others, term);
    }
  };
  sort(terms);
  bool changed = false;
  for (auto r = remainders.begin(); r != remainders.end();) {
    Expr left;
    auto product = products.begin();
    for (; product != products.end() && !left; ++product) left = merged(*product, *r, simplify);
    if (!left) {
      ++r;
      continue;
    }
    changed = true;
    products.erase(std::prev(product));
    remainders.erase(r);
    std::list<Expr> parts;
    add_terms(left, parts);
    sort(parts);
    r = remainders.begin();
  }
  if (!changed) return whole;
  for (const Expr& product : products) others = plus(others, product);
  for (const Remainder& r : remainders) others = plus(others, floormod(r.of, r.by));
  return others;
}

}  // namespace mlc::ir
