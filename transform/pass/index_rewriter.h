// SPDX-License-Identifier: Apache-2.0
// Integers of indices under other types: what NarrowDataType and ForceNarrowIndexToInt32 share.
#pragma once

#include "transform/pass/buffer_types.h"
#include "transform/pass/pass.h"

namespace mlc::transform {

// A rewriter that knows the context of an index (indices, ranges of loops, threads and blocks, types of
// buffers) and keeps types together when variables change theirs: ranges follow their variable, names their
// value, the operands of one expression the wider of them. What is written to memory or stored under a type
// stays of it.
class IndexRewriter : public BufferTypeRewriter {
 public:
  using BufferTypeRewriter::rewrite;
  Stmt rewrite(const Stmt& s) override;
  Var rewrite_def(const Var& var) override { return var->buffer() ? mapped(var) : narrowed(var); }

 protected:
  bool is_index_ = false;      // in an index, or in the body of a thread
  bool is_condition_ = false;  // in the condition of a branch or a choice
  std::unordered_map<const VarNode*, Var> vars_;

  Var retyped(const Var& var, DataType type) {
    Var& next = vars_[var.get()];
    if (!next) next = make_var(var->name, type, var->span);
    return next;
  }
  // A variable where it is used: as it was defined, or narrowed where an index is the first to name it.
  Expr use_of(const VarNode* var) {
    if (var->buffer()) return mapped(ref(var));
    auto known = vars_.find(var);
    if (known != vars_.end()) return known->second;
    return is_index_ ? narrowed(ref(var)) : Var(ref(var));
  }
  // The variable of a loop, thread or block as it is afterwards.
  virtual Var narrowed(const Var& var) = 0;
  virtual Array<Expr> rewrite_indices(const Array<Expr>& indices) { return index(indices); }
  Buffer map_buffer(const Buffer& buffer) override {
    return as_index([&] { return BufferTypeRewriter::map_buffer(buffer); });
  }

  // Everything but variables, constants, casts, operators and calls, whose types the pass decides.
  Expr rewrite_other(const Expr& e);
  Expr rewrite_choice(const CallNode& if_then_else);

  template <class F>
  std::invoke_result_t<F> as_index(F rewritten) {
    bool outside = std::exchange(is_index_, true);
    auto result = rewritten();
    is_index_ = outside;
    return result;
  }
  Expr index(const Expr& e) {
    return as_index([&] { return rewrite(e); });
  }
  Array<Expr> index(const Array<Expr>& all) {
    return as_index([&] { return rewrite(all); });
  }
  Expr condition(const Expr& e) {
    bool outside = std::exchange(is_condition_, true);
    Expr result = rewrite(e);
    is_condition_ = outside;
    return result;
  }

 private:
  Stmt rewrite_loop(const ForNode& loop);
  Stmt rewrite_bind(const BindNode& bind);
  Stmt rewrite_thread(const AttrStmtNode& attr, const IterVar& thread);
  Stmt rewrite_realize(const SBlockRealizeNode& realize);
  Stmt rewrite_block(const SBlockNode& block);
};

}  // namespace mlc::transform
