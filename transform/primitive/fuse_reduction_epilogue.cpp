// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/core/refusal.h"
#include "ir/core/walk_with.h"
#include "ir/tir/for_kind.h"
#include "ir/tir/region.h"
#include "transform/arith/expr_equal.h"
#include "transform/arith/simplify.h"
#include "transform/schedule/inline.h"
#include "transform/schedule/non_block_stmts.h"
#include "transform/schedule/reducer.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform::primitive_fuse_reduction_epilogue {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "other-scope",
         .message = "blocks `{}` and `{}` are not in the same scope",
         .help = "blocks of one scope have the same block around them",
         .meaning =
             "The epilogue becomes part of the reduction, which it can only where both stand in one block.",
         .wrong = R"(i, j = sch.get_loops("double")
sch.blockize(i)
sch.fuse_reduction_epilogue("product", "double"))",
         .right = R"(sch.fuse_reduction_epilogue("product", "shifted"))"},
        {.name = "epilogue-not-fusible",
         .message = "block `{}` is no epilogue of block `{}`: {}",
         .help = "an epilogue is one store of the sum, or of a sum of it and biases: `C[vi, vj] = S[vi, vj] "
                 "+ B[vj]`",
         .meaning =
             "The reduction takes over the epilogue, which therefore adds to the sum, element by element.",
         .wrong = R"(sch.fuse_reduction_epilogue("product", "double"))",
         .right = R"(sch.fuse_reduction_epilogue("product", "shifted"))"},
        {.name = "reduction-not-a-sum",
         .message = "block `{}` does not add up from zero",
         .help = "other reductions keep their epilogue; `reverse_compute_at` moves it to their loops",
         .meaning = "What is added at the end can be what the sum starts with; of a maximum this is not so.",
         .wrong = R"(@T.prim_func(s_tir=True)
def largest(A: T.Buffer((16, 16), "float32"), B: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    S = T.sblock_alloc_buffer((16,))
    for i, k in T.grid(16, 16):
        with T.sblock("largest"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                S[vi] = 0.0
            S[vi] = T.max(S[vi], A[vi, vk])
    for i in range(16):
        with T.sblock("biased"):
            vi = T.axis.spatial(16, i)
            C[vi] = S[vi] + B[vi]


other = tvm.s_tir.Schedule(largest)
other.fuse_reduction_epilogue("largest", "biased"))",
         .right = R"(sch.fuse_reduction_epilogue("product", "shifted"))"},
    }};
MLC_REFUSALS(primitive_fuse_reduction_epilogue, refusals);

static constexpr char doc[] = R"(
fuse_reduction_epilogue(reduction_block, epilogue_block)      Let a sum start at the bias.

    with T.init():                    =>      with T.init():
        S[i, j] = 0                               D[i, j] = C[j]
    S[i, j] += A[i, k] * B[k, j]              D[i, j] += A[i, k] * B[k, j]
    D[i, j] = S[i, j] + C[j]

The epilogue is the sum itself, or a sum of it and biases. Others, `max` and `min` among them, do not distribute over the
steps: applied at each of them they compute something else where the sum goes back over a bound.
needs: a reduction block that adds up from zero; the epilogue is complete, without condition, and the sum's only reader; it
       covers what the reduction writes.
keeps: the values.
)";

