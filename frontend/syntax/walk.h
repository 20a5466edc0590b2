// SPDX-License-Identifier: Apache-2.0
// Every node of a syntax tree, in order of position.
#pragma once

#include "frontend/syntax/ast.h"

namespace mlc::syntax {

class Visitor {
 public:
  virtual ~Visitor() = default;
  // Called before what is below; false passes over that.
  virtual bool enter(const Expr&) { return true; }
  virtual bool enter(const Stmt&) { return true; }
  virtual void leave(const Stmt&) {}
  virtual void parameter(const Arg&) {}
};

void walk(Seq<Stmt> stmts, Visitor& visitor);
void walk(const Stmt* stmt, Visitor& visitor);
void walk(const Expr* expr, Visitor& visitor);

// Every expression in `root`; where `visit` says false, not what is below.
template <class F>
void each_expr(const auto& root, F visit) {
  struct Each final : Visitor {
    explicit Each(F& visit) : visit_(visit) {}
    bool enter(const Expr& e) override { return visit_(e); }
    F& visit_;
  } each(visit);
  walk(root, each);
}

}  // namespace mlc::syntax
