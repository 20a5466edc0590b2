// SPDX-License-Identifier: Apache-2.0
// Normal form and types, kept by one function that parser, passes and scripts use: operands of calls, conditions and
// results are leaves (variables, constants, shapes, tuples of leaves, primitive expressions), and every
// expression has its type.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "ir/relax/operator.h"

namespace mlc::relax {

// Emits bindings in the order of evaluation, with names that are unique in the function.
class BlockBuilder {
 public:
  explicit BlockBuilder(ir::Host& host, IRModule mod = {});
  ~BlockBuilder();
  BlockBuilder(const BlockBuilder&) = delete;

  InferContext& context() { return context_; }
  IRModule module() const { return context_.mod; }
  void set_module(IRModule mod);
  // Adds a function under a name like `hint`, or finds an equal one that was added before.
  GlobalVar add_function(const BaseFunc& fn, std::string_view hint);
  void update_function(const GlobalVar& name, const BaseFunc& fn);

  // ---- scopes ----
  void begin_dataflow_block();
  void begin_binding_block();
  BindingBlock end_block();
  // The same where a sequence of several blocks may have been bound in it: those that have bindings.
  Array<BindingBlock> end_blocks();
  bool in_dataflow() const;
  bool has_block() const { return !blocks_.empty(); }
  // The symbolic variables that the types of the parameters define are known until end_scope.
  void begin_scope(const Array<Var>& params);
  void end_scope();
  bool knows_symbolic(const VarNode* var) const { return symbolic_.count(var) != 0; }
  // Of these those that are dimensions: numbers that are parameters may be negative.
  bool knows_dimension(const VarNode* var) const { return dimensions_.count(var) != 0; }

  // ---- bindings, in the innermost block ----
  Var emit(Expr value, std::string_view hint = {});
  Var emit_match_cast(Expr value, Type ty, std::string_view hint = {});
  // Seen after the dataflow block.
  Var emit_output(Expr value, std::string_view hint = {});
  // A binding whose variable is there already.
  void emit_normalized(Binding binding);
  // The value that the variable is bound to, or null.
  Expr lookup(const Var& var) const;

  // The expression with its type and its operands as leaves, those that are none bound in the innermost block.
  Expr normalize(const Expr& e);
  Expr normalize_operand(const Expr& e);
  // A name that no variable has yet: `hint`, or `hint` and a number.
  std::string unique_name(std::string_view hint);

 private:
  struct Block {
    Array<Binding> bindings;
    bool dataflow = false;
    Array<BindingBlock> before;  // of a sequence whose blocks come one after the other
    // What was bound because it is an operand: an expression that is used twice is computed once.
    std::unordered_map<Expr, Var, ffi::ObjectPtrHash, ffi::ObjectPtrEqual> operands;
  };
  void begin_block(bool dataflow);
  void close_current(Block& block);
  // What binds `var`: known to lookup(), its symbolic variables to the scope.
  void append(Binding binding);
  Expr normalize_call(const CallNode* call);
  Expr normalize_if(const IfNode* branches);
  Expr normalize_function(const FunctionNode* fn);
  // The bindings of `seq` in the blocks at work; returns its value.
  Expr splice(const SeqExprNode* seq);
  // `body` as a sequence of its own in a scope of its own.
  SeqExpr sequence(const Expr& body, const Array<Var>& params);
  void find_functions();

  InferContext context_;
  std::vector<Block> blocks_;
  std::vector<std::vector<Var>> scopes_;  // the symbolic variables that each defines
  std::unordered_set<const VarNode*> symbolic_;
  std::unordered_set<const VarNode*> dimensions_;
  std::unordered_map<const VarNode*, Expr> bound_;
  std::unordered_map<std::string, int> names_;
  bool functions_found_ = false;
  std::unordered_set<std::string> function_names_;
  std::unordered_map<std::string, int> function_numbers_;  // the last one behind a name
  std::unordered_map<uint64_t, std::vector<GlobalVar>> functions_;  // of the module, by a hash
};

// The type of a normalized call.
Type infer_type(const CallNode* call, const InferContext& context);
// The function (all functions of the module) in normal form.
Function normalize(const Function& fn, const InferContext& context);
IRModule normalize(const IRModule& mod, ir::Host& host);

}  // namespace mlc::relax
