// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/shape_heap.h"

#include <utility>

namespace mlc::transform {

namespace {

// The variables that a result or a match_cast is made of.
class NeededVars final : public relax::Visitor {
 public:
  explicit NeededVars(const Function& fn) {
    struct Bindings final : relax::Visitor {
      void visit(const Expr& e) override {
        if (!as<FunctionNode>(e)) walk_children(e);
      }
      void visit_binding(const Binding& binding) override {
        values[binding->var.get()] = binding->value;
        if (as_match_cast(binding)) casts.push_back(binding->value);
        walk_binding(binding);
      }
      std::unordered_map<const VarNode*, Expr> values;
      std::vector<Expr> casts;
    } bindings;
    bindings.visit(fn->body);
    left_ = std::move(bindings.casts);
    left_.push_back(fn->body->body);
    while (!left_.empty()) {
      Expr e = std::move(left_.back());
      left_.pop_back();
      visit(e);
      for (const VarNode* var : found_) {
        auto value = bindings.values.find(var);
        if (value != bindings.values.end()) left_.push_back(value->second);
      }
      found_.clear();
    }
  }
  bool holds(const VarNode* var) const { return needed_.count(var) != 0; }

 private:
  void visit(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) {
      if (needed_.insert(var).second) found_.push_back(var);
    } else if (auto* shape = as<ShapeExprNode>(e)) {
      for (const Expr& value : shape->values) {
        for (const Var& var : ir::free_vars(value)) visit(var);
      }
    } else if (auto* seq = as<SeqExprNode>(e)) {
      visit(seq->body);
    } else if (!as<FunctionNode>(e)) {
      walk_children(e);
    }
  }

  std::unordered_set<const VarNode*> needed_;
  std::vector<const VarNode*> found_;
  std::vector<Expr> left_;
};

}  // namespace

// In the order of the program: types of parameters, operands and types of bindings, the result.
class ShapeHeap::Collect final : public relax::Visitor {
 public:
  Collect(ShapeHeap& heap, const Function& fn) : heap_(heap), needed_(fn) {
    for (const Var& param : fn->params) visit_type(param->ty);
    visit(fn->body);
    visit_type(fn->ret_ty);
  }

 private:
  void visit(const Expr& e) override {
    if (as<FunctionNode>(e)) return;  // has a heap of its own
    if (auto* shape = as<ShapeExprNode>(e)) {
      for (const Expr& value : shape->values) add_size(value);
      return;
    }
    auto* called = as<CallNode>(e);
    if (called && (called->op->kind != ExprKind::kOp || operator_of(called->op))) return visit_call(called);
    if (auto* var = as<VarNode>(e); var && !is_size(var)) return;
    if (is_prim(e) && e->kind != ExprKind::kTupleGetItem && !is_graph_kind(e->kind)) {
      heap_.add(e);
      return;
    }
    if (auto* call = as<CallNode>(e)) return visit_call(call);
    walk_children(e);
  }
  void visit_call(const CallNode* call) {
    for (const Type& type : call->ty_args) visit_type(type);
    for (const Expr& arg : call->args) visit(arg);
  }
  void visit_binding(const Binding& binding) override {
    if (const MatchCastNode* cast = as_match_cast(binding)) return visit_type(cast->ty);
    bool outer = std::exchange(in_needed_, needed_.holds(binding->var.get()));
    visit(binding->value);
    in_needed_ = outer;
    bound_.insert(binding->var.get());
    if (binding->var->ty) visit_type(binding->var->ty);
  }
  void visit_type(const Type& type) override {
    if (!type) return;
    if (const auto* tensor = as_type<TensorTypeNode>(type)) {
      if (tensor->shape) visit(tensor->shape);
    } else if (const auto* shape = as_type<ShapeTypeNode>(type)) {
      if (!shape->values.has_value()) return;
      for (const Expr& value : shape->values.value()) add_size(value);
    } else if (const auto* tuple = as_type<TupleTypeNode>(type)) {
      for (const Type& field : tuple->elements) visit_type(field);
    }
  }

  void add_size(const Expr& e) {
    heap_.add(e);
    for (const Var& var : ir::free_vars(e)) heap_.add(var);
  }
  // The heap holds int64 alone: other numbers that bindings compute stay in their variables, as do numbers
  // that nothing needs.
  bool is_size(const VarNode* var) const {
    const auto* number = as_type<ir::PrimTypeNode>(var->ty);
    return number != nullptr && in_needed_ &&
           (bound_.count(var) == 0 || DataType(number->dtype) == DataType::Int(64));
  }

  std::unordered_set<const VarNode*> bound_;
  bool in_needed_ = true;
  ShapeHeap& heap_;
  NeededVars needed_;
};

size_t ShapeHeap::add(const Expr& e) {
  if (e->kind == ExprKind::kIntImm || e->kind == ExprKind::kFloatImm) return 0;
  size_t number = numbers_.add(e);
  if (number == slots_.size()) slots_.push_back({e, {}, 0, false});
  return number;
}

bool ShapeHeap::holds(const Expr& e) const { return numbers_.find(e).has_value(); }
size_t ShapeHeap::index_of(const Expr& e) const {
  auto slot = numbers_.find(e);
  MLC_CHECK(slot, "a symbolic expression has no slot");
  return *slot;
}

ShapeHeap::ShapeHeap(const Function& fn) {
  Collect(*this, fn);
  // The last one first, the order of TVM's table where no hashes (of addresses) collide.
  for (size_t i = slots_.size(); i-- > 0;) {
    if (slots_[i].expr->kind == ExprKind::kVar) continue;
    for (const Var& var : ir::free_vars(slots_[i].expr)) {
      auto slot = numbers_.find(var);
      if (slot) slots_[*slot].users.push_back(i);
      ++slots_[i].waiting;  // of what nothing defines, for ever
    }
  }
}

void ShapeHeap::define(size_t slot) {
  slots_[slot].computed = true;
  defined_.push_back(slot);
}

std::vector<size_t> ShapeHeap::take_ready() {
  std::vector<size_t> ready;
  for (size_t variable : defined_) {
    for (size_t user : slots_[variable].users) {
      if (--slots_[user].waiting == 0) ready.push_back(user);
    }
  }
  defined_.clear();
  for (size_t slot : ready) slots_[slot].computed = true;
  return ready;
}

}  // namespace mlc::transform
