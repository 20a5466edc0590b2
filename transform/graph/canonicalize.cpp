// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/canonicalize.h"

#include "ir/relax/numbers.h"
#include "transform/graph/blocks.h"

namespace mlc::transform {
namespace {

// ---- symbolic variables ----

class WriteKnownSizes final : public Mutator {
 public:
  WriteKnownSizes(Host& host, const IRModule& mod) : Mutator(host, mod), context_(host, mod) {}

  Expr rewrite(const Expr& e) override {
    if (relax::is_arithmetic(e)) {
      Expr next = known_.empty() ? e : ir::substitute(e, known_);
      return next.same_as(e) ? rewrite_children(e) : context_.simplify(next);
    }
    if (auto* branches = as<IfNode>(e)) return rewrite_if(branches);
    if (auto* fn = as<FunctionNode>(e)) return rewrite_function_of_graph(fn);
    return rewrite_children(e);
  }
  Type rewrite_type(const Type& type) override { return relax::substitute(type, known_, context_); }
  Var rewrite_def(const Var& var) override {
    Type type = rewrite_type(var->ty);
    return type.same_as(var->ty) ? var : copy_var(var, type);
  }
  void rewrite_binding(const Binding& binding) override {
    if (const MatchCastNode* cast = as_match_cast(binding)) {
      Expr value = rewrite(cast->value);
      if (value->ty) learn(cast->ty, value->ty);
    }
    Mutator::rewrite_binding(binding);
  }

 private:
  // What the cast to `pattern` defines. A variable that was there before is checked, not defined.
  void learn(const Type& pattern, const Type& seen) {
    auto *fields = as_type<TupleTypeNode>(pattern), *seen_fields = as_type<TupleTypeNode>(seen);
    if (fields && seen_fields && fields->elements.size() == seen_fields->elements.size()) {
      for (size_t i = 0; i < fields->elements.size(); ++i)
        learn(fields->elements[i], seen_fields->elements[i]);
      return;
    }
    auto sizes = sizes_of(pattern), seen_sizes = sizes_of(seen);
    if (!sizes || !seen_sizes || sizes->size() != seen_sizes->size()) return;
    for (size_t i = 0; i < sizes->size(); ++i) {
      auto* var = as<VarNode>((*sizes)[i]);
      if (var && !builder_->knows_symbolic(var)) known_.try_emplace(var, (*seen_sizes)[i]);
    }
  }
  static std::optional<Array<Expr>> sizes_of(const Type& type) {
    if (const auto* tensor = as_type<TensorTypeNode>(type)) return tensor->dims();
    const auto* shape = as_type<ShapeTypeNode>(type);
    if (shape && shape->values.has_value()) return shape->values.value();
    return std::nullopt;
  }

  Expr rewrite_if(const IfNode* branches) {
    Expr cond = rewrite(branches->cond);
    ir::VarMap before = known_;
    SeqExpr then_case = rewrite_body(branches->true_branch);
    known_ = before;
    SeqExpr else_case = rewrite_body(branches->false_branch);
    known_ = std::move(before);
    if (cond.same_as(branches->cond) && then_case.same_as(branches->true_branch) &&
        else_case.same_as(branches->false_branch))
      return ref(branches);
    // Sizes that only one branch knows would leave less in common than there was: the type stays.
    Type type = rewrite_type(branches->ty);
    return make<IfNode>(cond, cast_to(then_case, type, "then_branch_with_dyn"),
                        cast_to(else_case, type, "else_branch_with_dyn"), type, branches->span);
  }
  static SeqExpr cast_to(const SeqExpr& branch, const Type& type, std::string_view name) {
    if (ir::structural_equal(Any(branch->ty), Any(type))) return branch;
    Var var = relax::make_var(false, String(std::string(name)), type);
    Binding cast = make<MatchCastNode>(var, branch->body, type, branch->span);
    Array<BindingBlock> blocks = branch->blocks;
    blocks.push_back(make<BindingBlockNode>(Array<Binding>{cast}));
    return make<SeqExprNode>(blocks, var, branch->span);
  }

  Expr rewrite_function_of_graph(const FunctionNode* fn) {
    ir::VarMap before = known_;
    Expr next = rewrite_children(ref(fn));
    known_ = std::move(before);
    if (next.get() == fn) return next;
    // More may be known of the result now; where less is, what was declared stays.
    auto* changed = static_cast<const FunctionNode*>(next.get());
    if (relax::fits(changed->body->ty, changed->ret_ty, context_) == relax::Fit::kAlways) return next;
    return builder_->normalize(make<FunctionNode>(changed->params, changed->body, Type(nullptr),
                                                  changed->is_pure, changed->attrs, changed->span));
  }

