// SPDX-License-Identifier: Apache-2.0
// Walks and rewrites said where they are used: a function of a node and of the walk, which it tells to
// go on below the node (walk_children, rewrite_children) or elsewhere. It is called with the expressions
// or the statements, whichever it takes (both, where it is an `overloaded`). One that takes statements
// alone does not look into expressions.
#pragma once

#include "ir/core/visit.h"

namespace mlc::ir {

template <class F>
class WalkWith final : public Walker {
 public:
  explicit WalkWith(F& on) : on_(on) {}
  void visit(const Expr& e) override {
    if constexpr (std::is_invocable_v<F&, const Expr&, Walker&>) on_(e, *this);
  }
  void visit(const Stmt& s) override {
    if constexpr (std::is_invocable_v<F&, const Stmt&, Walker&>)
      on_(s, *this);
    else
      walk_children(s);
  }

 private:
  F& on_;
};

template <class Root, class F>
void walk_with(const Root& root, F on) {
  WalkWith<F>(on).visit(root);
}

// Is there an expression or statement below (or the root itself) that the function says yes to?
template <class Root, class F>
bool any_below(const Root& root, F is) {
  bool found = false;
  walk_with(root, [&](const auto& part, Walker& on) {
    if constexpr (std::is_invocable_v<F&, decltype(part)>) found = found || is(part);
    if (!found) on.walk_children(part);
  });
  return found;
}

template <class F>
class RewriteWith final : public Rewriter {
 public:
  explicit RewriteWith(F& on) : on_(on) {}
  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if constexpr (std::is_invocable_v<F&, const Expr&, Rewriter&>)
      return on_(e, *this);
    else
      return e;
  }
  Stmt rewrite(const Stmt& s) override {
    if constexpr (std::is_invocable_v<F&, const Stmt&, Rewriter&>)
      return on_(s, *this);
    else
      return rewrite_children(s);
  }

 private:
  F& on_;
};

template <class Root, class F>
Root rewrite_with(const Root& root, F on) {
  return RewriteWith<F>(on).rewrite(root);
}
// What is below the root, which itself stays.
template <class Root, class F>
Root rewrite_below(const Root& root, F on) {
  return RewriteWith<F>(on).rewrite_children(root);
}
// `next` for `old`, wherever that very expression or statement is.
template <class Root, class Part>
Root replaced(const Root& root, const Part& old, const Part& next) {
  return rewrite_with(
      root, [&](const Part& part, Rewriter& on) { return part.same_as(old) ? next : on.rewrite_children(part); });
}

}  // namespace mlc::ir
