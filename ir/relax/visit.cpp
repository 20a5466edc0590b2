// SPDX-License-Identifier: Apache-2.0
#include "ir/relax/visit.h"

#include "ir/relax/numbers.h"

#include "ir/registry/no_script.h"
#include "ir/relax/blocks.h"
#include "ir/relax/infer.h"
#include "ir/relax/normalize.h"
#include "ir/relax/type_equal.h"

namespace mlc::relax {

// ---- Visitor ----

void Visitor::walk_children(const Expr& e) {
  switch (e->kind) {
    case ExprKind::kCall: {
      auto* call = static_cast<const CallNode*>(e.get());
      if (is_tensor_code(call)) return;  // of tensor code
      visit(call->op);
      for (const Expr& arg : call->args) visit(arg);
      for (const Type& type : call->ty_args) visit_type(type);
      return;
    }
    case ExprKind::kTuple:
      for (const Expr& field : static_cast<const TupleNode*>(e.get())->elements) visit(field);
      return;
    case ExprKind::kTupleGetItem:
      return visit(static_cast<const TupleGetItemNode*>(e.get())->tuple_value);
    case ExprKind::kSeqExpr: {
      auto* seq = static_cast<const SeqExprNode*>(e.get());
      for (const BindingBlock& block : seq->blocks) visit_block(block);
      return visit(seq->body);
    }
    case ExprKind::kIf: {
      auto* branches = static_cast<const IfNode*>(e.get());
      visit(branches->cond);
      visit(branches->true_branch);
      return visit(branches->false_branch);
    }
    case ExprKind::kFunction: {
      auto* fn = static_cast<const FunctionNode*>(e.get());
      for (const Var& param : fn->params) {
        visit_def(param);
        visit_type(param->ty);
      }
      visit(fn->body);
      if (fn->ret_ty) visit_type(fn->ret_ty);
      return;
    }
    default:
      return;
  }
}
void Visitor::walk_binding(const Binding& binding) {
  visit(binding->value);
  if (const MatchCastNode* cast = as_match_cast(binding)) visit_type(cast->ty);
  visit_def(binding->var);
  if (binding->var->ty) visit_type(binding->var->ty);
}
void Visitor::walk_block(const BindingBlock& block) {
  for (const Binding& binding : block->bindings) visit_binding(binding);
}

// ---- Rewriter ----

namespace {

SeqExpr as_seq(const Expr& e) {
  if (auto* seq = as<SeqExprNode>(e)) return ref(seq);
  return make<SeqExprNode>(Array<BindingBlock>{}, e, e->span);
}

}  // namespace

Expr Rewriter::rewrite_children(const Expr& e) {
  switch (e->kind) {
    case ExprKind::kCall: {
      auto* call = static_cast<const CallNode*>(e.get());
      if (is_tensor_code(call)) return e;
      Expr callee = rewrite(call->op);
      Array<Expr> args = map_array(call->args, [this](const Expr& arg) { return rewrite(arg); });
      Array<Type> types = map_array(call->ty_args, [this](const Type& type) { return rewrite_type(type); });
      if (callee.same_as(call->op) && args.same_as(call->args) && types.same_as(call->ty_args)) return e;
      return make<CallNode>(rewrite_type(call->ty), callee, args, call->attrs, call->span, types);
    }
    case ExprKind::kTuple: {
      auto* tuple = static_cast<const TupleNode*>(e.get());
      Array<Expr> fields = map_array(tuple->elements, [this](const Expr& field) { return rewrite(field); });
      return fields.same_as(tuple->elements) ? e : Expr(make<TupleNode>(fields, e->span));
    }
    case ExprKind::kTupleGetItem: {
      auto* item = static_cast<const TupleGetItemNode*>(e.get());
      Expr tuple = rewrite(item->tuple_value);
      if (tuple.same_as(item->tuple_value)) return e;
      return make<TupleGetItemNode>(tuple, item->index, e->span);
    }
    case ExprKind::kSeqExpr: {
      auto* seq = static_cast<const SeqExprNode*>(e.get());
      Array<BindingBlock> blocks =
          map_array(seq->blocks, [this](const BindingBlock& block) { return rewrite_block(block); });
      Expr body = rewrite(seq->body);
      if (blocks.same_as(seq->blocks) && body.same_as(seq->body)) return e;
      return make<SeqExprNode>(blocks, body, e->span);
    }
    case ExprKind::kIf: {
      auto* branches = static_cast<const IfNode*>(e.get());
      Expr cond = rewrite(branches->cond);
      Expr then_case = rewrite(branches->true_branch);
      Expr else_case = rewrite(branches->false_branch);
      if (cond.same_as(branches->cond) && then_case.same_as(branches->true_branch) &&
          else_case.same_as(branches->false_branch))
        return e;
      return make<IfNode>(cond, as_seq(then_case), as_seq(else_case), rewrite_type(branches->ty), e->span);
    }
    case ExprKind::kFunction: {
      auto* fn = static_cast<const FunctionNode*>(e.get());
      Array<Var> params = map_array(fn->params, [this](const Var& param) { return rewrite_def(param); });
      Expr body = rewrite(fn->body);
      Type ret = rewrite_type(fn->ret_ty);
      if (params.same_as(fn->params) && body.same_as(fn->body) && ret.same_as(fn->ret_ty)) return e;
      return make<FunctionNode>(params, as_seq(body), ret, fn->is_pure, fn->attrs, fn->span);
    }
    case ExprKind::kShapeExpr: {
      auto* shape = static_cast<const ShapeExprNode*>(e.get());
      Array<Expr> values = map_array(shape->values, [this](const Expr& value) { return rewrite(value); });
      return values.same_as(shape->values) ? e : Expr(make<ShapeExprNode>(values, e->span));
    }
    default:
      return e;
  }
}
Binding Rewriter::rewrite_binding_children(const Binding& binding) {
  Expr value = rewrite(binding->value);
  if (const MatchCastNode* cast = as_match_cast(binding)) {
    Type type = rewrite_type(cast->ty);
    Var var = rewrite_def(binding->var);
    if (value.same_as(binding->value) && type.same_as(cast->ty) && var.same_as(binding->var)) return binding;
    return make<MatchCastNode>(var, value, type, binding->span);
  }
  Var var = rewrite_def(binding->var);
  if (value.same_as(binding->value) && var.same_as(binding->var)) return binding;
  return make<VarBindingNode>(var, value, binding->span);
}
BindingBlock Rewriter::rewrite_block_children(const BindingBlock& block) {
  Array<Binding> bindings =
      map_array(block->bindings, [this](const Binding& binding) { return rewrite_binding(binding); });
  return bindings.same_as(block->bindings) ? block : with_bindings(block, bindings);
}

bool is_tensor_code(const CallNode* call) {
  return is_prim(ir::ref(call)) && call->op->kind == ExprKind::kOp && operator_of(call->op) == nullptr;
}

bool is_arithmetic(const Expr& e) {
  if (!is_prim(e) || is_graph_kind(e->kind) || e->kind == ExprKind::kTupleGetItem) return false;
  auto* call = as<CallNode>(e);
  return !call || is_tensor_code(call);
}

std::vector<Var> vars_of_numbers(const Expr& e) {
  struct Numbers final : Visitor {
    std::vector<Var> used;
    void visit(const Expr& e) override {
      if (auto* shape = as<ShapeExprNode>(e)) {
        for (const Expr& value : shape->values) use(value);
      } else if (is_arithmetic(e)) {
        use(e);
      } else {
        walk_children(e);
      }
    }
    void use(const Expr& number) {
      for (const Var& var : ir::free_vars(number)) used.push_back(var);
    }
  } numbers;
  numbers.visit(e);
  return numbers.used;
}

// ---- Mutator ----

Mutator::Mutator(ir::Host& host, const IRModule& mod) : builder_(std::make_shared<BlockBuilder>(host, mod)) {}
Mutator::Mutator(std::shared_ptr<BlockBuilder> builder) : builder_(std::move(builder)) {}
Mutator::~Mutator() = default;

Expr Mutator::lookup(const Var& var) const { return builder_->lookup(var); }
void Mutator::map_var(const Var& var, Expr value) { mapped_[var.get()] = std::move(value); }

Function Mutator::rewrite_function(const Function& fn) {
  Expr next = rewrite(fn);
  MLC_CHECK(next->kind == ExprKind::kFunction, "a function was rewritten to something else");
  return ref(static_cast<const FunctionNode*>(next.get()));
}

Expr Mutator::rewrite_children(const Expr& e) {
  switch (e->kind) {
    case ExprKind::kVar: {
      auto found = mapped_.find(static_cast<const VarNode*>(e.get()));
      return found == mapped_.end() ? e : found->second;
    }
    case ExprKind::kCall: {
      auto* call = static_cast<const CallNode*>(e.get());
      if (is_tensor_code(call)) return ir::substitute(e, mapped_);
      Expr callee = rewrite(call->op);
      Array<Expr> args = map_array(call->args, [this](const Expr& arg) { return rewrite(arg); });
      Array<Type> types = map_array(call->ty_args, [this](const Type& type) { return rewrite_type(type); });
      if (callee.same_as(call->op) && args.same_as(call->args) && types.same_as(call->ty_args)) return e;
      return make<CallNode>(Type(nullptr), callee, args, call->attrs, call->span, types);
    }
    case ExprKind::kTuple: {
      auto* tuple = static_cast<const TupleNode*>(e.get());
      Array<Expr> fields = map_array(tuple->elements, [this](const Expr& field) { return rewrite(field); });
      return fields.same_as(tuple->elements) ? e : Expr(make<TupleNode>(fields, e->span));
    }
    case ExprKind::kTupleGetItem: {
      auto* item = static_cast<const TupleGetItemNode*>(e.get());
      Expr tuple = rewrite(item->tuple_value);
      if (tuple.same_as(item->tuple_value)) return e;
      if (auto* known = as<TupleNode>(tuple)) return known->elements[static_cast<size_t>(item->index)];
      return make<TupleGetItemNode>(tuple, item->index, e->span);
    }
    case ExprKind::kSeqExpr:
      return rewrite_body(ref(static_cast<const SeqExprNode*>(e.get())));
    case ExprKind::kIf: {
      auto* branches = static_cast<const IfNode*>(e.get());
      Expr cond = rewrite(branches->cond);
      SeqExpr then_case = rewrite_body(branches->true_branch);
      SeqExpr else_case = rewrite_body(branches->false_branch);
      if (cond.same_as(branches->cond) && then_case.same_as(branches->true_branch) &&
          else_case.same_as(branches->false_branch))
        return e;
      return make<IfNode>(cond, then_case, else_case, Type(nullptr), e->span);
    }
    case ExprKind::kFunction: {
      auto* fn = static_cast<const FunctionNode*>(e.get());
      Array<Var> params = map_array(fn->params, [this](const Var& param) { return rewrite_def(param); });
      for (size_t i = 0; i < params.size(); ++i) {
        if (!params[i].same_as(fn->params[i])) map_var(fn->params[i], params[i]);
      }
      SeqExpr body = rewrite_body(fn->body, params);
      if (params.same_as(fn->params) && body.same_as(fn->body)) return e;
      // A body that says more than what was declared is believed.
      Type ret = rewrite_type(fn->ret_ty);
      if (ret && fits(ret, body->ty, builder_->context()) == Fit::kAlways) ret = Type(nullptr);
      return builder_->normalize(make<FunctionNode>(params, body, ret, fn->is_pure, fn->attrs, fn->span));
    }
    case ExprKind::kShapeExpr: {
      auto* shape = static_cast<const ShapeExprNode*>(e.get());
      Array<Expr> values = map_array(shape->values, [this](const Expr& value) { return rewrite(value); });
      return values.same_as(shape->values) ? e : Expr(make<ShapeExprNode>(values, e->span));
    }
    default:
      return is_arithmetic(e) ? ir::substitute(e, mapped_) : e;
  }
}

SeqExpr Mutator::rewrite_body(const SeqExpr& seq, const Array<Var>& params) {
  builder_->begin_scope(params);
  Array<BindingBlock> blocks;
  bool changed = false;
  for (size_t i = 0; i < seq->blocks.size(); ++i) {
    BindingBlock next = rewrite_block(seq->blocks[i]);
    changed = changed || !next.same_as(seq->blocks[i]) || next->bindings.empty();
    if (!next->bindings.empty()) blocks.push_back(next);
  }
  builder_->begin_binding_block();
  Expr body = builder_->normalize_operand(rewrite(seq->body));
  BindingBlock rest = builder_->end_block();
  if (!rest->bindings.empty()) {
    blocks.push_back(rest);
    changed = true;
  }
  builder_->end_scope();
  Array<BindingBlock> whole = joined(blocks);
  if (!changed && whole.same_as(blocks) && body.same_as(seq->body)) return seq;
  return make<SeqExprNode>(whole, body, seq->span);
}

BindingBlock Mutator::rewrite_block(const BindingBlock& block) {
  if (is_dataflow(block))
    builder_->begin_dataflow_block();
  else
    builder_->begin_binding_block();
  for (const Binding& binding : block->bindings) rewrite_binding(binding);
  BindingBlock next = builder_->end_block();
  bool same = next->bindings.size() == block->bindings.size();
  for (size_t i = 0; same && i < block->bindings.size(); ++i)
    same = next->bindings[i].same_as(block->bindings[i]);
  return same ? block : next;
}

void Mutator::rewrite_binding(const Binding& binding) { bind(binding, rewrite(binding->value)); }

void Mutator::bind(const Binding& old, const Expr& value) {
  if (const MatchCastNode* cast = as_match_cast(old)) {
    Expr operand = builder_->normalize_operand(value);
    Type type = rewrite_type(cast->ty);
    Var var = rewrite_def(old->var);
    if (operand.same_as(old->value) && type.same_as(cast->ty) && var.same_as(old->var)) {
      builder_->emit_normalized(old);
      return;
    }
    if (!type.same_as(cast->ty)) var = copy_var(var, type);
    if (!var.same_as(old->var)) map_var(old->var, var);
    builder_->emit_normalized(make<MatchCastNode>(var, operand, type, old->span));
    return;
  }
  Expr next = builder_->normalize(value);
  Var var = rewrite_def(old->var);
  if (next.same_as(old->value) && var.same_as(old->var)) {
    builder_->emit_normalized(old);
    return;
  }
  if (!next.same_as(old->value) && !same_type(next->ty, var->ty)) var = copy_var(var, next->ty);
  if (!var.same_as(old->var)) map_var(old->var, var);
  builder_->emit_normalized(make<VarBindingNode>(var, next, old->span));
}

// ---- what is asked of graphs ----

namespace {

struct PostOrder final : Visitor {
  const std::function<void(const Expr&)>& on;
  explicit PostOrder(const std::function<void(const Expr&)>& on) : on(on) {}
  void visit(const Expr& e) override {
    walk_children(e);
    on(e);
  }
};

struct Vars final : Visitor {
  std::unordered_set<const VarNode*> bound;
  std::unordered_set<const VarNode*> seen;
  std::vector<Var> used, defined;
  void visit(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) {
      if (seen.insert(var).second) used.push_back(ref(var));
      return;
    }
    walk_children(e);
  }
  void visit_def(const Var& var) override {
    if (bound.insert(var.get()).second) defined.push_back(var);
  }
};

struct Substitute final : Rewriter {
  const ir::VarMap& values;
  explicit Substitute(const ir::VarMap& values) : values(values) {}
  Expr rewrite(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) {
      auto found = values.find(var);
      return found == values.end() ? e : found->second;
    }
    if (is_arithmetic(e)) return ir::substitute(e, values);
    return rewrite_children(e);
  }
};

}  // namespace

