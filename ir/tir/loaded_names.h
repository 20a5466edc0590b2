// SPDX-License-Identifier: Apache-2.0
// Integers are of two kinds. Indices count elements that exist, so sums and products of them do not overflow.
// What memory holds or a call returns is any number of its type, and so is what is named after it.
#pragma once

#include <unordered_set>

#include "ir/core/walk_with.h"
#include "ir/tir/op.h"

namespace mlc::ir {

// Can the node itself, whatever its operands are, return any number of its type?
bool returns_any_number(const Expr& e);

// The names that a `let` or a statement binds to such numbers.
class LoadedNames {
 public:
  void bind(const Var& var, const Expr& value) {
    if (depends_on_loads(value)) names_.insert(var.get());
  }
  void add(const Var& var) { names_.insert(var.get()); }
  bool contains(const VarNode* var) const { return names_.contains(var); }
  bool used_in(const Expr& e) const {
    return !names_.empty() && uses_var(e, [this](const VarNode* var) { return contains(var); });
  }

  // Is it such a number itself, whatever its operands are?
  bool is_any_number(const Expr& e) const {
    auto* var = as<VarNode>(e);
    return as<TensorLoadNode>(e) || returns_any_number(e) || (var && contains(var));
  }
  bool depends_on_loads(const Expr& e) const {
    return any_below(e, [this](const Expr& part) { return is_any_number(part); });
  }

  // An index lies in its buffer, so its sums and products do not overflow. Behind anything else in it (a
  // remainder, a clip, a comparison, a mask) those of loaded numbers may: is `e`, a part of an index, such a
  // thing? `A[B[i] * B[i] % 3]`.
  bool operands_may_overflow(const Expr& e) const;

 private:
  std::unordered_set<const VarNode*> names_;
};

}  // namespace mlc::ir
