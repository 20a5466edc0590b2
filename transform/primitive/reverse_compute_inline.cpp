// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/schedule/conditions.h"
#include "transform/schedule/inline.h"
#include "transform/schedule/non_block_stmts.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/witness.h"

namespace mlc::transform::primitive_reverse_compute_inline {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "several-producers",
         .message = "block `{}` has {} producers; it needs exactly one",
         .help = "`reverse_compute_at` moves a block with several producers",
         .meaning = "The block is written by several blocks, of which none can be chosen.",
         .wrong = R"(i, j, k = sch.get_loops("product")
sch.decompose_reduction("product", k)
sch.reverse_compute_inline("shifted"))",
         .right = R"(sch.reverse_compute_inline(sch.cache_write("shifted", 0, "local")))"},
        {.name = "several-consumers",
         .message = "what block `{}` writes is read by other blocks too",
         .help = "`compute_inline` puts a producer into all that read it",
         .meaning = "The buffer between the two goes away, and the other blocks would have nothing to read.",
         .wrong = R"(@T.prim_func(s_tir=True)
def shared(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32"), D: T.Buffer((16,), "float32")):
    B = T.sblock_alloc_buffer((16,))
    for i in range(16):
        with T.sblock("B"):
            vi = T.axis.spatial(16, i)
            B[vi] = A[vi] * 2.0
    for i in range(16):
        with T.sblock("C"):
            vi = T.axis.spatial(16, i)
            C[vi] = B[vi] + 1.0
    for i in range(16):
        with T.sblock("D"):
            vi = T.axis.spatial(16, i)
            D[vi] = B[vi] + 2.0


other = tvm.s_tir.Schedule(shared)
other.reverse_compute_inline("C"))",
         .right = R"(sch.reverse_compute_inline(sch.cache_write("shifted", 0, "local")))"},
        {.name = "inline-into-reduction",
         .message =
             "block `{}`, the producer of `{}`, is a reduction: its values are not final until the last "
             "update",
         .help = "`reverse_compute_at` moves the block to the loops of the reduction",
         .meaning = "A consumer that is inlined into its producer works on each value that this stores.",
         .wrong = R"(sch.reverse_compute_inline("shifted"))",
         .right = R"(sch.compute_inline("double"))"},
        {.name = "inline-free-iterator",
         .message = "the iterators of block `{}` do not follow from its indices of `{}`",
         .help = "each iterator, or each digit of it, must occur in one index",
         .meaning = "For each element that the producer writes it must be told which instance of the "
                    "consumer reads it.",
         .wrong = R"(@T.prim_func(s_tir=True)
def spread(A: T.Buffer((16,), "float32"), C: T.Buffer((16, 16), "float32")):
    B = T.sblock_alloc_buffer((16,))
    for i in range(16):
        with T.sblock("B"):
            vi = T.axis.spatial(16, i)
            B[vi] = A[vi] * 2.0
    for i, j in T.grid(16, 16):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi] + 1.0


other = tvm.s_tir.Schedule(spread)
other.reverse_compute_inline("C"))",
         .right = R"(sch.reverse_compute_inline(sch.cache_write("shifted", 0, "local")))"},
        {.name = "inline-reads-outside",
         .message =
             "block `{}` has instances that read nothing of `{}`, and its producer would leave them out",
         .help = "inline the producer into it: `sch.compute_inline`",
         .meaning =
             "Instances of the consumer without an element of the producer would have no place to run.",
         .wrong = R"(@T.prim_func(s_tir=True)
def padded(A: T.Buffer((16,), "float32"), C: T.Buffer((18,), "float32")):
    B = T.sblock_alloc_buffer((16,))
    for i in range(16):
        with T.sblock("B"):
            vi = T.axis.spatial(16, i)
            B[vi] = A[vi] * 2.0
    for i in range(18):
        with T.sblock("C"):
            vi = T.axis.spatial(18, i)
            C[vi] = T.if_then_else(1 <= vi and vi < 17, B[vi - 1], T.float32(0))


other = tvm.s_tir.Schedule(padded)
other.reverse_compute_inline("C"))",
         .right = R"(sch.reverse_compute_inline(sch.cache_write("shifted", 0, "local")))"},
        {.name = "inline-has-predicate",
         .message = "block `{}` has a condition, so it cannot be inlined into its producer",
         .help = "`split` with a factor that divides the extent needs no condition",
         .meaning = "The condition is one on the loops of the block, which are lost when it is inlined.",
         .wrong = R"(@T.prim_func(s_tir=True)
def chain(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    B = T.sblock_alloc_buffer((16,))
    for i in range(16):
        with T.sblock("B"):
            vi = T.axis.spatial(16, i)
            B[vi] = A[vi] * 2.0
    for i in range(16):
        with T.sblock("C"):
            vi = T.axis.spatial(16, i)
            C[vi] = B[vi] + 1.0


other = tvm.s_tir.Schedule(chain)
other.split(other.get_loops("C")[0], [None, 5])
other.reverse_compute_inline("C"))",
         .right = R"(copy = sch.cache_write("shifted", 0, "local")
i, j = sch.get_loops(copy)
sch.split(i, [None, 4])
sch.reverse_compute_inline(copy))"},
        {.name = "inline-not-covering",
         .message = "block `{}` writes elements of `{}` that block `{}` does not read",
         .help = "`reverse_compute_at` moves the block and leaves the buffer",
         .meaning = "Elements that no instance of the consumer reads are computed all the same.",
         .wrong = R"(@T.prim_func(s_tir=True)
def first_column(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16,), "float32")):
    B = T.sblock_alloc_buffer((16, 16))
    for i, j in T.grid(16, 16):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * 2.0
    for i in range(16):
        with T.sblock("C"):
            vi = T.axis.spatial(16, i)
            C[vi] = B[vi, 0] + 1.0


