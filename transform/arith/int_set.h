// SPDX-License-Identifier: Apache-2.0
// Sets of integers as intervals with symbolic ends, and the values an expression takes when variables run
// over such sets.
#pragma once

#include "transform/arith/analyzer.h"

namespace mlc::transform {

// A set of integers that an expression may take.
struct IntSetNode : ffi::Object {
  MLC_NODE_BASE("mlc.sym.IntSet", IntSetNode, ffi::Object);
};
using IntSet = Ref<IntSetNode>;

// min_value <= x <= max_value. The ends may be `neg_inf()` and `pos_inf()`; with min_value `pos_inf()` and
// max_value `neg_inf()` nothing is in it.
struct IntervalSetNode final : IntSetNode {
  Expr min_value;
  Expr max_value;

  // Made as one value. Ends that came out as the same constant are no point, as in TVM, where each is an
  // object of its own.
  bool made_as_point = false;

  IntervalSetNode(Expr min_value, Expr max_value, bool made_as_point = false)
      : min_value(std::move(min_value)), max_value(std::move(max_value)), made_as_point(made_as_point) {}
  bool has_lower() const;
  bool has_upper() const;
  bool is_point() const {
    return made_as_point || (min_value.same_as(max_value) && min_value->kind != ExprKind::kIntImm);
  }
  bool is_nothing() const;
  bool is_everything() const;
  MLC_NODE("mlc.sym.IntervalSet", IntervalSetNode, IntSetNode);
};
using IntervalSet = Ref<IntervalSetNode>;

// The two ends that are no numbers: variables named so, compared by identity.
const Var& pos_inf();
const Var& neg_inf();

IntervalSet everything();
IntervalSet nothing();
// The values in both sets.
IntervalSet meet(const IntervalSet& a, const IntervalSet& b, Analyzer& analyzer);
// What a conjunction implies for single variables: `i < n`, `0 <= i`, `i == j`.
std::vector<std::pair<Var, IntervalSet>> domains_of(const Expr& condition);
IntervalSet point(const Expr& value);

using Domains = std::unordered_map<const VarNode*, IntervalSet>;

// What `e` can be while the variables of `domains` run over theirs; other variables stay as they are.
IntervalSet interval_of(const Expr& e, const Domains& domains, Analyzer& analyzer);
// The same for the ends of an interval.
IntervalSet interval_of(const IntervalSet& set, const Domains& domains, Analyzer& analyzer);
// The smallest interval around both.
IntervalSet join(const IntervalSet& a, const IntervalSet& b);
// All values of a range; `[min, min + extent - 1]`, the latter simplified.
IntervalSet interval_of(const Range& range, Analyzer& analyzer);

}  // namespace mlc::transform
