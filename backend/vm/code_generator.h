// SPDX-License-Identifier: Apache-2.0
// What instructions and tensor code of graphs are generated from: bindings in order, each value in a register.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "backend/vm/exec_builder.h"
#include "ir/core/module.h"
#include "ir/relax/expr.h"

namespace mlc::vm {

class CodeGenerator {
 public:
  CodeGenerator(const ir::IRModule& mod, ExecBuilder& builder) : mod_(mod), builder_(builder) {}
  CodeGenerator(const CodeGenerator&) = delete;
  virtual ~CodeGenerator() = default;

  // Errors: vm-no-symbol, vm-not-lowered.
  void function(const relax::Function& fn, std::string_view name);

 protected:
  using Operands = std::vector<Operand>;

  // The function begins; parameters are in the first registers, `first_free` is the first that is not taken.
  virtual Register begin(const std::string& symbol, const relax::Function& fn, const std::vector<std::string>& names) = 0;
  virtual void end(const std::string& symbol, Operand result) = 0;
  // Calls a builtin or a registered function by its name; kVoid: its result is not kept.
  virtual void call_named(const std::string& name, const Operands& args, Register destination) = 0;
  // Calls what a call of a graph calls: a function of the module, a registered one, or a value.
  virtual void call_callee(const ir::Expr& callee, const ir::Array<ir::Expr>& args, Register destination) = 0;
  virtual Operand branches(const relax::IfNode* both) = 0;
  // The value of a variable that is bound to another one.
  virtual Operand renamed(Operand value) = 0;
  virtual FunctionKind kind_of_graphs() const = 0;

  static Operand reg(Register r) { return {Operand::Kind::kRegister, r}; }
  Register fresh() { return registers_++; }
  Operand called(const std::string& name, const Operands& args);
  Operand sequence(const relax::SeqExprNode* seq);
  Operand value(const ir::Expr& e);
  Operands all(const ir::Array<ir::Expr>& exprs);
  Operand global(const ir::GlobalVarNode* var);
  // Null: it is none of the module.
  ir::BaseFunc function_of(const ir::GlobalVarNode* var) const;
  std::string texture_scope(const ir::Expr& device) const;
  [[noreturn]] static void not_lowered(std::string_view what, const ir::Expr& e);

  const ir::IRModule& mod_;
  ExecBuilder& builder_;
  Register registers_ = 0;

 private:
  Operand call(const ir::CallNode* call);

  std::unordered_map<const ir::VarNode*, Operand> values_;
};

// Generates code of every graph of the module, in its order; what is left of the module.
ir::IRModule without_graphs(const ir::IRModule& mod, CodeGenerator& generator);

}  // namespace mlc::vm