other = tvm.s_tir.Schedule(first_column)
other.reverse_compute_inline("C"))",
         .right = R"(sch.reverse_compute_inline(sch.cache_write("shifted", 0, "local")))"},
    }};
MLC_REFUSALS(primitive_reverse_compute_inline, refusals);

static constexpr char doc[] = R"(
reverse_compute_inline(block)      Let the only producer of a block compute what the block would make of it, and drop the block.

    B[i, j] = f(i, j)           =>      C[j, i] = g(f(i, j))
    C[j, i] = g(B[i, j])

Where the block reads less than the producer writes, the producer gets a condition.
needs: a complete block without condition whose body is one store; it reads one buffer written in its scope, at indices from
       which its iterators follow; that buffer has one writer, a complete block with one store, itself or in the only block
       inside of it, and no other reader.
keeps: the values of all other buffers.
)";

// The block that stores what a producer makes: itself, or the only one inside of it and its loops.
static SRefNode& storing_block(ScheduleState& state, SRefNode& producer) {
  SRefNode* at = &producer;
  while (!at->block()->init) {
    Stmt body = at->block()->body;
    while (auto* loop = as<ForNode>(body)) body = loop->body;
    auto* realize = as<SBlockRealizeNode>(body);
    if (realize == nullptr) break;
    at = state.find(realize->block.get()).get();
  }
  return *at;
}

// The store of a block, within plain loops of the block's own: `write_at` makes such copies.
struct LoopedStore {
  std::vector<const ForNode*> loops;
  const BufferStoreNode* store;
};
static LoopedStore looped_store(const SRefNode& block, Span span) {
  std::vector<const ForNode*> loops;
  Stmt body = block.block()->body;
  while (auto* loop = as<ForNode>(body)) {
    if (loop->for_kind != ForKind::kSerial || !loop->annotations.empty() || loop->step) break;
    loops.push_back(loop);
    body = loop->body;
  }
  auto* store = as<BufferStoreNode>(body);
  if (store == nullptr) return {{}, only_store(block, span)};
  return {std::move(loops), store};
}

