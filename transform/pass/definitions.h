// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "transform/pass/pass.h"

namespace mlc::transform {

// The variables that are defined in a statement.
inline std::unordered_set<const VarNode*> defined_in(const Stmt& s) {
  struct Defined final : Walker {
    std::unordered_set<const VarNode*> vars;
    void visit_def(const Var& var) override { vars.insert(var.get()); }
  } found;
  found.visit(s);
  return found.vars;
}

// Is every variable defined once? `lets_repeat`: expressions may name one value several times.
class Definitions final : public Walker {
 public:
  explicit Definitions(bool lets_repeat) : lets_repeat_(lets_repeat) {}
  Var repeated;  // the first that is defined again

  void add(const PrimFunc& fn) {
    for (const Var& param : fn->params) visit_def(param);
    visit(fn->body);
  }
  void visit_def(const Var& var) override {
    if (!seen_.insert(var.get()).second && !repeated) repeated = var;
  }
  void visit(const Expr& e) override {
    auto* let = as<LetNode>(e);
    if (!let || !lets_repeat_) return walk_children(e);
    visit(let->value);
    auto [known, fresh] = values_.try_emplace(let->var.get(), let->value);
    if (fresh || !structural_equal(known->second, let->value)) visit_def(let->var);
    visit(let->body);
  }
  void visit(const Stmt& s) override {
    auto* attr = as<AttrStmtNode>(s);
    if (!attr || lets_repeat_ || !attr->node.as<IterVar>()) return walk_children(s);
    visit(attr->value);  // a thread may be launched again
    visit(attr->body);
  }

 private:
  bool lets_repeat_;
  std::unordered_set<const VarNode*> seen_;
  std::unordered_map<const VarNode*, Expr> values_;
};

}  // namespace mlc::transform
