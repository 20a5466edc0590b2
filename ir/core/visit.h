// SPDX-License-Identifier: Apache-2.0
// Exhaustive dispatch over kinds, and walking and rewriting that follow the field lists of the nodes.
#pragma once

#include <unordered_set>

#include "ir/core/module.h"

namespace mlc::ir {

template <class... Fs>
struct overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
overloaded(Fs...) -> overloaded<Fs...>;

// Calls `visitor` with the node at its own type. Every kind must be answered (a base such as
// BinaryNode answers for all its kinds); a new kind does not compile until all dispatches know it.
template <class V>
decltype(auto) dispatch(const ExprNode* node, V&& visitor) {
  switch (node->kind) {
#define X(name)           \
  case ExprKind::k##name: \
    return visitor(static_cast<const name##Node*>(node));
    MLC_EXPR_KINDS(X)
#undef X
#define X(name) case ExprKind::k##name:
    MLC_GRAPH_EXPR_KINDS(X)
#undef X
    break;
  }
  throw InternalError(__FILE__, __LINE__, "a part of a graph among expressions of tensor code");
}
template <class V>
decltype(auto) dispatch(const Expr& e, V&& visitor) {
  return dispatch(e.get(), std::forward<V>(visitor));
}
template <class V>
decltype(auto) dispatch(const StmtNode* node, V&& visitor) {
  switch (node->kind) {
#define X(name)           \
  case StmtKind::k##name: \
    return visitor(static_cast<const name##Node*>(node));
    MLC_STMT_KINDS(X)
#undef X
  }
  throw InternalError(__FILE__, __LINE__, "statement of unknown kind");
}
template <class V>
decltype(auto) dispatch(const Stmt& s, V&& visitor) {
  return dispatch(s.get(), std::forward<V>(visitor));
}

// The node as kind N, or null. One byte compare.
template <class N>
const N* as(const Expr& e) {
  return e && e->kind == N::kKind ? static_cast<const N*>(e.get()) : nullptr;
}
template <class N>
const N* as(const Stmt& s) {
  return s && s->kind == N::kKind ? static_cast<const N*>(s.get()) : nullptr;
}
inline const BinaryNode* as_binary(const Expr& e) {
  return e && e->kind >= ExprKind::kAdd && e->kind <= ExprKind::kRShift
             ? static_cast<const BinaryNode*>(e.get())
             : nullptr;
}

// Read-only walk of tensor code; parts of graphs have walks of their own (ir/relax/visit.h), and end this one.
// Override visit() for the kinds of interest and call walk_children() to go on.
// Buffers reached through BufferStore, TensorLoad and regions come to visit_buffer, variables that are
// defined to visit_def; by default both do nothing.
class Walker {
 public:
  virtual ~Walker() = default;
  virtual void visit(const Expr& e) { walk_children(e); }
  virtual void visit(const Stmt& s) { walk_children(s); }
  virtual void visit_buffer(const Buffer& buffer) {}
  virtual void visit_def(const Var& var) {}

  void walk_children(const Expr& e);
  void walk_children(const Stmt& s);
};

// Copy-on-write rewrite. Override rewrite() for the kinds of interest and call rewrite_children() for
// the rest: it returns the same node when nothing below changed. Uses of buffers come to
// rewrite_buffer, definitions to rewrite_def (both: identity by default; a def's change is not
// propagated to uses, map those too).
class Rewriter {
 public:
  virtual ~Rewriter() = default;
  virtual Expr rewrite(const Expr& e) { return rewrite_children(e); }
  virtual Stmt rewrite(const Stmt& s) { return rewrite_children(s); }
  virtual Buffer rewrite_buffer(const Buffer& buffer) { return buffer; }
  virtual Var rewrite_def(const Var& var) { return var; }

  Expr rewrite_children(const Expr& e);
  Stmt rewrite_children(const Stmt& s);
  Range rewrite(const Range& range);
  TensorRegion rewrite_region(const TensorRegion& region);  // through rewrite(Expr)
  Array<Expr> rewrite(const Array<Expr>& exprs);
};

// Every expression and statement below (and including) root, children before parents.
void post_order(const Stmt& root, const std::function<void(const Expr&)>& on_expr,
                const std::function<void(const Stmt&)>& on_stmt = nullptr);
void post_order(const Expr& root, const std::function<void(const Expr&)>& on_expr);

// Simultaneous replacement of free variables. Values of buffer variables must be buffers.
using VarMap = std::unordered_map<const VarNode*, Expr>;
Expr substitute(const Expr& e, const VarMap& values);
Stmt substitute(const Stmt& s, const VarMap& values);
Range substitute(const Range& range, const VarMap& values);
TensorRegion substitute(const TensorRegion& region, const VarMap& values);
// Replaces buffers only (loads, stores, regions, alloc and match buffers, Var uses).
Stmt replace_buffers(const Stmt& s, const std::unordered_map<const VarNode*, Buffer>& buffers);

bool uses_var(const Expr& e, const std::function<bool(const VarNode*)>& predicate);
bool uses_var(const Stmt& s, const std::function<bool(const VarNode*)>& predicate);
// Free variables in order of first use (buffers included).
std::vector<Var> free_vars(const Expr& e);
std::vector<Var> free_vars(const PrimFunc& fn);

}  // namespace mlc::ir
