// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/index_rewriter.h"

namespace mlc::transform {
namespace {

DataType wider(const Expr& a, const Expr& b) {
  return a->dtype().bits() >= b->dtype().bits() ? a->dtype() : b->dtype();
}

}  // namespace

Stmt IndexRewriter::rewrite(const Stmt& s) {
  if (auto* loop = as<ForNode>(s)) return rewrite_loop(*loop);
  if (auto* bind = as<BindNode>(s)) return rewrite_bind(*bind);
  if (IterVar thread = opened_thread(s)) return rewrite_thread(*as<AttrStmtNode>(s), thread);
  if (auto* attr = as<AttrStmtNode>(s); attr && attr->node.as<IntImm>()) {
    // A number that the attribute is about is no index.
    return updated(attr, [&](AttrStmtNode& n) {
      n.value = rewrite(attr->value);
      n.body = rewrite(attr->body);
    });
  }
  if (auto* realize = as<SBlockRealizeNode>(s)) return rewrite_realize(*realize);
  if (auto* block = as<SBlockNode>(s)) return rewrite_block(*block);
  if (auto* branch = as<IfThenElseNode>(s)) {
    return updated(branch, [&](IfThenElseNode& n) {
      n.condition = condition(branch->condition);
      n.then_case = rewrite(branch->then_case);
      if (branch->else_case) n.else_case = rewrite(branch->else_case);
    });
  }
  if (auto* store = as<BufferStoreNode>(s)) {
    return updated(store, [&](BufferStoreNode& n) {
      n.value = cast(store->value->dtype(), rewrite(store->value));
      n.indices = rewrite_indices(store->indices);
      n.buffer = rewrite_buffer(store->buffer);
    });
  }
  return rewrite_children(s);
}

Expr IndexRewriter::rewrite_other(const Expr& e) {
  if (auto* load = as<TensorLoadNode>(e)) {
    Array<Expr> indices = rewrite_indices(load->indices);
    Buffer source = rewrite_buffer(load->source);
    if (source.same_as(load->source) && indices.same_as(load->indices)) return e;
    return make<TensorLoadNode>(source, indices, e->span);
  }
  if (as<TensorRegionNode>(e)) return as_index([&] { return rewrite_children(e); });
  if (auto* choice = as<SelectNode>(e)) {
    Expr asked = condition(choice->condition);
    Expr yes = rewrite(choice->true_value), no = rewrite(choice->false_value);
    if (asked.same_as(choice->condition) && yes.same_as(choice->true_value) &&
        no.same_as(choice->false_value)) {
      return e;
    }
    DataType type = wider(yes, no);
    return make<SelectNode>(asked, cast(type, yes), cast(type, no), e->span);
  }
  if (auto* ramp = as<RampNode>(e)) {
    Expr base = rewrite(ramp->base), stride = rewrite(ramp->stride);
    if (base.same_as(ramp->base) && stride.same_as(ramp->stride)) return e;
    DataType type = wider(base, stride);
    return make<RampNode>(cast(type, base), cast(type, stride), ramp->lanes, e->span);
  }
  if (auto* all = as<BroadcastNode>(e)) {
    // Lanes are counted, not computed with.
    Expr value = rewrite(all->value);
    return value.same_as(all->value) ? e : Expr(make<BroadcastNode>(value, all->lanes, e->span));
  }
  if (auto* let = as<LetNode>(e)) {
    Expr value = rewrite(let->value);
    if (value->dtype() != let->value->dtype())
      vars_[let->var.get()] = make_var(let->var->name, value->dtype(), let->var->span);
    auto known = vars_.find(let->var.get());
    Var var = known == vars_.end() ? let->var : known->second;
    Expr body = rewrite(let->body);
    if (value.same_as(let->value) && var.same_as(let->var) && body.same_as(let->body)) return e;
    return make<LetNode>(var, cast(var->dtype(), value), body, e->span);
  }
  return rewrite_children(e);
}

Expr IndexRewriter::rewrite_choice(const CallNode& choice) {
  Expr asked = condition(choice.args[0]);
  Expr yes = rewrite(choice.args[1]), no = rewrite(choice.args[2]);
  if (asked.same_as(choice.args[0]) && yes.same_as(choice.args[1]) && no.same_as(choice.args[2]))
    return ref(&choice);
  if (yes->dtype().is_int()) {
    DataType type = wider(yes, no);
    yes = cast(type, yes);
    no = cast(type, no);
  }
  return with(ref(&choice), [&](CallNode& n) {
    n.args = {asked, yes, no};
    n.ty = yes->ty;
  });
}

Stmt IndexRewriter::rewrite_loop(const ForNode& loop) {
  return updated(&loop, [&](ForNode& n) {
    n.loop_var = narrowed(loop.loop_var);
    DataType type = n.loop_var->dtype();
    n.min = cast(type, index(loop.min));
    n.extent = cast(type, index(loop.extent));
    if (loop.step) n.step = rewrite(loop.step);  // under its own type
    n.body = rewrite(loop.body);
  });
}

// A name has the type of its value; a value that changed its type in part is rewritten as an index.
Stmt IndexRewriter::rewrite_bind(const BindNode& bind) {
  Expr value = rewrite(bind.value);
  auto known = vars_.find(bind.var.get());
  DataType type = known == vars_.end() ? bind.var->dtype() : known->second->dtype();
  if (value->dtype() == type) {
    Var var = known == vars_.end() ? bind.var : known->second;
    if (value.same_as(bind.value) && var.same_as(bind.var)) return ref(&bind);
    return make<BindNode>(var, value, bind.span);
  }
  value = index(bind.value);
  if (known == vars_.end()) {
    Var var = make_var(bind.var->name, value->dtype(), bind.var->span);
    vars_[bind.var.get()] = var;
    return make<BindNode>(var, value, bind.span);
  }
  return make<BindNode>(known->second, cast(type, value), bind.span);
}

Stmt IndexRewriter::rewrite_thread(const AttrStmtNode& attr, const IterVar& iter) {
  return as_index([&]() -> Stmt {
    Var var = narrowed(iter->var);
    DataType type = var->dtype();
    Range dom = iter->dom;
    if (dom) dom = make<RangeNode>(cast(type, rewrite(dom->min)), cast(type, rewrite(dom->extent)));
    IterVar next = make<IterVarNode>(dom, var, iter->iter_type, iter->thread_tag);
    Expr value = cast(type, rewrite(attr.value));
    return make<AttrStmtNode>(Any(next), attr.attr_key, value, rewrite(attr.body), attr.span);
  });
}

Stmt IndexRewriter::rewrite_realize(const SBlockRealizeNode& realize) {
  Expr predicate = rewrite(realize.predicate);
  Array<Expr> values = index(realize.iter_values);
  Stmt next = rewrite(Stmt(realize.block));
  SBlock block = ref(as<SBlockNode>(next));
  Array<Expr> typed;
  for (size_t i = 0; i < values.size(); ++i)
    typed.push_back(cast(block->iter_vars[i]->var->dtype(), values[i]));
  return make<SBlockRealizeNode>(typed, predicate, block, realize.span);
}

Stmt IndexRewriter::rewrite_block(const SBlockNode& block) {
  Array<IterVar> iters;
  for (const IterVar& iter : block.iter_vars) {
    Var var = narrowed(iter->var);
    DataType type = var->dtype();
    Range dom = make<RangeNode>(cast(type, index(iter->dom->min)), cast(type, index(iter->dom->extent)));
    iters.push_back(make<IterVarNode>(dom, var, iter->iter_type, iter->thread_tag));
  }
  // The rest has no range.
  Stmt next = rewrite_children(with(ref(&block), [&](SBlockNode& n) { n.iter_vars = {}; }));
  return with(ref(as<SBlockNode>(next)), [&](SBlockNode& n) { n.iter_vars = iters; });
}

}  // namespace mlc::transform
