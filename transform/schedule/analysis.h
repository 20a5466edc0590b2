// SPDX-License-Identifier: Apache-2.0
// The vocabulary of preconditions: scopes, dependences between the blocks of a scope, complete and reduction
// blocks, affine bindings, stage pipelines.
#pragma once

#include "ir/tir/reduction_init.h"
#include "transform/arith/iter_map.h"
#include "transform/pass/regions.h"
#include "transform/schedule/state.h"

namespace mlc::transform {

// The nearest enclosing block; null for a root block.
SRefNode* scope_of(const SRefNode& sref);
// The loops around a block inside its scope, outermost first.
std::vector<SRefNode*> loops_above(const SRefNode& block);
// The loops from `place` (itself when it is a loop) up to its scope, innermost first.
std::vector<SRefNode*> loops_up(SRefNode& sref);
bool is_above(const SRefNode& ancestor, const SRefNode& sref);
// The innermost loop or block strictly above all of them; null when there is none.
SRefNode* common_above(const std::vector<SRefNode*>& srefs);

// The loops over which an access of `block` spreads during one iteration of `top` (null: of the function),
// the innermost first: those between, and those above `top` bound to threads that share memory of this scope.
std::vector<const ForNode*> relaxed_loops(const SRefNode& block, const SRefNode* top,
                                          std::string_view storage_scope);

// The storage scope of a buffer: "global", "shared", "local", ...
std::string_view memory_of(const Buffer& buffer);
// Which statement of the body of `above` holds `below`.
size_t child_position(const SRefNode& above, const SRefNode& below);
const Stmt& body_of(const Stmt& loop_or_block);
// The statements of a body: those of a sequence, or the one.
std::vector<Stmt> statements_of(const Stmt& body);
// The loop or block with other statements as its body.
Stmt with_statements(const Stmt& loop_or_block, const std::vector<Stmt>& body);
// The blocks below a block or loop that are not inside other blocks, in program order.
std::vector<SRefNode*> child_blocks(ScheduleState& state, const SRefNode& sref);
// The block that a nest of loops is of.
SBlock innermost_block(const Stmt& nest);
// The realize around a block.
SBlockRealize realize_of(ScheduleState& state, const SRefNode& block);

// Ranges of loops and of block iterators, for analyzers and affine maps.
std::vector<LoopRange> ranges_of(const std::vector<SRefNode*>& loops);
template <class Iters>
requires std::is_same_v<typename Iters::value_type, IterVar> std::vector<LoopRange> ranges_of(
    const Iters& iters) {
  std::vector<LoopRange> ranges;
  for (const IterVar& iter : iters) ranges.push_back({iter->var, iter->dom});
  return ranges;
}
void bind_ranges(Analyzer& analyzer, const std::vector<LoopRange>& ranges);
inline void bind_loops(Analyzer& analyzer, const std::vector<SRefNode*>& loops) {
  bind_ranges(analyzer, ranges_of(loops));
}
// One value is a bound: as a unit range it would turn the variable into a constant.
void bind_visibly(Analyzer& analyzer, const LoopRange& loop);
// Facts about the loop, those around, and symbolic shapes.
void bind_surroundings(Analyzer& analyzer, ScheduleState& state, SRefNode& loop);
// The same; loops of one iteration stay visible in what the analyzer simplifies.
void bind_surroundings_visibly(Analyzer& analyzer, ScheduleState& state, SRefNode& loop);
Domain domain_of(const std::vector<LoopRange>& ranges);
VarMap bindings_of(const SBlockRealize& realize);

// Is the buffer one of those that the regions are of?
bool touches(const Array<TensorRegion>& regions, const Buffer& buffer);
// One region of one element each.
Array<Range> points(const Array<Expr>& indices);
template <class Part>
Array<Part> substitute(const Array<Part>& parts, const VarMap& values) {
  Array<Part> result;
  for (const Part& part : parts) result.push_back(ir::substitute(part, values));
  return result;
}

// A box of a buffer as intervals; one without ends: the whole dimension.
struct Box {
  Buffer buffer;
  std::vector<Interval> dims;
};
// Adds a box: of those of one buffer, the smallest around them.
void add_box(std::vector<Box>& boxes, const Box& box, Analyzer& analyzer);
Array<TensorRegion> regions_of(const std::vector<Box>& boxes, Analyzer& analyzer);

// The loop or block around `child` with `next` instead of `child`; flattened where `next` is a sequence.
Stmt parent_with(const SRefNode& child, const Stmt& next);

struct Accesses {
  Array<TensorRegion> reads, writes;
};

// Flow of data between the blocks of one scope.
struct Dependences {
  std::vector<SRefNode*> blocks;  // in program order
  std::unordered_map<const VarNode*, std::vector<SRefNode*>> writers, readers;
  // Of blocks without declared accesses (`T.reads()`, `T.writes()`): what the blocks inside of them access.
  // For queries of blocks that hide accesses: what they declared before.
  std::unordered_map<const SRefNode*, Accesses> undeclared;