static Inlining plan(ScheduleState& state, const BlockArg& block) {
  SRefNode* scope = require_scope(block);
  if (block->block()->init) {
    throw about_block(refuse(shared_refusals["inline-has-init"], block->name.c_str()), block.span,
                      block->block()->span);
  }
  require_stage_pipeline(state, *scope, "reverse_compute_inline");
  Dependences deps = dependences(state, *scope);
  auto written = [&](const Buffer& buffer) {
    auto found = deps.writers.find(buffer.get());
    return found != deps.writers.end() && !found->second.empty();
  };
  require_one_buffer(*block, block->block()->reads, false, written, block.span);
  require_complete(state, *block, *scope);
  const BufferStoreNode* store = only_store(*block, block.span);
  std::vector<SRefNode*> producers = deps.producers(*block);
  if (producers.size() != 1) {
    throw refuse(refusals["several-producers"], block->name.c_str(), producers.size()).at(block.span);
  }
  SRefNode& producer = *producers[0];
  if (deps.consumers(producer).size() != 1) {
    throw refuse(refusals["several-consumers"], producer.name.c_str()).at(block.span);
  }
  SRefNode& storing = storing_block(state, producer);
  if (storing.block()->init) {
    throw refuse(refusals["inline-into-reduction"], producer.name.c_str(), block->name.c_str())
        .at(block.span)
        .note("the producer is defined here", producer.stmt->span);
  }
  require_complete(state, producer, *scope);
  if (&storing != &producer) require_complete(state, storing, *scope_of(storing));
  require_straight(state, *scope, {&*block, &producer}, {&*block}, "reverse_compute_inline");
  require_allocated_before(*scope, producer, *block, "reverse_compute_inline");
  auto [own_loops, produced] = looped_store(storing, block.span);
  const Buffer& buffer = produced->buffer;
  require_inner_buffer(buffer, producer, *scope, block.span);
  // All loads of the buffer at the same indices, from which the block's iterators follow.
  Array<Expr> indices = only_load_indices(*block, store->value, buffer, block.span);
  std::optional<VarMap> at;
  if (!indices.empty()) at = iterators_at(*block, indices, produced->indices);
  if (!at) {
    Error error = refuse(refusals["inline-free-iterator"], block->name.c_str(), buffer->name.c_str());
    if (state.explaining) add_witness(error, element_left_unread(state, producer, *block, buffer));
    throw about_block(std::move(error), block.span, block->stmt->span)
        .help("each iterator, or each digit of it, must occur in one index");
  }
  // A number stays one of 32 bits where it is an index, as in TVM.
  for (auto& [iter, value] : *at)
    if (!const_int(value)) value = cast(iter->dtype(), value);
  // Where it reads nothing of the buffer, no instance of the producer could do its work.
  Analyzer inner;
  std::vector<LoopRange> iters = ranges_of(block->block()->iter_vars);
  bind_ranges(inner, iters);
  Domain domain = domain_of(iters);
  for (size_t d = 0; d < indices.size(); ++d) {
    Interval reach = interval_of(indices[d], domain, inner);
    const Expr& size = buffer->buffer()->shape[d];
    if (reach && inner.can_prove(ge(reach.min, const_like(reach.min, 0))) &&
        inner.can_prove(lt(reach.max, size)))
      continue;
    Error error = refuse(refusals["inline-reads-outside"], block->name.c_str(), buffer->name.c_str());
    if (state.explaining) add_witness(error, index_outside(*block->block(), buffer, indices));
    throw about_block(std::move(error), block.span, block->stmt->span)
        .help("inline the producer into it: `sch.compute_inline`");
  }
  if (!is_const_int(realize_of(state, *block)->predicate, 1)) {
    throw refuse(refusals["inline-has-predicate"], block->name.c_str()).at(block.span);
  }

  // What the producer writes and the block does not read, the producer must not compute.
  Analyzer analyzer;
  bind_ranges(analyzer, ranges_of(storing.block()->iter_vars));
  for (const ForNode* loop : own_loops)
    bind_ranges(analyzer, {{loop->loop_var, make<RangeNode>(loop->min, loop->extent)}});
  Expr inside = bool_imm(true);
  for (const IterVar& iter : block->block()->iter_vars) {
    const Expr& value = at->at(iter->var.get());
    inside = logical_and(inside, ge(value, iter->dom->min));
    inside = logical_and(inside, lt(value, add(iter->dom->min, iter->dom->extent)));
  }
  inside = analyzer.simplify(inside);
  // A condition of the block cannot be one on loops inside of it.
  if (!own_loops.empty() && !is_const_int(inside, 1)) only_store(storing, block.span);
  {
    auto assumed = analyzer.assume(inside);
    for (size_t d = 0; d < indices.size(); ++d) {
      if (analyzer.can_prove_equal(substitute(indices[d], *at),
                                   cast(indices[d]->dtype(), produced->indices[d])))
        continue;
      Error error = refuse(refusals["inline-not-covering"], producer.name.c_str(), buffer->name.c_str(),
                           block->name.c_str());
      if (state.explaining) add_witness(error, element_left_unread(state, producer, *block, buffer));
      throw std::move(error).at(block.span).note("the producer is defined here", producer.stmt->span);
    }
  }
  SBlockRealize realize = realize_of(state, storing);
  Expr predicate = realize->predicate;
  if (!is_const_int(inside, 1)) {
    Analyzer outer;  // knows no loop: their ranges would take apart what a thread tests in one comparison
    predicate = said_once(outer.simplify(logical_and(predicate, substitute(inside, bindings_of(realize)))));
  }

  LoadReplacement load = [&](const Array<Expr>&) { return produced->value; };
  Stmt body =
      make<BufferStoreNode>(store->buffer, replace_loads(at_iterators(store->value, *at), buffer, load),
                            indices_at(store->indices, *at), store->span);
  for (size_t i = own_loops.size(); i-- > 0;) {
    const ForNode& loop = *own_loops[i];
    body = make<ForNode>(loop.loop_var, loop.min, loop.extent, loop.for_kind, body, loop.thread_binding,
                         loop.annotations, loop.step, loop.span);
  }
  return inline_into_producer(*scope, *block, producer, storing, buffer, body, predicate);
}

static void apply(Step& step, BlockArg block) {
  Inlining inlining = plan(step.state, block);
  step.replace(*inlining.scope, inlining.next, inlining.reuse);
}

extern const Primitive reverse_compute_inline;
const Primitive reverse_compute_inline =
    primitive<&apply>("ReverseComputeInline", "reverse_compute_inline(block)", doc);

}  // namespace mlc::transform::primitive_reverse_compute_inline

namespace mlc::transform {
Inlining plan_reverse_compute_inline(ScheduleState& state, const BlockArg& block) {
  return primitive_reverse_compute_inline::plan(state, block);
}
}  // namespace mlc::transform
