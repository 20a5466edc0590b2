// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "ir/core/walk_with.h"
#include "transform/arith/simplify_value.h"
#include "transform/pass/fresh_binders.h"
#include "transform/schedule/padding.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform::primitive_decompose_padding {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "padding-shares-loop",
         .message =
             "loop `{}` around block `{}` holds other blocks as well, which would run for what is inside "
             "only",
         .help = "decompose the padding before other blocks are moved below its innermost loop",
         .meaning = "The loops of the block get the range inside of the padding, and other blocks in them "
                    "would follow.",
         .wrong = R"(@T.prim_func(s_tir=True)
def padded(A: T.Buffer((16,), "float32"), C: T.Buffer((20,), "float32")):
    P = T.sblock_alloc_buffer((20,))
    for i in range(20):
        with T.sblock("pad"):
            vi = T.axis.spatial(20, i)
            P[vi] = T.if_then_else(2 <= vi and vi < 18, A[vi - 2], T.float32(0))
        with T.sblock("shifted"):
            vi = T.axis.spatial(20, i)
            C[vi] = P[vi] + 1.0


other = tvm.s_tir.Schedule(padded)
other.decompose_padding("pad", other.get_loops("pad")[0]))",
         .right = R"(@T.prim_func(s_tir=True)
def padded(A: T.Buffer((16,), "float32"), C: T.Buffer((20,), "float32")):
    for i in range(20):
        with T.sblock("pad"):
            vi = T.axis.spatial(20, i)
            C[vi] = T.if_then_else(2 <= vi and vi < 18, A[vi - 2], T.float32(0))


other = tvm.s_tir.Schedule(padded)
other.decompose_padding("pad", other.get_loops("pad")[0]))"},
    }};
MLC_REFUSALS(primitive_decompose_padding, refusals);

static constexpr char doc[] = R"(
decompose_padding(block, loop) -> block      Fill a padded buffer with its constant first, then copy what is inside.

    for i in range(140):                                          =>      for i in range(140):
        B[i] = T.if_then_else(6 <= i and i < 134, A[i - 6], 0)                B[i] = 0
                                                                          for i in range(128):
                                                                              B[i + 6] = A[i]

The filling block stands before `loop`, the copying block stays where it is. Returns the filling block.
needs: a complete block that stores `T.if_then_else(inside, value, constant)`, where `inside` bounds iterators; a loop around it.
keeps: the values computed.
)";

