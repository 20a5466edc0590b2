// SPDX-License-Identifier: Apache-2.0
// A function of its own for bindings that are computed together.
#pragma once

#include "transform/pass/graph_pass.h"

namespace mlc::transform {

class GroupFunction {
 public:
  // Constants become parameters, or stay in the function.
  explicit GroupFunction(bool lift_constants) : lift_constants_(lift_constants) {}

  // In the order of the program. A binding that is seen outside of its dataflow block is a result.
  void add(const Binding& binding);
  // A variable of the group that is used outside of it; which of the results it is.
  size_t add_output(const Var& var);
  // Null where nothing is used outside: dead code.
  Function build(Host& host, const IRModule& mod, Map<String, Any> attrs);

  const std::string& name() const { return name_; }
  const std::vector<Expr>& arguments() const { return arguments_; }
  const Binding& last() const { return bindings_.back(); }
  const std::vector<Var>& outputs() const { return outputs_; }
  std::optional<size_t> output_index(const Var& var) const;

 private:
  void need(const Expr& e);
  void use_parts_of_tuples();
  void leave_symbols_to_types();

  bool lift_constants_;
  std::string name_ = "fused";
  std::vector<Binding> bindings_;
  std::vector<Expr> arguments_;
  std::vector<Var> params_;
  std::unordered_map<const ExprNode*, size_t> argument_of_;
  std::unordered_set<const VarNode*> defined_;
  std::vector<Var> outputs_;
  size_t constants_ = 0;
  // Tuples of which only elements are used: those elements, in order of use. Each becomes a parameter.
  std::vector<std::pair<const ExprNode*, std::vector<int64_t>>> partial_;
};

}  // namespace mlc::transform
