// SPDX-License-Identifier: Apache-2.0
// Numbers of different expressions, in the order in which they come; the same tree has the same number.
#pragma once

#include <optional>

#include "transform/pass/graph_pass.h"

namespace mlc::transform {

class ExprNumbers {
 public:
  std::optional<size_t> find(const Expr& e) const;
  size_t add(const Expr& e);  // the number of one that is known
  const Expr& operator[](size_t number) const { return exprs_[number]; }
  size_t size() const { return exprs_.size(); }

 private:
  std::vector<Expr> exprs_;
  std::unordered_map<uint64_t, std::vector<size_t>> by_hash_;
};

}  // namespace mlc::transform
