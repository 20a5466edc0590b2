// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/core/refusal.h"
#include "ir/core/walk_with.h"
#include "transform/pass/fresh_binders.h"
#include "transform/schedule/conditions.h"
#include "transform/schedule/non_block_stmts.h"
#include "transform/schedule/reducer.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform::primitive_rfactor {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "rfactor-mixed-loop",
         .message = "loop `{}` belongs to both a data-parallel and a reduction iterator of block `{}`",
         .help = "fuse data-parallel loops with data-parallel loops only",
         .meaning = "Partial sums go by iterations of reduction loops, which must be of the reduction alone.",
         .wrong = R"(i, j, k = sch.get_loops("product")
both = sch.fuse(j, k)
sch.rfactor(both, 0))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.fuse(i, j)
sch.rfactor(k, 0))"},
        {.name = "rfactor-spatial-loop",
         .message = "loop `{}` belongs to a data-parallel iterator of block `{}`",
         .help = "choose a loop of a reduction iterator (`T.axis.reduce`, `R` in `T.axis.remap`)",
         .meaning = "`rfactor` splits a reduction: its loop must be one of the reduction.",
         .wrong = R"(i, j, k = sch.get_loops("product")
sch.rfactor(i, 0))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.rfactor(k, 0))"},
        {.name = "rfactor-several-blocks",
         .message = "below loop `{}`, the outermost reduction loop of block `{}`, are other blocks as well",
         .help = "give each of the blocks loops of its own first",
         .meaning =
             "The reduction becomes two nests, and other blocks in its loops would have a place in none.",
         .wrong = R"(@T.prim_func(s_tir=True)
def two(A: T.Buffer((16, 16), "float32"), B: T.Buffer((16,), "float32"), C: T.Buffer((16, 16), "float32")):
    for i, k in T.grid(16, 16):
        with T.sblock("sums"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = 0.0
            B[vi] = B[vi] + A[vi, vk]
        with T.sblock("double"):
            vi, vk = T.axis.remap("SS", [i, k])
            C[vi, vk] = A[vi, vk] * 2.0


other = tvm.s_tir.Schedule(two)
other.rfactor(other.get_loops("sums")[1], 0))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.rfactor(k, 0))"},
        {.name = "rfactor-unbound-loop",
         .message = "loop `{}` stands below a reduction loop of block `{}` but belongs to no iterator of it",
         .help = "bind it to an iterator of the block, or choose a loop of a reduction iterator",
         .meaning =
             "Each loop of the reduction must be one of an iterator, so that it is known what it adds up.",
         .wrong = R"(@T.prim_func(s_tir=True)
def thrice(A: T.Buffer((16, 16), "float32"), B: T.Buffer((16,), "float32")):
    for i, k, r in T.grid(16, 16, 3):
        with T.sblock("sums"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = 0.0
            B[vi] = B[vi] + A[vi, vk]


other = tvm.s_tir.Schedule(thrice)
other.rfactor(other.get_loops("sums")[1], 0))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.rfactor(k, 0))"},
        {.name = "rfactor-condition",
         .message =
             "the condition of block `{}` does not tell which iterations of loop `{}` compute anything",
         .help = "`rfactor` understands upper bounds, such as `k_0 * 32 + k_1 < n` after `split`",
         .meaning =
             "A partial sum without terms must still be set, so it must be known which ones have any."},
        {.name = "rfactor-loop-not-serial",
         .message = "loop `{}` is not serial",
         .help = "`rfactor` first; make the loops of the block it returns parallel, or bind them to threads",
         .meaning = "The loop is written anew in both stages, as a serial one.",
         .wrong = R"(i, j, k = sch.get_loops("product")
sch.unroll(k)
sch.rfactor(k, 0))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.rfactor(k, 0))"},
        {.name = "rfactor-not-first",
         .message = "block `{}` is not the first below loop `{}`, and its first stage would move before it",
         .help = "give the block loops of its own first",
         .meaning = "The partial sums come before all that is in the loop, so nothing may run before them.",
         .wrong = R"(a = sch.cache_read("product", 1, "local")
i, j, k = sch.get_loops("product")
sch.compute_at(a, i)
i, j, k = sch.get_loops("product")
sch.rfactor(k, 0))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.rfactor(k, 0))"},
        {.name = "rfactor-axis-out-of-range",
         .message = "axis {} is not in {}..{}",
         .help = "0 puts the new axis first, -1 last",
         .meaning =
             "The new axis is put among those of the result, from 0 to their number; negative ones count "
             "from the end.",
         .wrong = R"(i, j, k = sch.get_loops("product")
sch.rfactor(k, 5))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.rfactor(k, 0))"},
    }};
