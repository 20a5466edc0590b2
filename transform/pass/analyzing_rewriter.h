// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transform/arith/analyzer.h"

namespace mlc::transform {

// A Rewriter whose analyzer knows the loops, threads, names and branches around what is being rewritten.
class AnalyzingRewriter : public Rewriter {
 public:
  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override;
  Stmt rewrite(const Stmt& s) override;

 protected:
  Analyzer analyzer;

 private:
  // Rewrites `x` where `condition` holds.
  template <class T>
  T where(const Expr& condition, const T& x);
};

}  // namespace mlc::transform