void post_order(const Expr& root, const std::function<void(const Expr&)>& on_expr) {
  PostOrder(on_expr).visit(root);
}

std::vector<Var> free_vars(const Expr& e) {
  Vars vars;
  vars.visit(e);
  std::vector<Var> free;
  for (const Var& var : vars.used) {
    if (vars.bound.count(var.get()) == 0) free.push_back(var);
  }
  return free;
}
std::vector<Var> all_vars(const Expr& e) {
  struct InOrder final : Visitor {
    std::unordered_set<const VarNode*> seen;
    std::vector<Var> all;
    void add(const Var& var) {
      if (seen.insert(var.get()).second) all.push_back(var);
    }
    void visit(const Expr& e) override {
      if (auto* var = as<VarNode>(e)) return add(ref(var));
      walk_children(e);
    }
    void visit_def(const Var& var) override { add(var); }
  } vars;
  vars.visit(e);
  return vars.all;
}
std::vector<Var> bound_vars(const Expr& e) {
  Vars vars;
  vars.visit(e);
  return vars.defined;
}

Expr substitute(const Expr& e, const ir::VarMap& values) {
  return values.empty() ? e : Substitute(values).rewrite(e);
}

namespace {

struct RenewVars final : Rewriter {
  ir::Host& host;
  InferContext context;
  ir::VarMap next;
  explicit RenewVars(ir::Host& host) : host(host), context(host) {}