namespace {

bool is_zero(const Expr& e) {
  if (auto* f = as<FloatImmNode>(e)) return f->value == 0;
  return is_const_int(e, 0);
}

bool reads(const Expr& e, const Buffer& buffer) {
  return any_below(e, [&](const Expr& sub) {
    auto* load = as<TensorLoadNode>(sub);
    return load && load->source.same_as(buffer);
  });
}

// The epilogue with `value` for the sum, null where the sum occurs in another way than in sums. The bias is
// added once: without `biased` the others stay out.
Expr epilogue_of(const Expr& e, const Buffer& sum, const Expr& value, bool biased) {
  auto* load = as<TensorLoadNode>(e);
  if (load && load->source.same_as(sum)) return value;
  auto* two = as<AddNode>(e);
  if (!two) return nullptr;
  bool left = reads(two->a, sum), right = reads(two->b, sum);
  if (left == right) return nullptr;
  Expr inner = epilogue_of(left ? two->a : two->b, sum, value, biased);
  if (!inner || !biased) return inner;
  return left ? add(inner, two->b) : add(two->a, inner);
}

void apply(Step& step, BlockArg reduction, BlockArg epilogue) {
  // check
  SRefNode* scope = require_scope(reduction);
  if (scope_of(*epilogue) != scope) {
    throw refuse(refusals["other-scope"], reduction->name.c_str(), epilogue->name.c_str()).at(epilogue.span);
  }
  require_reduction(step.state, *reduction, *scope);
  require_complete(step.state, *epilogue, *scope);
  auto refuse_epilogue = [&](const std::string& why) {
    return about_block(
        refuse(refusals["epilogue-not-fusible"], epilogue->name.c_str(), reduction->name.c_str(), why),
        epilogue.span, epilogue->stmt->span);
  };
  const SBlockNode* sum_block = reduction->block();
  const BufferStoreNode* update = only_store(*reduction, reduction.span);
  auto* start = as<BufferStoreNode>(sum_block->init);
  const Buffer& sum = update->buffer;
  auto* addition = as<AddNode>(update->value);
  auto is_sum = [&](const Expr& e) {
    auto* load = as<TensorLoadNode>(e);
    return load && load->source.same_as(sum);
  };
  if (!start || !is_zero(start->value) || !addition || is_sum(addition->a) == is_sum(addition->b)) {
    throw about_block(refuse(refusals["reduction-not-a-sum"], reduction->name.c_str()), reduction.span,
                      sum_block->span);
  }
  require_inner_buffer(sum, *reduction, *scope, reduction.span);
  require_allocated_before(*scope, *reduction, *epilogue, "fuse_reduction_epilogue");
  // Sums of one's own may be computed side by side; in the memory of the epilogue they meet.
  SBlockRealize realize = realize_of(step.state, *reduction);
  for (const SRefNode* loop : loops_above(*reduction)) {
    if (!ir::runs_side_by_side(loop->loop()->for_kind) || is_const_int(loop->loop()->extent, 1) ||
        used_by(realize, *loop, false) || used_by(realize, *loop, true))
      continue;
    throw refuse_epilogue(
        fmt::format("each iteration of loop `{}`, which run side by side, sums up all of `{}`",
                    loop->name.c_str(), sum->name.c_str()));
  }
  const BufferStoreNode* store = only_store(*epilogue, epilogue.span);
  Dependences deps = dependences(step.state, *scope);
  std::vector<SRefNode*> consumers = deps.consumers(*reduction);
  if (std::find(consumers.begin(), consumers.end(), &*epilogue) == consumers.end())
    throw refuse_epilogue(fmt::format("it does not read `{}`", sum->name.c_str()));
  for (SRefNode* other : consumers) {
    if (other != &*epilogue)
      throw refuse_epilogue(
          fmt::format("block `{}` reads `{}` as well", other->name.c_str(), sum->name.c_str()));
  }
  if (!is_const_int(realize_of(step.state, *epilogue)->predicate, 1))
    throw refuse_epilogue("it has a condition");
  Array<Expr> indices = only_load_indices(*epilogue, store->value, sum, epilogue.span);
  std::unordered_map<const VarNode*, size_t> axes = index_axes(*epilogue, indices, epilogue.span);
  const SBlockNode* last = epilogue->block();
  if (axes.size() != last->iter_vars.size())
    throw refuse_epilogue(fmt::format("an iterator does not occur in its index of `{}`", sum->name.c_str()));
  VarMap at;
  Analyzer analyzer;
  for (const IterVar& iter : last->iter_vars) {
    const Expr& index = update->indices[axes.at(iter->var.get())];
    at[iter->var.get()] = index;
    auto mine = std::find_if(sum_block->iter_vars.begin(), sum_block->iter_vars.end(),
                             [&](const IterVar& each) { return index.same_as(each->var); });
    if (mine == sum_block->iter_vars.end() ||
        !analyzer.can_prove_equal((*mine)->dom->extent, iter->dom->extent) ||
        !analyzer.can_prove_equal((*mine)->dom->min, iter->dom->min)) {
      throw refuse_epilogue(fmt::format("iterator `{}` is no iterator of the sum", iter->var->name.c_str()));
    }
  }
  Expr value = substitute(store->value, at);
  Array<Expr> target = substitute(store->indices, at);
  LoadReplacement own = [&](const Array<Expr>&) { return Expr(make<TensorLoadNode>(store->buffer, target)); };
  Expr next_value = replace_loads(update->value, sum, own);
  Expr first = epilogue_of(value, sum, start->value, true);
  Expr next = epilogue_of(value, sum, next_value, false);
  if (!first || !next) throw refuse_epilogue("it is not the sum, nor the sum and a bias");

  // apply
  Array<TensorRegion> fused;
  bool twice = false;
  auto add_reads = [&](const Array<TensorRegion>& regions, const VarMap& values) {
    for (const TensorRegion& region : regions) {
      if (region->source.same_as(sum)) continue;
      for (const TensorRegion& there : fused) twice = twice || there->source.same_as(region->source);
      fused.push_back(substitute(region, values));
    }
  };
  add_reads(last->reads, at);
  add_reads(sum_block->reads, {});
  SBlock block = with(ref(sum_block), [&](SBlockNode& copy) {
    copy.init = make<BufferStoreNode>(store->buffer, analyzer.simplify(first), target);
    copy.body = make<BufferStoreNode>(store->buffer, next, target);
    copy.reads = fused;
    copy.writes = substitute(last->writes, at);
  });
  if (twice) {
    AccessRegions regions = detect_access_regions(block, transform::simplify);
    block = with(block, [&](SBlockNode& copy) { copy.reads = regions.reads; });
  }
  Inlining inlining = replace_producer(*scope, *epilogue, *reduction, block);
  step.replace(*inlining.scope, inlining.next, inlining.reuse);
}

}  // namespace

extern const Primitive fuse_reduction_epilogue;
const Primitive fuse_reduction_epilogue = primitive<&apply>(
    "FuseReductionEpilogue", "fuse_reduction_epilogue(reduction_block, epilogue_block)", doc);

}  // namespace mlc::transform::primitive_fuse_reduction_epilogue
