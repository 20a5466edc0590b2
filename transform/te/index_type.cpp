// SPDX-License-Identifier: Apache-2.0
// The index arithmetic of a function in one type: shapes, loops, block iterators and the indices of accesses.
// What is stored keeps its type; where an index is part of it, it is converted where it is stored.
#include "ir/arith_ops.h"
#include "ir/op.h"
#include "transform/pass/buffer_types.h"
#include "transform/te/create_prim_func.h"

namespace mlc::transform::te {

namespace {

class IndexTypes final : public BufferTypeRewriter {
 public:
  explicit IndexTypes(DataType type) : type_(type) {}

  Var parameter(const Var& param) {
    return param->buffer() ? mapped(param) : ref(as<VarNode>(index(Expr(param))));
  }

  using BufferTypeRewriter::rewrite;
  Var rewrite_def(const Var& var) override {
    if (var->buffer()) return mapped(var);
    return is_integer(var) ? ref(as<VarNode>(converted(var))) : var;
  }
  Expr rewrite(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) {
      if (var->buffer()) return mapped(ref(var));
      auto known = vars_.find(var);
      if (known != vars_.end()) return known->second;
      return in_index_ && is_integer(e) ? converted(ref(var)) : e;
    }
    if (auto* number = as<IntImmNode>(e))
      return in_index_ && is_integer(e) ? int_imm(type_, number->value) : e;
    if (auto* value = as<CastNode>(e)) {
      Expr inner = rewrite(value->value);
      if (in_index_ && is_integer(e)) return cast(type_, inner, e->span);
      return inner.same_as(value->value) ? e : make<CastNode>(e->dtype(), inner, e->span);
    }
    if (auto* load = as<TensorLoadNode>(e))
      return make<TensorLoadNode>(mapped(load->source), indices(load->indices), e->span);
    if (auto* choice = as<SelectNode>(e)) {
      Expr condition = rewrite(choice->condition);
      auto [yes, no] = alike(choice->true_value, choice->false_value);
      return make<SelectNode>(condition, yes, no, e->span);
    }
    if (auto* two = as_binary(e)) {
      auto [a, b] = alike(two->a, two->b);
      return a.same_as(two->a) && b.same_as(two->b) ? e : binary(two->kind, a, b, e->span);
    }
    if (auto* call = as<CallNode>(e)) return rewrite_call(*call);
    return BufferTypeRewriter::rewrite(e);
  }
  Stmt rewrite(const Stmt& s) override {
    if (auto* loop = as<ForNode>(s)) {
      Var var = rewrite_def(loop->loop_var);
      Expr min = index(loop->min), extent = index(loop->extent);
      Stmt body = rewrite(loop->body);
      return with(ref(loop), [&](ForNode& n) {
        n.loop_var = var;
        n.min = min;
        n.extent = extent;
        n.body = body;
      });
    }
    if (auto* store = as<BufferStoreNode>(s)) {
      Expr value = cast(store->value->dtype(), rewrite(store->value), store->value->span);
      return make<BufferStoreNode>(mapped(store->buffer), value, indices(store->indices), s->span);
    }
    if (auto* held = as<BindNode>(s)) {
      Expr value = rewrite(held->value);
      if (value.same_as(held->value)) return s;
      Var var = value->dtype() == held->var->dtype() ? held->var
                                                     : make<VarNode>(held->var->name, value->ty, held->span);
      vars_[held->var.get()] = var;
      return make<BindNode>(var, value, s->span);
    }
    auto* realize = as<SBlockRealizeNode>(s);
    if (realize == nullptr) return rewrite_children(s);
    const SBlock& block = realize->block;
    Array<IterVar> iters;
    for (const IterVar& iter : block->iter_vars) {
      iters.push_back(with(iter, [&](IterVarNode& n) {
        n.dom = make<RangeNode>(index(iter->dom->min), index(iter->dom->extent));
        n.var = rewrite_def(iter->var);
      }));
    }
    return with(ref(realize), [&](SBlockRealizeNode& n) {
      n.iter_values = indices(realize->iter_values);
      n.predicate = rewrite(realize->predicate);
      n.block = with(block, [&](SBlockNode& inner) {
        inner.iter_vars = iters;
        inner.reads = regions(block->reads);
        inner.writes = regions(block->writes);
        for (int64_t i = 0; i < static_cast<int64_t>(block->alloc_buffers.size()); ++i)
          inner.alloc_buffers.Set(i, mapped(block->alloc_buffers[i]));
        if (block->init) inner.init = rewrite(block->init);
        inner.body = rewrite(block->body);
      });
    });
  }

 protected:
  Buffer map_buffer(const Buffer& buffer) override {
    In index(*this);
    return BufferTypeRewriter::map_buffer(buffer);
  }

 private:
  // While it lives, what is rewritten is an index.
  struct In {
    explicit In(IndexTypes& types) : flag(types.in_index_), before(std::exchange(flag, true)) {}
    ~In() { flag = before; }
    bool& flag;
    bool before;
  };

  static bool is_integer(const Expr& e) {
    return e->ty->kind == TypeKind::kPrim && e->dtype().is_scalar() && e->dtype().is_int();
  }
  Expr converted(const Var& var) {
    if (var->dtype() == type_) return var;
    Expr& next = vars_[var.get()];
    if (!next) next = make<VarNode>(var->name, Type(prim_type(type_)), var->span);
    return next;
  }
  Expr index(const Expr& e) {
    In index(*this);
    return rewrite(e);
  }
  Array<Expr> indices(const Array<Expr>& all) {
    In index(*this);
    return rewrite(all);
  }
  Array<TensorRegion> regions(const Array<TensorRegion>& all) {
    In index(*this);
    Array<TensorRegion> out;
    for (const TensorRegion& region : all) out.push_back(rewrite_region(region));
    return out;
  }
  std::pair<Expr, Expr> alike(const Expr& a, const Expr& b) {
    Expr x = rewrite(a), y = rewrite(b);
    if (!x.same_as(a) || !y.same_as(b)) match_types(x, y);
    return {x, y};
  }
  // Functions have the type of their argument.
  Expr rewrite_call(const CallNode& call) {
    if (as_call_to(ref(&call), "tirx.if_then_else")) {
      Expr condition = rewrite(call.args[0]);
      auto [yes, no] = alike(call.args[1], call.args[2]);
      return with(ref(&call), [&](CallNode& n) {
        n.args = Array<Expr>{condition, yes, no};
        n.ty = yes->ty;
      });
    }
    Array<Expr> args = rewrite(call.args);
    if (args.same_as(call.args)) return ref(&call);
    bool follows =
        call.ty->kind == TypeKind::kPrim && is_integer(call.args[0]) && call.dtype() == call.args[0]->dtype();
    return with(ref(&call), [&](CallNode& n) {
      n.args = args;
      if (follows) n.ty = args[0]->ty;
    });
  }

  DataType type_;
  bool in_index_ = false;
  VarMap vars_;
};

}  // namespace

PrimFunc with_index_type(const PrimFunc& fn, DataType type) {
  IndexTypes types(type);
  Array<Var> params;
  for (const Var& param : fn->params) params.push_back(types.parameter(param));
  Stmt body = types.rewrite(fn->body);
  return with(fn, [&](PrimFuncNode& n) {
    n.params = params;
    n.body = body;
  });
}

}  // namespace mlc::transform::te
