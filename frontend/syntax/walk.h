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

}  // namespace mlc::syntax