  InferContext context_;
  ir::VarMap known_;
};

// ---- bindings ----

struct Plan {
  std::unordered_map<const VarNode*, Var> used_as;   // what is written where the variable is used
  std::unordered_map<const VarNode*, Var> bound_as;  // the variable that its binding defines
  std::unordered_map<const VarNode*, Expr> constants;
  std::unordered_set<const VarNode*> removed;  // whose bindings go
};

Var at_end_of(const std::unordered_map<const VarNode*, Var>& chain, Var var) {
  for (auto found = chain.find(var.get()); found != chain.end(); found = chain.find(var.get()))
    var = found->second;
  return var;
}

class FindPlan final : public relax::Visitor {
 public:
  Plan find(const Function& fn) {
    visit(fn);
    for (const Var& var : in_dataflow_) {
      if (is_dataflow(var) || seen_outside_.count(var.get()) != 0) continue;
      Var inner = relax::make_var(true, var->name, var->ty, var->span);
      plan_.bound_as[var.get()] = inner;
      plan_.used_as[var.get()] = inner;
    }
    for (const Var& var : copies_) {
      Var source = at_end_of(plan_.bound_as, at_end_of(copy_of_, var));
      plan_.removed.insert(var.get());
      if (is_dataflow(var) || !is_dataflow(source) || seen_outside_.count(var.get()) == 0) {
        plan_.used_as[var.get()] = source;
      } else {  // what is seen outside keeps its name, and takes the place of the dataflow variable
        plan_.bound_as[source.get()] = var;
        plan_.used_as[source.get()] = var;
      }
    }
    return std::move(plan_);
  }

 private:
  void visit(const Expr& e) override {
    switch (e->kind) {
      case ExprKind::kVar:
        return use(static_cast<const VarNode*>(e.get()));
      case ExprKind::kSeqExpr: {
        const BindingBlockNode* around = std::exchange(block_, nullptr);
        walk_children(e);
        block_ = around;
        return;
      }
      case ExprKind::kFunction: {
        // What it captures is seen outside of its block.
        for (const Var& var : relax::free_vars(e)) seen_outside_.insert(var.get());
        for (const Var& var : relax::vars_of_numbers(e)) seen_outside_.insert(var.get());
        const BindingBlockNode* around = std::exchange(block_, nullptr);
        walk_children(e);
        block_ = around;
        return;
      }
      default:
        if (e->kind != ExprKind::kShapeExpr && !relax::is_arithmetic(e)) return walk_children(e);
        for (const Var& var : relax::vars_of_numbers(e)) use(var.get());
    }
  }
  void visit_block(const BindingBlock& block) override {
    block_ = block.get();
    walk_block(block);
    block_ = nullptr;
  }
  void visit_binding(const Binding& binding) override {
    const MatchCastNode* cast = as_match_cast(binding);
    Expr value = without_detour(binding->value);
    bool says_nothing = !cast || ir::structural_equal(Any(binding->var->ty), Any(cast->value->ty));
    if (auto* source = as<VarNode>(value); source && says_nothing) {
      copy_of_[binding->var.get()] = ref(source);
      copies_.push_back(binding->var);
    }
    if (value->kind == ExprKind::kGenericConst) plan_.constants[binding->var.get()] = value;
    value_of_[binding->var.get()] = value;
    block_of_[binding->var.get()] = block_;
    walk_binding(binding);
  }
  void visit_def(const Var& var) override {
    if (in_dataflow_block()) in_dataflow_.push_back(var);
  }
  // A shape in the type of a tensor may be a variable.
  void visit_type(const Type& type) override {
    if (const auto* tuple = as_type<TupleTypeNode>(type)) {
      for (const Type& field : tuple->elements) visit_type(field);
    } else if (const auto* tensor = as_type<TensorTypeNode>(type)) {
      if (auto* shape = as<VarNode>(tensor->shape)) use(shape);
    }
  }
  void use(const VarNode* var) {
    auto home = block_of_.find(var);
    if (!in_dataflow_block() || (home != block_of_.end() && home->second != block_))
      seen_outside_.insert(var);
  }
  bool in_dataflow_block() const { return block_ && block_->IsInstance<DataflowBlockNode>(); }

