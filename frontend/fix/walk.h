// SPDX-License-Identifier: Apache-2.0
// Every node of a syntax tree, in order of position.
#pragma once

#include "frontend/syntax/ast.h"

namespace mlc::fix {

class Visitor {
 public:
  virtual ~Visitor() = default;
  // Called before what is below; false passes over that.
  virtual bool enter(const syntax::Expr&) { return true; }
  virtual bool enter(const syntax::Stmt&) { return true; }
  virtual void leave(const syntax::Stmt&) {}
  virtual void parameter(const syntax::Arg&) {}
};

void walk(syntax::Seq<syntax::Stmt> stmts, Visitor& visitor);
void walk(const syntax::Stmt* stmt, Visitor& visitor);
void walk(const syntax::Expr* expr, Visitor& visitor);

}  // namespace mlc::fix
