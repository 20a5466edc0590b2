// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "ir/core/walk_with.h"
#include "transform/schedule/cache_stage.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform::primitive_cache_inplace {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "not-in-place",
         .message = "block `{}` does not both read and write `{}`",
         .help = "for buffers that are read only there is `cache_read`, for written ones `cache_write`",
         .meaning =
             "The copy is filled before the block and written back behind it, so the block must do both.",
         .wrong = R"(sch.cache_inplace("double", 0, "local"))",
         .right = R"(@T.prim_func(s_tir=True)
def doubled(A: T.Buffer((16, 16), "float32")):
    for i, j in T.grid(16, 16):
        with T.sblock("twice"):
            vi, vj = T.axis.remap("SS", [i, j])
            A[vi, vj] = A[vi, vj] * 2.0


other = tvm.s_tir.Schedule(doubled)
other.cache_inplace("twice", 0, "local"))"},
        {.name = "in-place-regions-differ",
         .message = "block `{}` reads another region of `{}` than it writes",
         .help = "`cache_read` and `cache_write` make a copy for each",
         .meaning = "One copy holds what is read and takes what is written, so both must be of one region.",
         .wrong = R"(@T.prim_func(s_tir=True)
def moved(A: T.Buffer((17,), "float32")):
    for i in range(16):
        with T.sblock("moved"):
            vi = T.axis.spatial(16, i)
            A[vi] = A[vi + 1] * 2.0


other = tvm.s_tir.Schedule(moved)
other.cache_inplace("moved", 0, "local"))",
         .right = R"(@T.prim_func(s_tir=True)
def doubled(A: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.sblock("twice"):
            vi = T.axis.spatial(16, i)
            A[vi] = A[vi] * 2.0


other = tvm.s_tir.Schedule(doubled)
other.cache_inplace("twice", 0, "local"))"},
    }};
MLC_REFUSALS(primitive_cache_inplace, refusals);

static constexpr char doc[] = R"(
cache_inplace(block, read_buffer_index, storage_scope) -> blocks      Let a block update a buffer in another memory.

    A[i] = f(A[i])        =>      A_local[i] = A[i]
                                  A_local[i] = f(A_local[i])
                                  A[i] = A_local[i]

The copies stand right before and after the block. Returns both copying blocks.
needs: the block reads and writes the buffer, and touches the same region of it both times.
keeps: the values computed.
)";

static std::vector<SRefNode*> apply(Step& step, BlockArg block, Any, String storage_scope) {
  // check
  SRefNode* scope = require_scope(block);
  const SBlockNode* old = block->block();
  Buffer buffer = choose_buffer(step, 2, *block, old->reads, "reads");
  require_storage_scope(step, 3, storage_scope);
  TensorRegion region, written;
  for (const TensorRegion& each : old->reads)
    if (each->source.same_as(buffer)) region = each;
  for (const TensorRegion& each : old->writes)
    if (each->source.same_as(buffer)) written = each;
  if (!written) {
    throw about_block(refuse(refusals["not-in-place"], block->name.c_str(), buffer->name.c_str()),
                      step.span(2), old->span);
  }
  Analyzer analyzer;
  for (size_t d = 0; d < region->region.size(); ++d) {
    const Range &a = region->region[d], &b = written->region[d];
    if (analyzer.can_prove_equal(a->min, b->min) && analyzer.can_prove_equal(a->extent, b->extent)) continue;
    throw about_block(refuse(refusals["in-place-regions-differ"], block->name.c_str(), buffer->name.c_str()),
                      step.span(2), old->span);
  }

  // apply
  CacheStage in;
  in.from = buffer;
  in.to = in.allocated = buffer_in(buffer, storage_scope);
  VarMap values = bindings_of(realize_of(step.state, *block));
  for (const Range& range : region->region) {
    Expr min = substitute(range->min, values), extent = substitute(range->extent, values);
    in.region.push_back({analyzer.simplify(min), analyzer.simplify(min + extent - 1)});
    bool always = is_const_int(realize_of(step.state, *block)->predicate, 1);
    in.guards.push_back({.low = !always, .high = !always});
  }
  CacheStage out = in;
  std::swap(out.from, out.to);
  SBlock in_block, out_block;
  Stmt before = copy_nest(in, in_block), after = copy_nest(out, out_block);
  SBlock next = ref(as<SBlockNode>(replace_buffers(block->stmt, {{buffer.get(), in.allocated}})));
  SBlockRealize realize =
      with(realize_of(step.state, *block), [&](SBlockRealizeNode& copy) { copy.block = next; });
  Stmt around = parent_with(*block, seq({before, realize, after}));
  // The scope allocates the new buffer.
  SRefNode& parent = *block->parent;
  Stmt body = replaced(scope->stmt, parent.stmt, around);
  body =
      with(ref(as<SBlockNode>(body)), [&](SBlockNode& copy) { copy.alloc_buffers.push_back(in.allocated); });
  step.replace(*scope, body, {{old, next.get()}});
  compute_flags(step.state, *scope);
  return {step.sref(in_block), step.sref(out_block)};
}

extern const Primitive cache_inplace;
const Primitive cache_inplace =
    primitive<&apply>("CacheInplace", "cache_inplace(block, read_buffer_index, storage_scope)", doc);

}  // namespace mlc::transform::primitive_cache_inplace