namespace {

using Ranges = std::unordered_map<const VarNode*, Range>;

// A realize in the loops from `top` down to the block, all with variables of their own. Those in `ranges` run
// over these. `keeps_kinds`: loops stay vectorized, unrolled, ..., with their annotations.
Stmt nest_from(const SRefNode& top, const SRefNode& block, const Stmt& realize, const Ranges& ranges,
               bool keeps_kinds) {
  Stmt body = realize;
  for (SRefNode* sref : loops_up(*block.parent)) {
    if (!is_above(top, *sref)) break;
    const ForNode* loop = sref->loop();
    auto found = ranges.find(loop->loop_var.get());
    const Expr& min = found == ranges.end() ? loop->min : found->second->min;
    const Expr& extent = found == ranges.end() ? loop->extent : found->second->extent;
    if (!keeps_kinds) {
      body = make<ForNode>(loop->loop_var, min, extent, ForKind::kSerial, body);
      continue;
    }
    body = with(ref(loop), [&](ForNode& copy) {
      copy.min = min;
      copy.extent = extent;
      copy.body = body;
    });
  }
  return FreshBinders().rewrite(body);
}

Array<TensorRegion> rewritten(const Array<TensorRegion>& regions, const VarMap& vars, Analyzer& analyzer) {
  Array<TensorRegion> result;
  for (const TensorRegion& region : regions) {
    Array<Range> ranges;
    for (const Range& range : region->region) {
      ranges.push_back(make<RangeNode>(analyzer.simplify(substitute(range->min, vars)),
                                       analyzer.simplify(substitute(range->extent, vars))));
    }
    result.push_back(make<TensorRegionNode>(region->source, ranges));
  }
  return result;
}

Array<Expr> rewritten(const Array<Expr>& exprs, const VarMap& vars, Analyzer& analyzer) {
  Array<Expr> result;
  for (const Expr& e : exprs) result.push_back(analyzer.simplify(substitute(e, vars)));
  return result;
}

SBlockRealize fill_block(const PaddingBlock& padding, Analyzer& analyzer) {
  const SBlockNode* old = padding.realize->block.get();
  Array<IterVar> iters;
  for (const IterVar& iter : old->iter_vars)
    iters.push_back(make<IterVarNode>(iter->dom, iter->var, IterType::kDataPar));
  Stmt store = make<BufferStoreNode>(padding.store->buffer, padding.constant,
                                     rewritten(padding.store->indices, {}, analyzer));
  SBlock block = make<SBlockNode>(iters, Array<TensorRegion>{}, rewritten(old->writes, {}, analyzer),
                                  String(fmt::format("{}_pad_const", old->name_hint.c_str())), store);
  return make<SBlockRealizeNode>(rewritten(padding.realize->iter_values, {}, analyzer),
                                 analyzer.simplify(padding.realize->predicate), block);
}

// `ranges` learns which of the loops from `top` on run over what is inside only.
SBlockRealize copy_block(const PaddingBlock& padding, const SRefNode& block, const SRefNode& top,
                         Ranges& ranges, Analyzer& analyzer) {
  const SBlockNode* old = padding.realize->block.get();
  std::unordered_set<const VarNode*> own;
  for (SRefNode* sref : loops_up(*block.parent)) {
    if (is_above(top, *sref)) own.insert(sref->loop()->loop_var.get());
  }
  Array<IterVar> iters;
  VarMap from_inside, shifted;  // loops that start at what is inside count from there
  for (size_t i = 0; i < old->iter_vars.size(); ++i) {
    const IterVar& iter = old->iter_vars[i];
    const Range& inside = padding.inside[i];
    Range range = make<RangeNode>(const_like(inside->min, 0), inside->extent);
    iters.push_back(make<IterVarNode>(range, iter->var, IterType::kDataPar));
    from_inside[iter->var.get()] = add(iter->var, inside->min);
    auto* loop_var = as<VarNode>(padding.realize->iter_values[i]);
    if (!loop_var || !own.contains(loop_var)) continue;
    ranges[loop_var] = range;
    shifted[loop_var] = add(ref(loop_var), inside->min);
    analyzer.bind(ref(loop_var), range);
  }
  for (SRefNode* sref : loops_above(block)) {
    const ForNode* loop = sref->loop();
    if (is_above(top, *sref) && !ranges.contains(loop->loop_var.get()))
      analyzer.bind(loop->loop_var, make<RangeNode>(loop->min, loop->extent));
  }
  Expr predicate = analyzer.simplify(substitute(padding.predicate, shifted));
  Array<Expr> values;
  for (size_t i = 0; i < iters.size(); ++i) {
    const Expr& value = padding.realize->iter_values[i];
    bool counts = ranges.contains(as<VarNode>(value));
    values.push_back(counts ? value : analyzer.simplify(sub(value, padding.inside[i]->min)));
  }
  Stmt store =
      make<BufferStoreNode>(padding.store->buffer, analyzer.simplify(substitute(padding.value, from_inside)),
                            rewritten(padding.store->indices, from_inside, analyzer));
  SBlock copied = make<SBlockNode>(iters, rewritten(old->reads, from_inside, analyzer),
                                   rewritten(old->writes, from_inside, analyzer), old->name_hint, store);
  return make<SBlockRealizeNode>(values, predicate, copied);
}

// Do the loops from `top` down to the block print as one `T.grid(...)`, whose extents are read as they stand?
// Those of other loops are simplified when they are read.
bool prints_as_grid(const SRefNode& top, const SRefNode& block) {
  auto plain = [](const SRefNode& sref) {
    return sref.loop()->for_kind == ForKind::kSerial && sref.loop()->annotations.empty();
  };
  std::vector<SRefNode*> loops;
  for (SRefNode* sref : loops_up(*block.parent))
    if (is_above(top, *sref)) loops.push_back(sref);
  return loops.size() > 1 && std::ranges::all_of(loops, [&](SRefNode* sref) { return plain(*sref); });
}

SRefNode* apply(Step& step, BlockArg block, LoopArg loop) {
  // check
  PaddingBlock padding = padding_block(step.state, block, loop);
  if (block->parent->loop() && as<SeqStmtNode>(block->parent->loop()->body)) {
    throw refuse(refusals["padding-shares-loop"], block->parent->name.c_str(), block->name.c_str())
        .at(block.span)
        .note("the loop is made here", block->parent->stmt->span);
  }

  // apply
  Analyzer analyzer;
  bind_loops(analyzer, loops_above(*loop));
  Stmt fill_loops = nest_from(*loop, *block, fill_block(padding, analyzer), {}, false);
  // The copy takes the loops that have nothing else inside.
  SRefNode* top = block->parent;
  while (top != &*loop && top->parent->loop() && top->parent->loop()->body.same_as(top->stmt))
    top = top->parent;
  for (SRefNode* up = top->parent; top != &*loop && up; up = up->parent) {
    analyzer.bind(up->loop()->loop_var, make<RangeNode>(up->loop()->min, up->loop()->extent));
    if (up == &*loop) break;
  }
  bool reads_as_it_stands = prints_as_grid(*top, *block);
  for (size_t i = 0; i < padding.inside.size(); ++i) {
    Range& inside = padding.inside[i];
    bool of_loop = as<VarNode>(padding.realize->iter_values[i]) != nullptr;
    if (of_loop && !reads_as_it_stands)
      inside = make<RangeNode>(inside->min, analyzer.simplify(inside->extent));
  }
  Ranges ranges;
  Stmt copy = copy_block(padding, *block, *top, ranges, analyzer);
  Stmt copy_loops = nest_from(*top, *block, copy, ranges, true);
  // `loop` with the new copy inside.
  Stmt rest = replaced(loop->stmt, top->stmt, copy_loops);
  BlockReuse reuse{{block->block(), innermost_block(copy_loops).get()}};
  Stmt around = parent_with(*loop, seq({fill_loops, rest}));
  SRefNode& scope = *scope_of(*block);
  step.replace(*loop->parent, around, reuse);
  compute_flags(step.state, scope);
  return step.sref(innermost_block(fill_loops));
}

}  // namespace

extern const Primitive decompose_padding;
const Primitive decompose_padding =
    primitive<&apply>("DecomposePadding", "decompose_padding(block, loop)", doc);

}  // namespace mlc::transform::primitive_decompose_padding
