// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/expr_numbers.h"

#include "transform/arith/expr_equal.h"

namespace mlc::transform {
namespace {

// A hash that only equal expressions need to share: kinds, variables and constants.
uint64_t hash(const Expr& e) {
  uint64_t hash = 1469598103934665603U;
  ir::post_order(e, [&](const Expr& part) {
    uint64_t value = static_cast<uint64_t>(part->kind);
    if (auto* var = as<VarNode>(part)) value = reinterpret_cast<uintptr_t>(var) >> 4U;
    if (auto constant = const_int(part)) value = static_cast<uint64_t>(*constant) + 31;
    hash = (hash ^ value) * 1099511628211U;
  });
  return hash;
}

}  // namespace

std::optional<size_t> ExprNumbers::find(const Expr& e) const {
  auto alike = by_hash_.find(hash(e));
  if (alike == by_hash_.end()) return std::nullopt;
  for (size_t number : alike->second) {
    if (same_expr(exprs_[number], e)) return number;
  }
  return std::nullopt;
}

size_t ExprNumbers::add(const Expr& e) {
  if (auto known = find(e)) return *known;
  exprs_.push_back(e);
  by_hash_[hash(e)].push_back(exprs_.size() - 1);
  return exprs_.size() - 1;
}

}  // namespace mlc::transform
