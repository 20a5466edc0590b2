// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/core/refusal.h"
#include "transform/schedule/cover.h"
#include "transform/schedule/inline.h"
#include "transform/schedule/non_block_stmts.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform::primitive_compute_inline {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "inline-other-threads",
         .message = "block `{}` would read of `{}` what other threads have written, which do not share it",
         .help = "keep the copy in memory that these threads share",
         .meaning = "What is read comes from shared memory, which was filled from memory of single threads.",
         .wrong = R"(@T.prim_func(s_tir=True)
def turned(A: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32")):
    own = T.sblock_alloc_buffer((32,), scope="local")
    rows = T.sblock_alloc_buffer((32,), scope="shared")
    for i in T.thread_binding(32, thread="threadIdx.x"):
        with T.sblock("own"):
            vi = T.axis.spatial(32, i)
            own[vi] = A[vi] * 2.0
        with T.sblock("rows"):
            vi = T.axis.spatial(32, i)
            rows[vi] = own[vi]
        with T.sblock("C"):
            vi = T.axis.spatial(32, i)
            C[vi] = rows[31 - vi]


other = tvm.s_tir.Schedule(turned)
other.compute_inline("rows"))",
         .right = R"(sch.cache_write("double", 0, "shared")
sch.compute_inline("double"))"},
    }};
MLC_REFUSALS(primitive_compute_inline, refusals);

static constexpr char doc[] = R"(
compute_inline(block)      Compute what a block writes where it is read, and drop the block.

    B[i, j] = f(i, j)            =>      C[i, j] = g(f(i, j + 1))
    C[i, j] = g(B[i, j + 1])

needs: a complete block whose body is one store, `B[i, j] = ...` with distinct iterators as indices; B stays inside the
       scope and nothing else writes it; somebody reads it.
keeps: the values of all other buffers.
)";

// Iterators of one iteration. Where the indices are the iterators in their order, up to a constant 0 for one
// of these, they are at the reader's index; elsewhere at their value. Is nothing else left out that the value
// needs?
static bool add_single_iterators(const SRefNode& block, const BufferStoreNode& store,
                                 std::unordered_map<const VarNode*, size_t>& axis, VarMap& single) {
  const Array<IterVar>& iters = block.block()->iter_vars;
  auto is_single = [](const IterVar& iter) { return is_const_int(iter->dom->extent, 1); };
  bool in_order = iters.size() == store.indices.size();
  for (size_t i = 0; in_order && i < iters.size(); ++i)
    in_order =
        store.indices[i].same_as(iters[i]->var) ||
        (is_const_int(store.indices[i], 0) && is_single(iters[i]) && is_const_int(iters[i]->dom->min, 0));
  std::vector<Var> used = free_vars(store.value);
  for (size_t i = 0; i < iters.size(); ++i) {
    const VarNode* var = iters[i]->var.get();
    if (is_single(iters[i])) {
      axis.erase(var);
      if (in_order)
        axis[var] = i;
      else
        single[var] = iters[i]->dom->min;
    } else if (!axis.contains(var) &&
               std::any_of(used.begin(), used.end(), [&](const Var& other) { return other.get() == var; })) {
      return false;
    }
  }
  return true;
}

// What the block reads in memory of another scope than the one it writes, its readers must find there as
// well: they may belong to other threads.
static void require_same_threads(ScheduleState& state, const BlockArg& block, const Buffer& buffer,
                                 const std::vector<SRefNode*>& consumers, const Inlining& inlining) {
  std::vector<SRefNode*> loops = loops_above(*block);
  bool threads =
      std::ranges::any_of(loops, [](SRefNode* each) { return bool(each->loop()->thread_binding); });
  if (!threads) return;
  std::vector<ReadBuffer> reads;
  for (const ReadBuffer& read : covered_by_producers(state, {&*block})) {
    if (memory_of(read.buffer) == memory_of(buffer)) continue;
    for (SRefNode* consumer : consumers) reads.push_back({consumer, read.buffer});
  }
  if (reads.empty()) return;
  auto lost = first_uncovered(state, *inlining.scope, inlining.next, inlining.reuse, reads);
  if (!lost) return;
  throw about_block(
      refuse(refusals["inline-other-threads"], lost->block->name.c_str(), lost->buffer->name.c_str())
          .help(
              fmt::format("`{}` is in memory that these threads share: keep the copy", buffer->name.c_str())),
      block.span, lost->block->stmt->span);
}

static Inlining plan(ScheduleState& state, const BlockArg& block) {
  SRefNode* scope = require_scope(block);
  require_stage_pipeline(state, *scope, "compute_inline");
  require_straight(state, *scope, {&*block}, {&*block}, "compute_inline");
  const SBlockNode* old = block->block();
  if (old->init) {
    throw about_block(refuse(shared_refusals["inline-has-init"], block->name.c_str()), block.span, old->span);
  }
  require_one_buffer(
      *block, old->writes, true, [](const Buffer&) { return true; }, block.span);
  require_complete(state, *block, *scope);
  const BufferStoreNode* store = only_store(*block, block.span);
  const Buffer& buffer = store->buffer;
  require_inner_buffer(buffer, *block, *scope, block.span);
  auto axis = plain_axes(*block, store->indices);
  VarMap single;  // iterators that no index names
  if (axis && !add_single_iterators(*block, *store, *axis, single)) axis.reset();
  // Other indices: the iterators follow from them.
  Array<Expr> outputs;
  for (const Expr& index : store->indices) outputs.push_back(make_var("index", index->dtype()));
  std::optional<VarMap> inverse;
  if (!axis) inverse = iterators_at(*block, store->indices, outputs);
  if (!axis && !inverse) throw indices_not_iterators(*block, block.span);
  Dependences deps = dependences(state, *scope);
  std::vector<SRefNode*> consumers = deps.consumers(*block);
  // Blocks with undeclared reads, of their own or of nested blocks, and those that take the address. None at
  // all: the block goes.
  auto uses = [&](const Stmt& s) {
    return uses_var(s, [&](const VarNode* var) { return var == buffer.get(); });
  };
  for (SRefNode* other : deps.blocks) {
    bool known = other == &*block || std::find(consumers.begin(), consumers.end(), other) != consumers.end();
    if (!known && uses(other->stmt)) consumers.push_back(other);
  }
  for (const SRefNode* consumer : consumers) require_no_alias(*consumer, buffer, block.span);

  LoadReplacement value = [&](const Array<Expr>& indices) {
    VarMap at;
    if (inverse) {
      VarMap given;
      for (size_t d = 0; d < indices.size(); ++d) given[as<VarNode>(outputs[d])] = indices[d];
      for (const auto& [var, value] : *inverse) at[var] = substitute(value, given);
    } else {
      at = single;
      for (const auto& [var, dimension] : *axis) at[var] = indices[dimension];
    }
    return at_iterators(store->value, at);
  };
  Inlining inlining = inline_block(*scope, *block, consumers, buffer, value);
  require_same_threads(state, block, buffer, consumers, inlining);
  return inlining;
}

static void apply(Step& step, BlockArg block) {
  Inlining inlining = plan(step.state, block);
  step.replace(*inlining.scope, inlining.next, inlining.reuse);
}

extern const Primitive compute_inline;
const Primitive compute_inline = primitive<&apply>("ComputeInline", "compute_inline(block)", doc);

}  // namespace mlc::transform::primitive_compute_inline

namespace mlc::transform {
Inlining plan_compute_inline(ScheduleState& state, const BlockArg& block) {
  return primitive_compute_inline::plan(state, block);
}
}  // namespace mlc::transform