  Expr rewrite(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) {
      auto found = next.find(var);
      return found == next.end() ? e : found->second;
    }
    if (is_arithmetic(e)) return ir::substitute(e, next);
    if (auto* fn = as<FunctionNode>(e)) {
      for (const Var& param : fn->params) define_symbolic(param->ty);
    }
    return rewrite_children(e);
  }
  Binding rewrite_binding(const Binding& binding) override {
    if (const MatchCastNode* cast = as_match_cast(binding)) define_symbolic(cast->ty);
    if (binding->value->kind == ExprKind::kFunction) rewrite_def(binding->var);  // it may call itself
    return rewrite_binding_children(binding);
  }
  Var rewrite_def(const Var& var) override {
    auto found = next.find(var.get());
    if (found != next.end()) return ref(static_cast<const VarNode*>(found->second.get()));
    Var renewed = copy_var(var, rewrite_type(var->ty));
    next[var.get()] = renewed;
    return renewed;
  }
  Type rewrite_type(const Type& type) override { return relax::substitute(type, next, context); }
  void define_symbolic(const Type& type) {
    for (const Var& var : definable_vars(type)) {
      if (next.count(var.get()) == 0) next[var.get()] = make<VarNode>(var->name, var->ty, var->span);
    }
  }
};

// Substitution of variables by variables simplifies nothing.
struct NoSimplifier final : ir::NoScript {
  Expr simplify(const Expr& e) override { return e; }
};

}  // namespace

Function with_new_vars(const Function& fn) {
  NoSimplifier host;
  Expr next = RenewVars(host).rewrite(fn);
  return ref(static_cast<const FunctionNode*>(next.get()));
}

}  // namespace mlc::relax
