// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/symbolic_uses.h"

#include "ir/relax/numbers.h"

namespace mlc::transform {
namespace {

struct Uses final : Visitor {
  std::vector<Var> used;
  std::unordered_set<const VarNode*> known;  // found already, or defined inside

  void visit(const Expr& e) override {
    if (auto* shape = as<ShapeExprNode>(e)) {
      for (const Expr& dim : shape->values) use(dim);
    } else if (relax::is_arithmetic(e)) {
      use(e);
    } else {
      if (auto* fn = as<FunctionNode>(e)) {
        for (const Var& param : fn->params) define(param);
      }
      walk_children(e);
    }
  }
  void visit_binding(const Binding& binding) override {
    if (const MatchCastNode* cast = as_match_cast(binding)) {
      visit(binding->value);
      for (const Var& var : definable_vars(cast->ty)) known.insert(var.get());
    }
    walk_binding(binding);
  }
  void visit_def(const Var& var) override { known.insert(var.get()); }
  void visit_type(const Type& type) override {
    for (const Var& var : symbolic_vars(type)) add(var);
  }
  void define(const Var& param) {
    known.insert(param.get());
    for (const Var& var : definable_vars(param->ty)) known.insert(var.get());
  }
  void use(const Expr& e) {
    ir::post_order(e, [&](const Expr& part) {
      if (auto* var = as<VarNode>(part)) add(ref(var));
    });
  }
  void add(const Var& var) {
    if (known.insert(var.get()).second) used.push_back(var);
  }
};

}  // namespace

std::vector<Var> symbolic_uses(const Expr& body) {
  Uses uses;
  uses.visit(body);
  return uses.used;
}

}  // namespace mlc::transform