  Expr known(Expr e) const {
    while (auto* var = as<VarNode>(e)) {
      auto found = value_of_.find(var);
      if (found == value_of_.end()) break;
      e = found->second;
    }
    return e;
  }
  // `(a, b)[1]` is b, and `(t[0], t[1])` is t.
  Expr without_detour(const Expr& value) const {
    if (auto* item = as<TupleGetItemNode>(value)) {
      Expr whole = known(item->tuple_value);
      auto* tuple = as<TupleNode>(whole);
      return tuple ? tuple->elements[static_cast<size_t>(item->index)] : value;
    }
    auto* tuple = as<TupleNode>(value);
    if (!tuple || tuple->elements.empty()) return value;
    Expr whole;
    for (size_t i = 0; i < tuple->elements.size(); ++i) {
      Expr element = known(tuple->elements[i]);
      auto* item = as<TupleGetItemNode>(element);
      if (!item || item->index != static_cast<int64_t>(i)) return value;
      const auto* type = type_as<TupleTypeNode>(item->tuple_value);
      if (!type || type->elements.size() != tuple->elements.size()) return value;
      Expr source = known(item->tuple_value);
      if (i == 0) whole = source;
      if (!source.same_as(whole)) return value;
    }
    return whole;
  }

  Plan plan_;
  const BindingBlockNode* block_ = nullptr;
  std::unordered_map<const VarNode*, Expr> value_of_;
  std::unordered_map<const VarNode*, const BindingBlockNode*> block_of_;
  std::unordered_map<const VarNode*, Var> copy_of_;
  std::vector<Var> copies_;       // in the order of the program
  std::vector<Var> in_dataflow_;  // what dataflow blocks define
  std::unordered_set<const VarNode*> seen_outside_;
};

class FollowPlan final : public Mutator {
 public:
  FollowPlan(Host& host, const IRModule& mod, const Plan& plan)
      : Mutator(host, mod), context_(host, mod), plan_(plan) {
    for (const auto& [var, next] : plan.used_as) {
      if (next->ty && (next->ty->kind == TypeKind::kShape || next->ty->kind == TypeKind::kPrim))
        sizes_[var] = at_end_of(plan.used_as, next);
    }
  }

  Expr rewrite(const Expr& e) override {
    auto* used = as<VarNode>(e);
    if (!used) return relax::is_arithmetic(e) ? ir::substitute(e, sizes_) : rewrite_children(e);
    Var var = at_end_of(plan_.used_as, ref(used));
    auto constant = plan_.constants.find(var.get());
    return constant == plan_.constants.end() ? rewrite_children(var) : constant->second;
  }
  Type rewrite_type(const Type& type) override { return relax::substitute(type, sizes_, context_); }
  Var rewrite_def(const Var& var) override {
    Var next = at_end_of(plan_.bound_as, var);
    Type type = rewrite_type(next->ty);
    return type.same_as(next->ty) ? next : copy_var(next, type);
  }
  void rewrite_binding(const Binding& binding) override {
    if (plan_.removed.count(binding->var.get()) != 0) return;
    Mutator::rewrite_binding(binding);
    // The variable that takes the place may have become another one with a new type.
    Var planned = at_end_of(plan_.bound_as, binding->var);
    auto became = mapped_.find(binding->var.get());
    if (!planned.same_as(binding->var) && became != mapped_.end() && !became->second.same_as(planned))
      map_var(planned, became->second);
  }

 private:
  InferContext context_;
  const Plan& plan_;
  ir::VarMap sizes_;
};

// What tells the sizes of symbolic variables.
bool has_match_cast(const Function& fn) {
  struct Find final : relax::Visitor {
    bool found = false;
    void visit_binding(const Binding& binding) override {
      found = found || as_match_cast(binding);
      if (is_graph_kind(binding->value->kind)) visit(binding->value);
    }
  } find;
  find.visit(fn);
  return find.found;
}

}  // namespace

Function canonicalize_bindings(const Function& fn, const IRModule& mod, Host& host) {
  Function sized = has_match_cast(fn) ? WriteKnownSizes(host, mod).rewrite_function(fn) : fn;
  Plan plan = FindPlan().find(sized);
  Function next = FollowPlan(host, mod, plan).rewrite_function(sized);
  return next.same_as(fn) ? fn : join_blocks(next);
}

IRModule canonicalize_bindings(const IRModule& mod, Host& host) {
  return relax::map_functions(
      mod, [&](const GlobalVar&, const Function& fn) { return canonicalize_bindings(fn, mod, host); });
}

}  // namespace mlc::transform
