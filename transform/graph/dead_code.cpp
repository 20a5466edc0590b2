// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/dead_code.h"

#include "ir/relax/numbers.h"
#include "transform/graph/blocks.h"
#include "transform/graph/global_vars.h"

namespace mlc::transform {
namespace {

using VarSet = std::unordered_set<const VarNode*>;

// The variables that results, effects and checks need, through the values of others.
class Needed final : public relax::Visitor {
 public:
  VarSet find(const Function& fn) {
    visit(fn);
    VarSet needed;
    std::vector<const VarNode*> left = std::move(roots_);
    while (!left.empty()) {
      const VarNode* var = left.back();
      left.pop_back();
      if (!needed.insert(var).second) continue;
      if (auto found = uses_.find(var); found != uses_.end())
        left.insert(left.end(), found->second.begin(), found->second.end());
    }
    return needed;
  }

 private:
  void visit(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) return use(var);
    if (as<ShapeExprNode>(e) || relax::is_arithmetic(e)) {
      for (const Var& var : relax::vars_of_numbers(e)) use(var.get());
    } else {
      walk_children(e);
    }
  }
  void visit_binding(const Binding& binding) override {
    const VarNode* var = binding->var.get();
    if (as_match_cast(binding) || contains_impure_call(binding->value)) roots_.push_back(var);
    const VarNode* around = std::exchange(user_, var);
    walk_binding(binding);
    user_ = around;
  }
  // A shape in the type of a tensor may be a variable.
  void visit_type(const Type& type) override {
    if (const auto* tuple = as_type<TupleTypeNode>(type)) {
      for (const Type& field : tuple->elements) visit_type(field);
    } else if (const auto* tensor = as_type<TensorTypeNode>(type)) {
      if (tensor->shape) visit(tensor->shape);
    }
  }
  void use(const VarNode* var) {
    if (user_) {
      uses_[user_].push_back(var);
    } else {
      roots_.push_back(var);
    }
  }

  const VarNode* user_ = nullptr;  // the variable whose value is walked
  std::unordered_map<const VarNode*, std::vector<const VarNode*>> uses_;
  std::vector<const VarNode*> roots_;
};

struct RemoveUnused final : relax::Rewriter {
  const VarSet& needed;
  explicit RemoveUnused(const VarSet& needed) : needed(needed) {}

  BindingBlock rewrite_block(const BindingBlock& block) override {
    Array<Binding> kept;
    bool changed = false;
    for (const Binding& binding : block->bindings) {
      if (needed.count(binding->var.get()) == 0) {
        changed = true;
        continue;
      }
      kept.push_back(rewrite_binding(binding));
      changed = changed || !kept.back().same_as(binding);
    }
    return changed ? with_bindings(block, kept) : block;
  }
};

}  // namespace

Function without_unused_bindings(const Function& fn) {
  VarSet needed = Needed().find(fn);
  Function next = RemoveUnused(needed).rewrite(fn).as<Function>().value();
  return next.same_as(fn) ? fn : join_blocks(next);
}

IRModule without_dead_code(const IRModule& mod, const Array<String>& entries) {
  for (const String& name : entries) mod->lookup(text(name));
  IRModule next = without_unreached_functions(mod, entries);
  next = relax::map_functions(
      next, [](const GlobalVar&, const Function& fn) { return without_unused_bindings(fn); });
  return without_unreached_functions(next, entries);
}

}  // namespace mlc::transform
