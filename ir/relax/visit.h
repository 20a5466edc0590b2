// SPDX-License-Identifier: Apache-2.0
// Walks and rewrites of graphs. Both go through bindings in a loop, so that functions of 100,000 bindings do not
// exhaust the stack.
#pragma once

#include <unordered_set>

#include "ir/core/visit.h"
#include "ir/registry/host.h"
#include "ir/relax/expr.h"

namespace mlc::relax {

class BlockBuilder;

// Every element as `change` makes it; the same list where all stay the same.
template <class T, class F>
Array<T> map_array(const Array<T>& all, F change) {
  for (size_t i = 0; i < all.size(); ++i) {
    T next = change(all[i]);
    if (next.same_as(all[i])) continue;
    Array<T> changed(all.begin(), all.begin() + static_cast<int64_t>(i));
    changed.push_back(next);
    for (size_t j = i + 1; j < all.size(); ++j) changed.push_back(change(all[j]));
    return changed;
  }
  return all;
}

// Read-only walk. Override visit() and the visit_... of what is of interest, and call walk_children() to go on.
// Primitive expressions, types and tensor functions are not looked into.
class Visitor {
 public:
  virtual ~Visitor() = default;
  virtual void visit(const Expr& e) { walk_children(e); }
  virtual void visit_binding(const Binding& binding) { walk_binding(binding); }
  virtual void visit_block(const BindingBlock& block) { walk_block(block); }
  virtual void visit_def(const Var& var) {}
  // Of variables that are defined, ty_args, match_casts.
  virtual void visit_type(const Type& type) {}

  void walk_children(const Expr& e);
  void walk_binding(const Binding& binding);
  void walk_block(const BindingBlock& block);
};

// Copy-on-write rewrite that leaves types and normal form as they are: for what changes names, operators,
// attributes, or replaces leaves by leaves of equal types. What makes new calls is a Mutator.
class Rewriter {
 public:
  virtual ~Rewriter() = default;
  virtual Expr rewrite(const Expr& e) { return rewrite_children(e); }
  virtual Binding rewrite_binding(const Binding& binding) { return rewrite_binding_children(binding); }
  virtual BindingBlock rewrite_block(const BindingBlock& block) { return rewrite_block_children(block); }
  virtual Var rewrite_def(const Var& var) { return var; }
  virtual Type rewrite_type(const Type& type) { return type; }

  Expr rewrite_children(const Expr& e);
  Binding rewrite_binding_children(const Binding& binding);
  BindingBlock rewrite_block_children(const BindingBlock& block);
};

// A rewrite whose results are normalized again: an override of rewrite() may return any expression, and emit
// bindings before it through `builder`. Variables whose value changes its type are replaced by new ones, wherever
// they are used.
class Mutator {
 public:
  Mutator(ir::Host& host, const IRModule& mod);
  explicit Mutator(std::shared_ptr<BlockBuilder> builder);  // one that others emit through, too
  virtual ~Mutator();

  virtual Expr rewrite(const Expr& e) { return rewrite_children(e); }
  virtual void rewrite_binding(const Binding& binding);
  virtual BindingBlock rewrite_block(const BindingBlock& block);
  virtual Var rewrite_def(const Var& var) { return var; }
  virtual Type rewrite_type(const Type& type) { return type; }

  Function rewrite_function(const Function& fn);
  Expr rewrite_children(const Expr& e);
  // Bodies of functions and branches: a scope of their own.
  SeqExpr rewrite_body(const SeqExpr& body, const Array<Var>& params = {});
  // The expression that the variable is bound to in what was rewritten so far, or null.
  Expr lookup(const Var& var) const;
  // From here on `var` is written as `value`.
  void map_var(const Var& var, Expr value);

 protected:
  // Binds what `value` has become to `var` or a variable like it.
  void bind(const Binding& old, const Expr& value);
  std::shared_ptr<BlockBuilder> builder_;
  std::unordered_map<const VarNode*, Expr> mapped_;
};

// Functions of the module that are graphs, each rewritten; the others stay.
template <class F>
IRModule map_functions(const IRModule& mod, F change) {
  IRModule result = mod;
  for (const auto& [name, fn] : mod->functions) {
    auto* graph = fn.template as<FunctionNode>();
    if (!graph) continue;
    Function next = change(name, ref(graph));
    if (!next.same_as(fn)) result = ir::with_function(result, name, next);
  }
  return result;
}

// A number of tensor code, such as T.max(n, 1), and no call of a graph.
bool is_tensor_code(const CallNode* call);
// Simultaneous replacement of variables (symbolic ones in types and shapes, too).
Expr substitute(const Expr& e, const ir::VarMap& values);
// Every expression below and including `root`, operands before their calls.
void post_order(const Expr& root, const std::function<void(const Expr&)>& on_expr);
// Free variables (not symbolic ones) in order of first use; all; those that are bound.
std::vector<Var> free_vars(const Expr& e);
std::vector<Var> all_vars(const Expr& e);
std::vector<Var> bound_vars(const Expr& e);
// The same with new variables everywhere: a copy that may stand beside the original.
Function with_new_vars(const Function& fn);

}  // namespace mlc::relax
