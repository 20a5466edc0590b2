// SPDX-License-Identifier: Apache-2.0
// What is known about integer expressions: constant bounds, residues, facts that hold in the current
// scope, and the simplifier that uses them.
#pragma once

#include <memory>

#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"

namespace mlc::transform {

using namespace mlc::ir;  // NOLINT: the nodes are the language of this folder

class AnalyzerImpl;

// min <= value <= max for every value the expression can take; the two infinities mean "no bound".
struct ConstIntBound {
  static constexpr int64_t kPosInf = INT64_MAX;
  static constexpr int64_t kNegInf = -INT64_MAX;
  int64_t min = kNegInf;
  int64_t max = kPosInf;
  bool operator==(const ConstIntBound&) const = default;
};

// value == coeff * n + base for some integer n; coeff 0 is the constant base, coeff 1 knows nothing.
struct ModularSet {
  int64_t coeff = 1;
  int64_t base = 0;  // 0 <= base < coeff unless coeff is 0
  bool operator==(const ModularSet&) const = default;
};

enum class Ordering : uint8_t { kUnknown, kLess, kLessEqual, kEqual, kGreaterEqual, kGreater, kNotEqual };

// Knows the variables in scope at one point of a program. Not shared between threads; cheap to make.
// Integer arithmetic is taken not to overflow, as everywhere in index computations.
class Analyzer {
 public:
  Analyzer();
  ~Analyzer();
  Analyzer(const Analyzer&) = delete;
  Analyzer& operator=(const Analyzer&) = delete;

  // `var` is in `range` from now on (a unit range makes it a constant). A later bind replaces it.
  void bind(const Var& var, const Range& range);
  // `var` is this value: it is replaced by it when simplifying.
  void bind(const Var& var, const Expr& value);
  // `var` is within constant bounds.
  void bind(const Var& var, ConstIntBound bound);
  // `var` stays in an arithmetic progression; its bounds stay as they are.
  void bind(const Var& var, ModularSet residues);
  // `var` is a name of `value`. If that comes from memory, sums of `var` may overflow (simplify_value.h).
  void bind_name(const Var& var, const Expr& value);
  void bind_any_number(const Var& var);  // as if it were named after what memory holds
  // Does this know a range or a value of `var`?
  bool knows(const Var& var) const;
  // Another one with the same knowledge, which goes its own way from here.
  std::unique_ptr<Analyzer> clone() const;

  // The same value written simpler: constants right, sums as `i0 * 4 + i1`, provable parts dropped.
  // Returns the same node when nothing changed.
  Expr simplify(const Expr& e, int steps = 2);
  Expr rewrite_simplify(const Expr& e);  // local rules only
  // Rules that have to be asked for, as flags: 1 combines known inequalities, 2 writes conditions as an `and`
  // of `or`s, 4 simplifies each side of `and` and `or` under the condition of the other.
  void enable(int64_t extensions);
  Expr canonical_simplify(const Expr& e);  // sums of (index % upper // lower) * scale

  bool can_prove(const Expr& condition);
  bool simplifies_to_true(const Expr& condition);  // by simplification alone
  bool can_prove_equal(const Expr& a, const Expr& b);
  bool can_prove_equal_numbers(const Expr& a, const Expr& b);  // of integers of any width
  bool can_prove_ge(const Expr& e, int64_t lower);
  bool can_prove_lt(const Expr& e, int64_t upper);
  Ordering compare(const Expr& a, const Expr& b);  // by bounds of the difference and by known facts

  ConstIntBound const_int_bound(const Expr& e);
  ModularSet modular_set(const Expr& e);

  // `condition` holds as long as the returned object lives:
  //   auto inside = analyzer.assume(loop_guard);
  class Assumption {
   public:
    Assumption(Assumption&& other) noexcept
        : impl_(std::exchange(other.impl_, nullptr)), mark_(other.mark_) {}
    Assumption& operator=(Assumption&&) = delete;
    ~Assumption();

   private:
    friend class Analyzer;
    Assumption(class AnalyzerImpl* impl, size_t mark) : impl_(impl), mark_(mark) {}
    class AnalyzerImpl* impl_;
    size_t mark_;
  };
  [[nodiscard]] Assumption assume(const Expr& condition);

  // For the other files of this folder.
  AnalyzerImpl& parts() const { return *impl_; }

 private:
  std::unique_ptr<class AnalyzerImpl> impl_;
};

}  // namespace mlc::transform
