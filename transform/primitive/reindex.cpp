// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transform/arith/expr_equal.h"
#include "transform/schedule/cache_stage.h"
#include "transform/schedule/layout.h"

namespace mlc::transform {

static constexpr char doc[] = R"(
reindex(block, buffer) -> block      Let a block use a copy of a buffer that its iterators index one by one.

    C[vi, vj] += A[vk, vi] * B[vk, vj]        =>      A_reindex[v0, v1] = A[v1, v0]
                                                      C[vi, vj] += A_reindex[vi, vk] * B[vk, vj]

`buffer` is ("read", number), ("write", number) or a name. The copy has a dimension for each iterator in the old indices, in the
iterators' order; it is made before the block, or written back after it. Returns the copying block.
needs: a scope that is a stage pipeline; all accesses to the buffer in the block have the same indices, made of its iterators;
       a buffer written has no other writer and all of its elements in the iterators' domain are computed.
keeps: the values computed.
)";

namespace {

// Accesses to `from` become accesses to `to` at `indices`.
class UseCopy final : public Rewriter {
 public:
  UseCopy(const Buffer& from, const Buffer& to, const Array<Expr>& indices)
      : from_(from), to_(to), indices_(indices) {}
  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    auto* load = as<TensorLoadNode>(next);
    return load && load->source.same_as(from_) ? Expr(make<TensorLoadNode>(to_, indices_)) : next;
  }
  Stmt rewrite(const Stmt& s) override {
    Stmt next = rewrite_children(s);
    auto* store = as<BufferStoreNode>(next);
    if (!store || !store->buffer.same_as(from_)) return next;
    return make<BufferStoreNode>(to_, store->value, indices_, store->span);
  }

 private:
  const Buffer &from_, &to_;
  const Array<Expr>& indices_;
};

Array<Range> points(const Array<Expr>& indices) {
  Array<Range> ranges;
  for (const Expr& index : indices) ranges.push_back(make<RangeNode>(index, const_like(index, 1)));
  return ranges;
}

// The indices of all accesses to the buffer in the block.
Array<Expr> only_indices(const Place& block, const Buffer& buffer, Span span) {
  std::optional<Array<Expr>> found;
  auto take = [&](const Array<Expr>& indices) {
    if (found && !std::equal(found->begin(), found->end(), indices.begin(), same_expr)) {
      throw refuse("reindex-different-indices", "block `{}` uses `{}` at different indices",
                   block.name.c_str(), buffer->name.c_str())
          .at(span)
          .note("the block is defined here", block.stmt->span);
    }
    found = indices;
  };
  post_order(
      block.stmt,
      [&](const Expr& e) {
        if (auto* load = as<TensorLoadNode>(e); load && load->source.same_as(buffer)) take(load->indices);
      },
      [&](const Stmt& s) {
        if (auto* store = as<BufferStoreNode>(s); store && store->buffer.same_as(buffer))
          take(store->indices);
      });
  if (!found) {
    throw refuse("reindex-no-access", "block `{}` does not load or store `{}` element by element",
                 block.name.c_str(), buffer->name.c_str())
        .at(span);
  }
  return *found;
}

// Does the block run for every value of its iterators? Conditions that only end a domain do not count.
bool runs_everywhere(const SBlockRealize& realize) {
  for (const Expr& condition : conjuncts(realize->predicate)) {
    if (is_const_int(condition, 1)) continue;
    auto* test = as<LTNode>(condition);
    bool ends = false;
    for (size_t i = 0; test && i < realize->iter_values.size(); ++i)
      ends = ends || (same_expr(test->a, realize->iter_values[i]) &&
                      same_expr(test->b, realize->block->iter_vars[i]->dom->extent));
    if (!ends) return false;
  }
  return true;
}