  const Array<TensorRegion>& reads(const SRefNode& block) const;
  const Array<TensorRegion>& writes(const SRefNode& block) const;
  std::vector<SRefNode*> producers(const SRefNode& block) const;  // write before `block` what it reads
  std::vector<SRefNode*> consumers(const SRefNode& block) const;  // read after `block` what it writes
  // As TVM's RAW and WAW dependences have them: writes of one buffer depend on each other too.
  std::vector<SRefNode*> depended_on(const SRefNode& block) const;
  std::vector<SRefNode*> dependents(const SRefNode& block) const;
};
Dependences dependences(ScheduleState& state, const SRefNode& scope);
// The same by declared accesses: how TVM answers queries.
Dependences declared_dependences(ScheduleState& state, const SRefNode& scope);

// Is every iterator of the block an independent sum of digits of the loops around it, taking all values of
// its domain? Digits may overlap, as in `i * 4 + k` with six `k`: then iterations repeat instances.
bool has_affine_binding(ScheduleState& state, const SRefNode& block);
// The same of some of the loops; others are constants.
bool binds_affinely(const SBlockRealize& realize, const std::vector<LoopRange>& loops, Analyzer& analyzer);
inline bool used_by(const SBlockRealize& realize, const SRefNode& loop, bool reductions) {
  return ir::used_by(*realize, loop.loop()->loop_var.get(), reductions);
}
// Do iterations of these loops, all around them fixed, meet an instance of the block twice, because digits of
// its iterators overlap or a loop is in none of them?
bool repeats_instances(const SBlockRealize& realize, const std::vector<SRefNode*>& loops);
// Fills the flags of a block and all blocks below. Primitives keep them true: what they insert reads only
// what was written before, and what they move stays between its producers and its consumers.
void compute_flags(ScheduleState& state, SRefNode& block);
// After regions of `buffer` changed: what its readers in the scope read counts as covered only if it is.
void recheck_cover(ScheduleState& state, SRefNode& scope, const Buffer& buffer);
// The buffers of which all that `block` reads is proved to be written before it. Others may be covered all
// the same: the flag takes on trust what rfactor has made.
std::vector<Buffer> covered_reads(ScheduleState& state, SRefNode& scope, SRefNode& block);
// After `block` has moved: these reads count as covered only if they still are.
void recheck_cover(ScheduleState& state, SRefNode& scope, SRefNode& block,
                   const std::vector<Buffer>& covered);

// Why a block is not complete (or no reduction block); empty when it is.
std::string why_not_complete(ScheduleState& state, const SRefNode& block, const SRefNode& scope);
std::string why_not_reduction(ScheduleState& state, const SRefNode& block, const SRefNode& scope);

// Refusals shared by primitives: not-stage-pipeline, not-complete-block, not-reduction-block,
// not-affine-binding, not-compact-dataflow, undeclared-accesses.
void require_stage_pipeline(ScheduleState& state, SRefNode& scope, std::string_view primitive);
void require_complete_or_reduction(ScheduleState& state, const SRefNode& block, const SRefNode& scope);
void require_complete(ScheduleState& state, const SRefNode& block, const SRefNode& scope);
void require_reduction(ScheduleState& state, const SRefNode& block, const SRefNode& scope);
void require_affine_binding(ScheduleState& state, const SRefNode& block);
void require_compact_dataflow(ScheduleState& state, SRefNode& loop);
// Do the blocks below this loop take only what the same iteration has made, or what comes from outside of it?
void require_apart(ScheduleState& state, SRefNode& loop, std::string_view primitive);
// Do the blocks declare what they access? Where not, a primitive that needs their regions refuses.
void require_declared(const Dependences& deps, const std::vector<SRefNode*>& blocks);
// Does the block write a buffer that lives outside of its scope?
bool is_output_block(const SRefNode& block, const SRefNode& scope);

}  // namespace mlc::transform