MLC_REFUSALS(primitive_rfactor, refusals);

static constexpr char doc[] = R"(
rfactor(loop, factor_axis) -> block      Make the iterations of one reduction loop reduce on their own, then reduce their results.

    for i, k0, k1 in T.grid(n, a, b):       =>      for i, k0, k1 in T.grid(n, a, b):
        with T.sblock("C"):                             with T.sblock("C_rf"):
            C[vi] += A[vi, k0 * b + k1]                     C_rf[vi, vk0] += A[vi, vk0 * b + vk1]
                                                    for i, k0 in T.grid(n, a):
                                                        with T.sblock("C"):
                                                            C[vi] += C_rf[vi, vk0]

`loop` (here k0) becomes dimension `factor_axis` of the new buffer. Returns the new block; the given loop's block combines.
needs: one reduction block below the loop, the first block below its outermost loop; the loop is serial, starts at 0 and
       belongs to reduction iterators only; init and update are a known reduction (sum, product, min, max, a pair of
       sums, argmax, argmin).
keeps: the values computed, up to the order in which floats are added.
)";

namespace {

struct LoopUse {
  std::unordered_set<const VarNode*> spatial, reduced;
};

LoopUse use_of_loops(const SBlockRealize& realize) {
  LoopUse use;
  for (size_t i = 0; i < realize->iter_values.size(); ++i) {
    auto& set = realize->block->iter_vars[i]->iter_type == IterType::kDataPar ? use.spatial : use.reduced;
    for (const Var& var : free_vars(realize->iter_values[i])) set.insert(var.get());
  }
  return use;
}

void require_loops(Step& step, const LoopArg& loop, const SRefNode& block,
                   const std::vector<SRefNode*>& loops, const LoopUse& use) {
  bool reducing = false;
  for (SRefNode* each : loops) {
    const VarNode* var = each->loop()->loop_var.get();
    bool spatial = use.spatial.contains(var), reduced = use.reduced.contains(var);
    if (spatial && reduced) {
      throw refuse(refusals["rfactor-mixed-loop"], each->name.c_str(), block.name.c_str())
          .at(loop.span)
          .note("the loop is made here", each->stmt->span);
    }
    if (spatial && each == &*loop) {
      throw refuse(refusals["rfactor-spatial-loop"], loop->name.c_str(), block.name.c_str()).at(loop.span);
    }
    if (spatial) continue;
    if (reduced && !reducing) {
      reducing = true;
      for (const SRefNode* other : child_blocks(step.state, *each)) {
        if (other == &block) continue;
        throw refuse(refusals["rfactor-several-blocks"], each->name.c_str(), block.name.c_str())
            .at(loop.span)
            .note("the other block is defined here", other->stmt->span)
            .help(fmt::format("give block `{}` loops of its own first", other->name.c_str()));
      }
    } else if (!reduced && reducing && !is_const_int(each->loop()->extent, 1)) {
      throw refuse(refusals["rfactor-unbound-loop"], each->name.c_str(), block.name.c_str())
          .at(loop.span)
          .note("the loop is made here", each->stmt->span)
          .help("bind it to an iterator of the block");
    }
  }
}

// When is there an iteration of the loops `inner` that passes the block's condition? Written as a condition
// on the loops outside: it decides which elements the first stage writes, and so which the second may read.
Expr reached(const SBlockRealize& realize, const std::vector<SRefNode*>& loops,
             const std::unordered_set<const VarNode*>& inner, const LoopArg& loop) {
  Analyzer analyzer;
  VarMap least;
  Domain around = domain_of(ranges_of(loops));
  bind_loops(analyzer, loops);
  for (const SRefNode* each : loops) {
    const VarNode* var = each->loop()->loop_var.get();
    if (inner.contains(var)) least[var] = each->loop()->min;
  }
  Expr result = bool_imm(true);
  for (const Expr& condition : conjuncts(realize->predicate)) {
    if (analyzer.can_prove(condition)) continue;
    if (!uses_var(condition, [&](const VarNode* var) { return inner.contains(var); })) {
      result = logical_and(result, condition);
      continue;
    }
    Expr first = analyzer.simplify(substitute(condition, least));
    auto* two = as_binary(condition);
    bool upper = condition->kind == ExprKind::kLT || condition->kind == ExprKind::kLE;
    // An upper bound on something that grows with the inner loops: where it fails at first it fails always.
    if (!upper || !analyzer.can_prove(ge(two->a, substitute(two->a, least))) ||
        uses_var(two->b, [&](const VarNode* var) { return inner.contains(var); })) {
      throw about_block(
          refuse(refusals["rfactor-condition"], realize->block->name_hint.c_str(), loop->name.c_str()),
          loop.span, realize->block->span);
    }
    if (!always_holds(first, analyzer, around)) result = logical_and(result, first);
  }
  return result;
}

IterVar iter_of(const ForNode* loop, IterType type) {
  Var var = make_var(String(fmt::format("v{}", loop->loop_var->name.c_str())), loop->loop_var->dtype());
  return make<IterVarNode>(make<RangeNode>(loop->min, loop->extent), var, type);
}

Array<Expr> inserted(const Array<Expr>& list, size_t at, const Expr& e) {
  std::vector<Expr> all(list.begin(), list.end());
  all.insert(all.begin() + at, e);
  return Array<Expr>(all.begin(), all.end());
}

Stmt init_of(const Reduction& reduction, const std::vector<Buffer>& buffers, const Array<Expr>& indices) {
  Array<Stmt> stores;
  for (size_t i = 0; i < buffers.size(); ++i)
    stores.push_back(make<BufferStoreNode>(buffers[i], reduction.identity[i], indices));
  return seq(stores);
}

// buffers[indices] = combine(buffers[indices], rhs)
Stmt update_of(const Reduction& reduction, const std::vector<Buffer>& buffers, const Array<Expr>& indices,
               const std::vector<Expr>& rhs) {
  std::vector<Expr> lhs;
  for (const Buffer& buffer : buffers) lhs.push_back(make<TensorLoadNode>(buffer, indices));
  std::vector<Expr> values = reduction.reducer->combine(lhs, rhs);
  if (values.size() == 1) return make<BufferStoreNode>(buffers[0], values[0], indices);
  Array<Stmt> binds, stores;
  for (size_t i = 0; i < values.size(); ++i) {
    Var name = make_var(String(fmt::format("v_{}", buffers[i]->name.c_str())), values[i]->dtype());
    binds.push_back(make<BindNode>(name, values[i]));
    stores.push_back(make<BufferStoreNode>(buffers[i], Expr(name), indices));
  }
  for (const Stmt& store : stores) binds.push_back(store);
  return seq(binds);
}

// The first stage: one block iterator per reduction loop, the chosen loop's among the spatial ones.
SBlock partial_block(const SBlockRealize& realize, const ForNode* rf_loop,
                     const std::vector<SRefNode*>& loops, const Reduction& reduction,
                     const std::vector<Buffer>& partial, size_t axis, Array<Expr>& values) {
  const SBlock& old = realize->block;
  IterVar added = iter_of(rf_loop, IterType::kDataPar);
  Array<IterVar> iters{added};
  values.push_back(rf_loop->loop_var);
  VarMap iter_of_loop{{rf_loop->loop_var.get(), added->var}}, value_of_iter;
  bool reduces = false;
  for (size_t i = 0; i < old->iter_vars.size(); ++i) {
    const IterVar& iter = old->iter_vars[i];
    const Expr& value = realize->iter_values[i];
    std::vector<Var> vars = free_vars(value);
    bool touched =
        std::any_of(vars.begin(), vars.end(), [&](const Var& var) { return var.same_as(rf_loop->loop_var); });
    if (iter->iter_type == IterType::kDataPar || !touched) {
      reduces = reduces || iter->iter_type == IterType::kCommReduce;
      iters.push_back(iter);
      values.push_back(value);
      continue;
    }
    for (const Var& var : vars) {
      auto found = std::find_if(loops.begin(), loops.end(),
                                [&](const SRefNode* sref) { return sref->loop()->loop_var.same_as(var); });
      if (found == loops.end() || iter_of_loop.contains(var.get())) continue;
      IterVar fresh = iter_of((*found)->loop(), IterType::kCommReduce);
      reduces = true;
      iter_of_loop[var.get()] = fresh->var;
      iters.push_back(fresh);
      values.push_back(var);
    }
    value_of_iter[iter->var.get()] = substitute(value, iter_of_loop);
  }
  Array<Expr> indices = inserted(reduction.indices, axis, added->var);
  Stmt body, init;
  if (reduces) {
    body = update_of(reduction, partial, indices, reduction.rhs);
    init = substitute(init_of(reduction, partial, indices), value_of_iter);
  } else {
    Array<Stmt> stores;
    for (size_t i = 0; i < partial.size(); ++i)
      stores.push_back(make<BufferStoreNode>(partial[i], reduction.rhs[i], indices));
    body = seq(stores);
  }
  Array<TensorRegion> reads = substitute(old->reads, value_of_iter), writes;
  for (const TensorRegion& write : old->writes) {
    std::vector<Range> region(write->region.begin(), write->region.end());
    region.insert(region.begin() + axis, make<RangeNode>(Expr(added->var), const_like(added->var, 1)));
    size_t i = std::find(reduction.buffers.begin(), reduction.buffers.end(), write->source) -
               reduction.buffers.begin();
    writes.push_back(substitute(
        TensorRegion(make<TensorRegionNode>(partial[i], Array<Range>(region.begin(), region.end()))),
        value_of_iter));
  }
  return make<SBlockNode>(iters, reads, writes, String(fmt::format("{}_rf", old->name_hint.c_str())),
                          substitute(body, value_of_iter), init, Array<Buffer>{}, Array<MatchBufferRegion>{},
                          old->annotations, old->span);
}

// The second stage reduces over the chosen loop.
SBlock combining_block(const SBlockRealize& realize, const ForNode* rf_loop, const Reduction& reduction,
                       const std::vector<Buffer>& partial, size_t axis, Array<Expr>& values) {
  const SBlock& old = realize->block;
  IterVar added = iter_of(rf_loop, IterType::kCommReduce);
  Array<IterVar> iters{added};
  values.push_back(rf_loop->loop_var);
  for (size_t i = 0; i < old->iter_vars.size(); ++i) {
    if (old->iter_vars[i]->iter_type != IterType::kDataPar) continue;
    iters.push_back(old->iter_vars[i]);
    values.push_back(realize->iter_values[i]);
  }
  const Array<Expr>& indices = reduction.indices;
  Array<Expr> partial_indices = inserted(indices, axis, added->var);
  std::vector<Expr> rhs;
  Array<TensorRegion> reads, writes;
  for (size_t i = 0; i < partial.size(); ++i) {
    rhs.push_back(make<TensorLoadNode>(partial[i], partial_indices));
    reads.push_back(make<TensorRegionNode>(partial[i], points(partial_indices)));
    writes.push_back(make<TensorRegionNode>(reduction.buffers[i], points(indices)));
  }
  return make<SBlockNode>(iters, reads, writes, old->name_hint,
                          update_of(reduction, reduction.buffers, indices, rhs),
                          init_of(reduction, reduction.buffers, indices), Array<Buffer>{},
                          Array<MatchBufferRegion>{}, old->annotations, old->span);
}

SRefNode* apply(Step& step, LoopArg loop, int64_t factor_axis) {
  // check
  SRefNode& scope = *scope_of(*loop);
  require_stage_pipeline(step.state, scope, "rfactor");
  std::vector<SRefNode*> below = child_blocks(step.state, *loop);
  if (below.size() != 1) {
    Error error = refuse_as(refusals["rfactor-several-blocks"],
                            "below loop `{}` are {} blocks instead of one reduction block",
                            loop->name.c_str(), below.size());
    for (const SRefNode* each : below)
      error.first().notes.push_back(
          {fmt::format("block `{}` is defined here", each->name.c_str()), each->stmt->span});
    throw std::move(error).at(loop.span).help("give each of them loops of its own first");
  }
  SRefNode& block = *below[0];
  require_straight(step.state, scope, {&block}, {&block}, "rfactor");
  require_reduction(step.state, block, scope);
  require_affine_binding(step.state, block);
  const ForNode* rf_loop = loop->loop();
  if (rf_loop->for_kind != ForKind::kSerial) {
    throw refuse(refusals["rfactor-loop-not-serial"], loop->name.c_str()).at(loop.span);
  }
  if (!is_const_int(rf_loop->min, 0)) {
    throw refuse(shared_refusals["loop-not-from-zero"], "rfactor", loop->name.c_str())
        .at(loop.span)
        .note("the loop is made here", rf_loop->span);
  }
  SBlockRealize realize = realize_of(step.state, block);
  std::vector<SRefNode*> loops = loops_above(block);
  LoopUse use = use_of_loops(realize);
  require_loops(step, loop, block, loops, use);
  if (!use.reduced.contains(rf_loop->loop_var.get()) && !is_const_int(rf_loop->extent, 1)) {
    throw refuse_as(refusals["rfactor-unbound-loop"],
                    "loop `{}` belongs to no iterator of block `{}`, which it repeats", loop->name.c_str(),
                    block.name.c_str())
        .at(loop.span)
        .note("the loop is made here", rf_loop->span)
        .help("choose a loop of a reduction iterator (`T.axis.reduce`, `R` in `T.axis.remap`)");
  }
  if (child_blocks(step.state, *loops[0])[0] != &block) {
    throw refuse(refusals["rfactor-not-first"], block.name.c_str(), loops[0]->name.c_str()).at(loop.span);
  }
  Reduction reduction = reduction_of(block, step.span(1));
  int64_t ndim = static_cast<int64_t>(reduction.indices.size());
  if (factor_axis < -(ndim + 1) || factor_axis > ndim) {
    throw refuse(refusals["rfactor-axis-out-of-range"], factor_axis, -(ndim + 1), ndim)
        .at(step.span(2))
        .help(fmt::format("buffer `{}` has {} dimension{}, the new one goes before or after any of them",
                          reduction.buffers[0]->name.c_str(), ndim, ndim == 1 ? "" : "s"));
  }
  size_t axis = static_cast<size_t>(factor_axis < 0 ? factor_axis + ndim + 1 : factor_axis);
  std::unordered_set<const VarNode*> inner = use.reduced;
  inner.erase(rf_loop->loop_var.get());
  Expr predicate = reached(realize, loops, inner, loop);

  // apply
  std::vector<Buffer> partial;
  for (const Buffer& buffer : reduction.buffers) {
    auto type = ffi::make_object<BufferTypeNode>(*buffer->buffer());
    type->shape = inserted(type->shape, axis, rf_loop->extent);
    type->strides = {};
    partial.push_back(
        make<VarNode>(String(fmt::format("{}.rf", buffer->name.c_str())), Type(BufferType(type))));
  }
  Array<Expr> partial_values, combined_values;
  SBlock first = partial_block(realize, rf_loop, loops, reduction, partial, axis, partial_values);
  SBlock second = combining_block(realize, rf_loop, reduction, partial, axis, combined_values);
  Stmt nest = make<SBlockRealizeNode>(partial_values, realize->predicate, first);
  for (size_t i = loops.size(); i-- > 0;)
    nest = with(ref(loops[i]->loop()), [&](ForNode& copy) { copy.body = nest; });
  nest = FreshBinders().rewrite(nest);
  first = innermost_block(nest);
  Stmt realized = make<SBlockRealizeNode>(combined_values, predicate, second);
  // The nest with the block replaced, without its reduction loops but one; blocks after it stay.
  Stmt combining = rewrite_with(loops[0]->stmt, [&](const Stmt& s, Rewriter& on) -> Stmt {
    if (auto* at = as<SBlockRealizeNode>(s)) return at->block.same_as(realize->block) ? realized : s;
    Stmt next = on.rewrite_children(s);
    auto* loop = as<ForNode>(s);
    bool gone = loop && loop != rf_loop && use.reduced.contains(loop->loop_var.get());
    return gone ? as<ForNode>(next)->body : next;
  });
  Stmt next = with(ref(scope.block()), [&](SBlockNode& copy) {
    Array<Stmt> body;
    for (const Stmt& s : statements_of(copy.body)) {
      if (s.same_as(loops[0]->stmt)) body.push_back(nest);
      body.push_back(s.same_as(loops[0]->stmt) ? combining : s);
    }
    copy.body = seq(body);
    for (const Buffer& buffer : partial) copy.alloc_buffers.push_back(buffer);
  });
  step.replace(scope, next, {{realize->block.get(), second.get()}});
  // A condition on several iterators is no part of an affine map; the factored block visits what the first
  // did.
  for (const SBlock& made : {first, second}) step.sref(made)->affine_binding = true;
  return step.sref(first);
}

}  // namespace

extern const Primitive rfactor;
const Primitive rfactor = primitive<&apply>("RFactor", "rfactor(loop, factor_axis)", doc);

}  // namespace mlc::transform::primitive_rfactor