Place* apply(Step& step, BlockArg block, Any) {
  // check
  Place* scope = scope_of(*block);
  if (!scope) throw refuse("root-block", "`{}` is a root block", block->name.c_str()).at(block.span);
  require_stage_pipeline(*scope, "reindex");
  Buffer buffer = buffer_at_position(step, 2, *block);
  bool write = step.call.args[2].cast<BufferPosition>()->write;
  const SBlockNode* old = block->block();
  Array<Expr> indices = only_indices(*block, buffer, step.span(2));
  std::vector<IterVar> used;
  std::unordered_set<const VarNode*> iter_vars;
  for (const IterVar& iter : old->iter_vars) {
    iter_vars.insert(iter->var.get());
    bool there = std::any_of(indices.begin(), indices.end(), [&](const Expr& index) {
      return uses_var(index, [&](const VarNode* var) { return var == iter->var.get(); });
    });
    if (there) used.push_back(iter);
  }
  std::unordered_set<const VarNode*> inside;  // what the block itself defines
  post_order(block->stmt, nullptr, [&](const Stmt& s) {
    if (auto* loop = as<ForNode>(s)) inside.insert(loop->loop_var.get());
    if (auto* bind = as<BindNode>(s)) inside.insert(bind->var.get());
    if (auto* below = as<SBlockNode>(s); below && below != old)
      for (const IterVar& iter : below->iter_vars) inside.insert(iter->var.get());
  });
  for (const Expr& index : indices) {
    if (!uses_var(index, [&](const VarNode* var) { return inside.contains(var) || var->buffer(); })) continue;
    throw refuse("reindex-inner-index", "an index of `{}` is not made of the iterators of block `{}`",
                 buffer->name.c_str(), block->name.c_str())
        .at(step.span(2))
        .note("the block is defined here", block->stmt->span);
  }
  SBlockRealize realize = realize_of(step.state, *block);
  if (write) {
    only_writer(dependences(step.state, *scope), buffer, step.span(2));
    bool updates =
        !old->init && std::any_of(old->reads.begin(), old->reads.end(),
                                  [&](const TensorRegion& read) { return read->source.same_as(buffer); });
    if (updates || !block->affine_binding || !runs_everywhere(realize)) {
      throw refuse("reindex-partial-write",
                   "block `{}` does not compute every element of `{}` that the copy would write back",
                   block->name.c_str(), buffer->name.c_str())
          .at(step.span(2))
          .note("the block is defined here", block->stmt->span);
    }
  }

  // apply
  auto type = ffi::make_object<BufferTypeNode>(*buffer->buffer());
  type->shape = {};
  type->strides = {};
  Array<Expr> mine;
  for (const IterVar& iter : used) {
    type->shape.push_back(iter->dom->extent);
    mine.push_back(iter->var);
  }
  Buffer copy =
      make<VarNode>(String(fmt::format("{}_reindex", buffer->name.c_str())), Type(BufferType(type)));
  std::vector<Var> loops;
  Array<IterVar> iters;
  Array<Expr> values, at;
  VarMap renamed;
  for (size_t i = 0; i < used.size(); ++i) {
    DataType dtype = used[i]->var->dtype();
    loops.push_back(make_var(String(fmt::format("ax{}", i)), dtype));
    Var var = make_var(String(fmt::format("v{}", i)), dtype);
    iters.push_back(make<IterVarNode>(used[i]->dom, var, IterType::kDataPar));
    values.push_back(loops.back());
    at.push_back(var);
    renamed[used[i]->var.get()] = var;
  }
  Array<Expr> original;
  for (const Expr& index : indices) original.push_back(substitute(index, renamed));
  const Buffer &from = write ? copy : buffer, &to = write ? buffer : copy;
  const Array<Expr>&from_at = write ? at : original, &to_at = write ? original : at;
  Stmt store = make<BufferStoreNode>(to, Expr(make<TensorLoadNode>(from, from_at)), to_at);
  SBlock stage = make<SBlockNode>(
      iters, Array<TensorRegion>{make<TensorRegionNode>(from, points(from_at))},
      Array<TensorRegion>{make<TensorRegionNode>(to, points(to_at))},
      String(fmt::format("{}{}", buffer->name.c_str(), write ? "_reindex" : "_reindex_reindex")), store);
  Stmt nest = make<SBlockRealizeNode>(values, Expr(bool_imm(true)), stage);
  for (size_t i = loops.size(); i-- > 0;)
    nest = make<ForNode>(loops[i], used[i]->dom->min, used[i]->dom->extent, ForKind::kSerial, nest);
  UseCopy use(buffer, copy, mine);
  SBlock changed = ref(as<SBlockNode>(use.rewrite_children(Stmt(ref(old)))));
  changed = with(changed, [&](SBlockNode& next) {
    for (Array<TensorRegion>* regions : {&next.reads, &next.writes}) {
      Array<TensorRegion> all;
      for (const TensorRegion& region : *regions)
        all.push_back(region->source.same_as(buffer)
                          ? TensorRegion(make<TensorRegionNode>(copy, points(mine)))
                          : region);
      *regions = all;
    }
  });
  struct Replace final : Rewriter {
    const SBlockNode* old;
    Stmt next;
    using Rewriter::rewrite;
    Expr rewrite(const Expr& e) override { return e; }
    Stmt rewrite(const Stmt& s) override {
      if (s.get() == old) return next;
      return rewrite_children(s);
    }
  } replace;
  replace.old = old;
  replace.next = changed;
  size_t position = child_position(*scope, *block);
  std::vector<Stmt> body = statements_of(scope->block()->body);
  body[position] = replace.rewrite(body[position]);
  body.insert(body.begin() + position + (write ? 1 : 0), nest);
  Stmt next = with(ref(scope->block()), [&](SBlockNode& node) {
    node.body = seq(Array<Stmt>(body.begin(), body.end()));
    node.alloc_buffers.push_back(copy);
  });
  step.replace(*scope, next, {{old, changed.get()}});
  Place* place = step.place(stage);
  place->affine_binding = has_affine_binding(step.state, *place);
  return place;
}

}  // namespace

extern const Primitive reindex;
const Primitive reindex = primitive<&apply>("ReIndex", "reindex(block, buffer)", doc);

}  // namespace mlc::transform
