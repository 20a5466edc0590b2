// SPDX-License-Identifier: Apache-2.0
// Upper bounds of symbolic dimensions that a function states: attributes `tir_var_upper_bound` and
// `tir_non_negative_var`, by the names of variables of its signature.
#pragma once

#include "transform/arith/analyzer.h"
#include "transform/arith/int_set.h"
#include "transform/pass/graph_pass.h"

namespace mlc::transform {

class UpperBounds {
 public:
  explicit UpperBounds(const Function& fn);
  // Each dimension as large as it can become; one without a bound stays as it is.
  Array<Expr> of(const Array<Expr>& shape);
  Analyzer& analyzer() { return analyzer_; }

 private:
  Analyzer analyzer_;
  Domains domains_;
};

}  // namespace mlc::transform
