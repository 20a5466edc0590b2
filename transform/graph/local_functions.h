// SPDX-License-Identifier: Apache-2.0
// Functions inside functions of graphs: what they use of what is around them, and names for them in the
// module.
#pragma once

#include <map>

#include "transform/pass/graph_pass.h"

namespace mlc::transform {

struct LocalFunction {
  std::string name;  // that it gets in the module
  Var itself;        // what it is bound to
  std::vector<Var>
      captured;  // variables of the functions around it, symbolic ones too, in order of first use
  bool is_closure() const { return !captured.empty(); }
};

class LocalFunctions {
 public:
  // Errors: symbol-is-taken.
  explicit LocalFunctions(const IRModule& mod);
  bool empty() const { return found_.empty(); }
  const LocalFunction& at(const FunctionNode* fn) const { return found_.at(fn); }
  // Is this the value of a local function that captures something: made here, or returned by what is called?
  bool is_closure(const Expr& e) const { return is_closure(e, 0); }

 private:
  friend struct CollectLocalFunctions;
  bool is_closure(const Expr& e, int depth) const;
  Expr value_of(Expr e) const;

  IRModule mod_;
  std::unordered_map<const FunctionNode*, LocalFunction> found_;
  std::unordered_map<const VarNode*, Expr> bound_;
};

}  // namespace mlc::transform
