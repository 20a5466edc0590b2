// SPDX-License-Identifier: Apache-2.0
// Conditions as a conjunction of disjunctions: pairs of terms that meet in one `or`, and pairs of `or` that
// differ in one term, are simplified with each other. After TVM's AndOfOrs.
#include <algorithm>

#include "transform/arith/analyzer_impl.h"
#include "transform/arith/expr_equal.h"

namespace mlc::transform {
namespace {

using Clause = std::vector<Expr>;  // the terms of one `or`

bool contains(const Clause& clause, const Expr& term) {
  return std::any_of(clause.begin(), clause.end(), [&](const Expr& one) { return same_expr(one, term); });
}
bool includes(const Clause& clause, const Clause& part) {
  return std::all_of(part.begin(), part.end(), [&](const Expr& one) { return contains(clause, one); });
}
void drop(Clause& terms, int64_t constant) {
  std::erase_if(terms, [&](const Expr& one) { return is_const_int(one, constant); });
}
bool holds_true(const Clause& clause) {
  return std::any_of(clause.begin(), clause.end(), [](const Expr& one) { return is_const_int(one, 1); });
}

// (a and b) or c is (a or c) and (b or c). The number of clauses doubles with every such pair: past
// `kMostClauses` the condition stays as it is.
constexpr size_t kMostClauses = 64;

std::vector<Clause> clauses_of(const Expr& e) {
  auto* two = as_binary(e);
  if (!two || (e->kind != ExprKind::kAnd && e->kind != ExprKind::kOr)) return {{e}};
  std::vector<Clause> left = clauses_of(two->a), right = clauses_of(two->b);
  if (e->kind == ExprKind::kAnd) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
  }
  std::vector<Clause> all;
  if (left.size() * right.size() > kMostClauses) return {{e}};
  for (const Clause& a : left) {
    for (const Clause& b : right) {
      Clause joint = a;
      joint.insert(joint.end(), b.begin(), b.end());
      all.push_back(std::move(joint));
    }
  }
  return all;
}

class AndOfOrs {
 public:
  AndOfOrs(const Expr& e, AnalyzerImpl& analyzer) : analyzer_(analyzer) {
    for (const Clause& given : clauses_of(e)) {
      Clause clause;
      for (const Expr& term : given) {
        if (!contains(clause, term)) clause.push_back(term);
      }
      bool known = std::any_of(clauses_.begin(), clauses_.end(), [&](const Clause& one) {
        return one.size() == clause.size() && includes(one, clause);
      });
      if (!known) clauses_.push_back(std::move(clause));
    }
  }
  void simplify() {
    for (Clause& clause : clauses_) {
      for (size_t i = 0; i < clause.size(); ++i) {
        for (size_t j = i + 1; j < clause.size(); ++j) combine(ExprKind::kOr, clause[i], clause[j]);
      }
    }
    drop_constants();
    for (size_t i = 0; i < clauses_.size(); ++i) {
      for (size_t j = i + 1; j < clauses_.size(); ++j) combine(clauses_[i], clauses_[j]);
    }
    drop_constants();
  }
  Expr expr() const {
    Expr all = bool_imm(true);
    for (const Clause& clause : clauses_) {
      Expr any = bool_imm(false);
      for (const Expr& term : clause) any = logical_or(any, term);
      all = logical_and(all, any);
    }
    return all;
  }

 private:
  AnalyzerImpl& analyzer_;
  std::vector<Clause> clauses_;

  // Both terms are replaced; where one stands for both, the other becomes neutral.
  void combine(ExprKind kind, Expr& a, Expr& b) {
    Expr joint = build(kind, a, b);
    Expr simple = analyzer_.simplify(joint, 2);
    if (same_expr(simple, joint)) return;
    auto* two = simple->kind == kind ? as_binary(simple) : nullptr;
    a = two ? two->a : Expr(bool_imm(kind == ExprKind::kAnd));
    b = two ? two->b : simple;
  }
  void combine(Clause& one, Clause& two) {
    if (one.size() == 1 && two.size() == 1) return combine(ExprKind::kAnd, one[0], two[0]);
    if (includes(two, one)) {  // the longer one follows from the shorter
      two = {bool_imm(true)};
      return;
    }
    if (includes(one, two)) {
      one = {bool_imm(true)};
      return;
    }
    if (one.size() != two.size()) return;
    // (a or b) and (a or c) is a or (b and c).
    auto own = [](const Clause& clause, const Clause& other) {
      std::vector<size_t> at;
      for (size_t i = 0; i < clause.size(); ++i) {
        if (!contains(other, clause[i])) at.push_back(i);
      }
      return at;
    };
    std::vector<size_t> left = own(one, two), right = own(two, one);
    if (right.size() == 1 && !left.empty()) combine(ExprKind::kAnd, one[left[0]], two[right[0]]);
  }
  void drop_constants() {
    for (Clause& clause : clauses_) {
      if (holds_true(clause)) {
        clause = {bool_imm(true)};
      } else {
        drop(clause, 0);
      }
    }
    for (const Clause& clause : clauses_) {
      if (!clause.empty()) continue;
      clauses_ = {{}};  // nothing is false
      return;
    }
    std::erase_if(clauses_, holds_true);
  }
};

}  // namespace

Expr AnalyzerImpl::as_and_of_ors(const Expr& e) {
  int64_t before = std::exchange(extensions, extensions & ~kConvertBooleanToAndOfOrs);
  AndOfOrs clauses(simplify(e, 2), *this);
  clauses.simplify();
  extensions = before;
  return clauses.expr();
}

}  // namespace mlc::transform
