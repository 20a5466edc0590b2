// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/analysis.h"

#include <algorithm>

#include "ir/core/refusal.h"
#include "ir/core/walk_with.h"
#include "ir/tir/linear.h"
#include "transform/arith/region_bound.h"
#include "transform/arith/split_sum_form.h"
#include "transform/schedule/compute_location.h"
#include "transform/schedule/iterations_apart.h"
#include "transform/schedule/non_block_stmts.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/witness.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "not-complete-block",
         .message = "block `{}` is not complete: {}",
         .help = "a block is complete when it alone writes its results, each of them once, and reads none",
         .meaning = "What is done to the block counts on this: nobody else writes the result, and nothing "
                    "depends on the order.",
         .wrong = R"(i, j, k = sch.get_loops("product")
sch.decompose_padding("product", i))"},
        {.name = "not-reduction-block",
         .message = "block `{}` is no reduction block: {}",
         .help = "a reduction has `T.init()` and goes on with what it has written",
         .meaning = "The block has no reduction: no axis of it is one, or nothing says what it begins with.",
         .wrong = R"(i, j = sch.get_loops("double")
sch.decompose_reduction("double", i))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.decompose_reduction("product", i))"},
        {.name = "not-compact-dataflow",
         .message = "below loop `{}`, block `{}` is neither complete ({}) nor a reduction block ({})",
         .help = "where `decompose_reduction` has taken the init out of a reduction, that step comes after "
                 "those on its loops",
         .meaning = "Iterations run apart where each block below is complete or a reduction."},
        {.name = "reads-other-iterations",
         .message = "block `{}` reads elements of `{}` that another iteration of loop `{}` may have written",
         .help = "keep the loop serial, or give the blocks loops of their own",
         .meaning = "Iterations that run at the same time do not wait for one another."},
        {.name = "undeclared-accesses",
         .message = "block `{}` does not declare what the blocks inside of it access",
         .help = "`T.reads(...)` and `T.writes(...)` of a block declare which regions it accesses",
         .meaning = "What a block accesses is what it declares; a block around it must say as much."},
    }};
MLC_REFUSALS(schedule_analysis, refusals);

SRefNode* scope_of(const SRefNode& sref) {
  SRefNode* up = sref.parent;
  while (up && !up->block()) up = up->parent;
  return up;
}

std::vector<SRefNode*> loops_up(SRefNode& sref) {
  std::vector<SRefNode*> loops;
  for (SRefNode* up = &sref; up && up->loop(); up = up->parent) loops.push_back(up);
  return loops;
}

std::vector<SRefNode*> loops_above(const SRefNode& block) {
  std::vector<SRefNode*> loops;
  if (block.parent) loops = loops_up(*block.parent);
  std::reverse(loops.begin(), loops.end());
  return loops;
}

bool is_above(const SRefNode& ancestor, const SRefNode& sref) {
  for (const SRefNode* up = &sref; up; up = up->parent)
    if (up == &ancestor) return true;
  return false;
}

SRefNode* common_above(const std::vector<SRefNode*>& srefs) {
  for (SRefNode* up = srefs[0]->parent; up; up = up->parent) {
    bool all = true;
    for (const SRefNode* sref : srefs) all = all && sref != up && is_above(*up, *sref);
    if (all) return up;
  }
  return nullptr;
}

const Stmt& body_of(const Stmt& s) {
  auto* loop = as<ForNode>(s);
  return loop ? loop->body : as<SBlockNode>(s)->body;
}

Stmt with_statements(const Stmt& s, const std::vector<Stmt>& body) {
  auto replace = [&](auto* node) {
    return Stmt(with(ref(node), [&](auto& copy) { copy.body = seq(Array<Stmt>(body.begin(), body.end())); }));
  };
  auto* loop = as<ForNode>(s);
  return loop ? replace(loop) : replace(as<SBlockNode>(s));
}

std::vector<Stmt> statements_of(const Stmt& body) {
  if (auto* all = as<SeqStmtNode>(body)) return {all->seq.begin(), all->seq.end()};
  return {body};
}

namespace {

// Is `wanted` this statement, or in it outside of other loops and blocks?
bool has_place_below(const Stmt& s, const StmtNode* wanted) {
  bool found = false;
  walk_with(s, [&](const Stmt& s, Walker& on) {
    if (s.get() == wanted) found = true;
    if (auto* realize = as<SBlockRealizeNode>(s)) {
      found = found || realize->block.get() == wanted;
    } else if (s->kind != StmtKind::kFor && !found) {
      on.walk_children(s);
    }
  });
  return found;
}

// Realizes below a statement that are not inside other blocks.
template <class F>
void each_realize(const Stmt& body, F act) {
  walk_with(body, [&](const Stmt& s, Walker& on) {
    if (auto* realize = as<SBlockRealizeNode>(s)) return act(realize);
    on.walk_children(s);
  });
}

}  // namespace

size_t child_position(const SRefNode& above, const SRefNode& below) {
  const SRefNode* child = &below;
  while (child->parent != &above) child = child->parent;
  std::vector<Stmt> body = statements_of(body_of(above.stmt));
  for (size_t i = 0; i < body.size(); ++i)
    if (has_place_below(body[i], child->stmt.get())) return i;
  throw InternalError(__FILE__, __LINE__, "a place is not in the body of the one above it");
}

std::vector<SRefNode*> child_blocks(ScheduleState& state, const SRefNode& sref) {
  std::vector<SRefNode*> blocks;
  FunctionIndex& index = state.index_of(sref);
  each_realize(body_of(sref.stmt), [&](const SBlockRealizeNode* realize) {
    blocks.push_back(index.srefs.at(realize->block.get()).get());
  });
  return blocks;
}

SBlock innermost_block(const Stmt& nest) {
  const Stmt* below = &nest;
  while (auto* loop = as<ForNode>(*below)) below = &loop->body;
  return as<SBlockRealizeNode>(*below)->block;
}

SBlockRealize realize_of(ScheduleState& state, const SRefNode& block) {
  SBlockRealize found;
  auto search = [&](const Stmt& s) {
    each_realize(s, [&](const SBlockRealizeNode* realize) {
      if (realize->block.get() == block.stmt.get()) found = ref(realize);
    });
  };
  search(block.parent ? body_of(block.parent->stmt) : state.function(state.index_of(block).name)->body);
  if (!found && block.parent && block.parent->block() && block.parent->block()->init)
    search(block.parent->block()->init);
  MLC_CHECK(found, "block `{}` has no realize", block.name.c_str());
  return found;
}

void add_box(std::vector<Box>& boxes, const Box& box, Analyzer& analyzer) {
  auto same = std::find_if(boxes.begin(), boxes.end(),
                           [&](const Box& each) { return each.buffer.same_as(box.buffer); });
  if (same == boxes.end()) return boxes.push_back(box);
  for (size_t d = 0; d < box.dims.size(); ++d) {
    Interval& dim = same->dims[d];
    dim = dim && box.dims[d] ? unite(dim, box.dims[d], analyzer) : Interval{};
  }
}

Array<TensorRegion> regions_of(const std::vector<Box>& boxes, Analyzer& analyzer) {
  Array<TensorRegion> result;
  for (const auto& [buffer, dims] : boxes) {
    const Array<Expr>& shape = buffer->buffer()->shape;
    Array<Range> ranges;
    for (size_t d = 0; d < shape.size(); ++d) {
      Expr min = dims[d] ? analyzer.simplify(dims[d].min) : const_like(shape[d], 0);
      ranges.push_back(make<RangeNode>(min, dims[d] ? analyzer.simplify(dims[d].max + 1 - min) : shape[d]));
    }
    result.push_back(make<TensorRegionNode>(buffer, ranges));
  }
  return result;
}

Stmt parent_with(const SRefNode& child, const Stmt& next) {
  return rewrite_below(child.parent->stmt, [&](const Stmt& s, Rewriter& on) {
    if (s.same_as(child.stmt)) return next;
    auto* realize = as<SBlockRealizeNode>(s);
    if (realize && realize->block.same_as(child.stmt)) return next;
    return realize || s->kind == StmtKind::kFor ? s : on.rewrite_children(s);
  });
}

bool touches(const Array<TensorRegion>& regions, const Buffer& buffer) {
  return std::any_of(regions.begin(), regions.end(),
                     [&](const TensorRegion& region) { return region->source.same_as(buffer); });
}

Array<Range> points(const Array<Expr>& indices) {
  Array<Range> ranges;
  for (const Expr& index : indices) ranges.push_back(make<RangeNode>(index, const_like(index, 1)));
  return ranges;
}

VarMap bindings_of(const SBlockRealize& realize) {
  VarMap values;
  for (size_t i = 0; i < realize->iter_values.size(); ++i) {
    values[realize->block->iter_vars[i]->var.get()] = realize->iter_values[i];
  }
  return values;
}

namespace {

// Threads that see one copy of memory of this scope.
bool shared_by_thread(std::string_view scope, std::string_view thread_tag) {
  if (scope.starts_with("warp")) return thread_tag == "threadIdx.x";
  if (!scope.starts_with("shared")) return false;
  return thread_tag.starts_with("threadIdx") || thread_tag.starts_with("vthread");
}

}  // namespace

std::vector<const ForNode*> relaxed_loops(const SRefNode& block, const SRefNode* top,
                                          std::string_view storage_scope) {
  std::vector<const ForNode*> relaxed;
  for (const SRefNode* up = block.parent; up && up != top; up = up->parent) {
    if (up->loop()) relaxed.push_back(up->loop());
  }
  for (const SRefNode* up = top; up && up->loop(); up = up->parent) {
    const IterVar& thread = up->loop()->thread_binding;
    if (thread && shared_by_thread(storage_scope, {thread->thread_tag.data(), thread->thread_tag.size()}))
      relaxed.push_back(up->loop());
  }
  return relaxed;
}

std::string_view memory_of(const Buffer& buffer) {
  const String& scope = buffer->buffer()->storage_scope;
  return {scope.data(), scope.size()};
}

namespace {

// A region of the block as intervals over its relaxed loops.
std::vector<Interval> relaxed(ScheduleState& state, const SRefNode& block, const TensorRegion& region,
                              const SRefNode* top, Analyzer& analyzer, bool by_digits = false) {
  VarMap values = bindings_of(realize_of(state, block));
  Domain domain;
  std::unique_ptr<Analyzer> inner = by_digits ? analyzer.clone() : nullptr;
  if (inner) bind_loops(*inner, loops_above(block));
  for (const ForNode* loop : relaxed_loops(block, top, memory_of(region->source)))
    domain[loop->loop_var.get()] = {loop->min, loop->min + loop->extent - 1};
  std::vector<Interval> result;
  for (const Range& range : region->region) {
    auto reached = [&](const Expr& e) {
      Expr at = substitute(e, values);
      return interval_of(inner ? split_sum_form(at, *inner) : at, domain, analyzer);
    };
    Interval low = reached(range->min);
    Interval high = reached(range->min + range->extent - 1);
    result.push_back(low && high ? Interval{low.min, high.max} : Interval{});
  }
  return result;
}

// What the blocks inside of one without declared accesses access while it runs; nothing for others.
Accesses undeclared_accesses(ScheduleState& state, const SRefNode& sref) {
  if (!sref.block()->reads.empty() || !sref.block()->writes.empty()) return {};
  Analyzer analyzer;
  bind_loops(analyzer, loops_above(sref));
  std::vector<Box> reads, writes;
  const Array<Buffer>& own = sref.block()->alloc_buffers;
  for (SRefNode* child : child_blocks(state, sref)) {
    Accesses inside = undeclared_accesses(state, *child);
    auto add = [&](std::vector<Box>& boxes, const Array<TensorRegion>& declared,
                   const Array<TensorRegion>& undeclared) {
      for (const TensorRegion& region : declared.empty() ? undeclared : declared) {
        if (std::find(own.begin(), own.end(), region->source) != own.end()) continue;
        add_box(boxes, {region->source, relaxed(state, *child, region, &sref, analyzer)}, analyzer);
      }
    };
    add(reads, child->block()->reads, inside.reads);
    add(writes, child->block()->writes, inside.writes);
  }
  return {regions_of(reads, analyzer), regions_of(writes, analyzer)};
}

Dependences dependences_by(ScheduleState& state, const SRefNode& scope, bool declared) {
  Dependences result;
  result.blocks = child_blocks(state, scope);
  for (SRefNode* sref : result.blocks) {
    auto note = [&](auto& map, const Array<TensorRegion>& regions) {
      for (const TensorRegion& region : regions) {
        auto& srefs = map[region->source.get()];
        if (std::find(srefs.begin(), srefs.end(), sref) == srefs.end()) srefs.push_back(sref);
      }
    };
    Accesses undeclared = declared ? Accesses{} : undeclared_accesses(state, *sref);
    if (declared && sref->declared) undeclared = {sref->declared->reads, sref->declared->writes};
    if (!undeclared.reads.empty() || !undeclared.writes.empty()) result.undeclared.emplace(sref, undeclared);
    note(result.readers, result.reads(*sref));
    note(result.writers, result.writes(*sref));
  }
  return result;
}

}  // namespace

Dependences dependences(ScheduleState& state, const SRefNode& scope) {
  return dependences_by(state, scope, false);
}
Dependences declared_dependences(ScheduleState& state, const SRefNode& scope) {
  return dependences_by(state, scope, true);
}

const Array<TensorRegion>& Dependences::reads(const SRefNode& block) const {
  auto found = undeclared.find(&block);
  return found == undeclared.end() ? block.block()->reads : found->second.reads;
}
const Array<TensorRegion>& Dependences::writes(const SRefNode& block) const {
  auto found = undeclared.find(&block);
  return found == undeclared.end() ? block.block()->writes : found->second.writes;
}

namespace {

// The blocks of `among` that use a buffer of `regions` before (or after) `block`.
std::vector<SRefNode*> partners(const Dependences& deps, const SRefNode& block,
                                const Array<TensorRegion>& regions,
                                const std::unordered_map<const VarNode*, std::vector<SRefNode*>>& among,
                                bool before) {
  std::vector<SRefNode*> found;
  auto position = [&](const SRefNode* sref) {
    return std::find(deps.blocks.begin(), deps.blocks.end(), sref);
  };
  auto here = position(&block);
  for (const TensorRegion& region : regions) {
    auto srefs = among.find(region->source.get());
    if (srefs == among.end()) continue;
    for (SRefNode* sref : srefs->second) {
      if (sref == &block || (position(sref) < here) != before) continue;
      if (std::find(found.begin(), found.end(), sref) == found.end()) found.push_back(sref);
    }
  }
  std::sort(found.begin(), found.end(), [&](SRefNode* a, SRefNode* b) { return position(a) < position(b); });
  return found;
}

}  // namespace

std::vector<SRefNode*> Dependences::producers(const SRefNode& block) const {
  return partners(*this, block, reads(block), writers, true);
}
std::vector<SRefNode*> Dependences::consumers(const SRefNode& block) const {
  return partners(*this, block, writes(block), readers, false);
}

std::vector<SRefNode*> Dependences::depended_on(const SRefNode& block) const {
  std::vector<SRefNode*> found;
  auto add = [&](const Array<TensorRegion>& regions) {
    for (const TensorRegion& region : regions) {
      for (SRefNode* sref : partners(*this, block, {region}, writers, true))
        if (std::find(found.begin(), found.end(), sref) == found.end()) found.push_back(sref);
    }
  };
  add(reads(block));
  add(writes(block));
  return found;
}
std::vector<SRefNode*> Dependences::dependents(const SRefNode& block) const {
  std::vector<SRefNode*> reading = consumers(block),
                         writing = partners(*this, block, writes(block), writers, false), found;
  auto is_in = [](const std::vector<SRefNode*>& srefs, SRefNode* sref) {
    return std::find(srefs.begin(), srefs.end(), sref) != srefs.end();
  };
  std::copy_if(blocks.begin(), blocks.end(), std::back_inserter(found),
               [&](SRefNode* sref) { return is_in(reading, sref) || is_in(writing, sref); });
  return found;
}

namespace {

// The loops that a block runs in below `top`, outermost first; `analyzer` learns of them.
std::vector<LoopRange> relaxed_ranges(const SRefNode& block, const SRefNode* top, const Buffer& buffer,
                                      Analyzer& analyzer) {
  std::vector<const ForNode*> relaxed = relaxed_loops(block, top, memory_of(buffer));
  std::vector<LoopRange> loops;
  for (auto loop = relaxed.rbegin(); loop != relaxed.rend(); ++loop) {
    loops.push_back({(*loop)->loop_var, make<RangeNode>((*loop)->min, (*loop)->extent)});
    analyzer.bind((*loop)->loop_var, loops.back().range);
  }
  return loops;
}

// All of what a block under a condition accesses, not more: where the starts of the region are independent
// digits of the loops that the condition leaves, with no holes. nullopt elsewhere.
std::optional<std::vector<Interval>> reached_under_condition(ScheduleState& state, const SRefNode& block,
                                                             const TensorRegion& region, const SRefNode* top,
                                                             Analyzer& analyzer) {
  SBlockRealize realize = realize_of(state, block);
  std::unique_ptr<Analyzer> inner = analyzer.clone();
  std::vector<LoopRange> loops = relaxed_ranges(block, top, region->source, *inner);
  auto sets = sym::strict_bound(ir::substitute(region, bindings_of(realize))->region, loops,
                                realize->predicate, *inner);
  if (!sets) return std::nullopt;
  std::vector<Interval> result;
  for (const IntervalSet& set : *sets) result.push_back({set->min_value, analyzer.simplify(set->max_value)});
  return result;
}

// All of what a block writes in a region, without holes between what its iterations write. nullopt where that
// cannot be told.
std::optional<std::vector<Interval>> written_whole(ScheduleState& state, const SRefNode& block,
                                                   const TensorRegion& region, const SRefNode* top,
                                                   Analyzer& analyzer) {
  if (auto reached = reached_under_condition(state, block, region, top, analyzer)) return reached;
  SBlockRealize realize = realize_of(state, block);
  if (!is_const_int(realize->predicate, 1)) return std::nullopt;  // its writes are undeclared
  std::unique_ptr<Analyzer> inner = analyzer.clone();
  std::vector<LoopRange> loops = relaxed_ranges(block, top, region->source, *inner);
  // The same box in each iteration.
  TensorRegion box = ir::substitute(region, bindings_of(realize));
  for (const Range& range : box->region) {
    auto relaxes = [&](const VarNode* var) {
      return std::ranges::any_of(loops, [&](const LoopRange& loop) { return loop.var.get() == var; });
    };
    if (uses_var(range->min, relaxes) || uses_var(range->extent, relaxes)) return std::nullopt;
  }
  return relaxed(state, block, region, top, analyzer);
}

// Two boxes as one: they differ in one dimension, where they touch. False where that is not known.
bool join(std::vector<Interval>& box, const std::vector<Interval>& other, Analyzer& analyzer) {
  std::optional<size_t> along;
  for (size_t i = 0; i < box.size(); ++i) {
    if (!box[i] || !other[i]) return false;
    if (analyzer.can_prove_equal(box[i].min, other[i].min) &&
        analyzer.can_prove_equal(box[i].max, other[i].max))
      continue;
    if (along) return false;
    along = i;
  }
  if (!along) return true;
  Interval &one = box[*along], two = other[*along];
  bool touch = analyzer.can_prove(le(two.min, one.max + 1)) && analyzer.can_prove(le(one.min, two.max + 1));
  if (touch) one = unite(one, two, analyzer);
  return touch;
}

// Is what `consumer` reads in `region` written before, between their common ancestor and the read?
bool covered(ScheduleState& state, const Dependences& deps, SRefNode& consumer, const TensorRegion& region,
             const std::vector<SRefNode*>& producers) {
  std::vector<SRefNode*> all = producers;
  all.push_back(&consumer);
  SRefNode* top = common_above(all);
  Analyzer analyzer;
  bind_surroundings(analyzer, state, *top);
  const Array<Expr>& shape = region->source->buffer()->shape;
  if (shape.empty()) return true;
  std::vector<std::vector<Interval>> parts;
  for (SRefNode* producer : producers) {
    for (const TensorRegion& written : deps.writes(*producer)) {
      if (!written->source.same_as(region->source)) continue;
      if (auto part = written_whole(state, *producer, written, top, analyzer)) parts.push_back(*part);
    }
  }
  // Quarters become halves, and these the whole.
  for (size_t round = 1; round < shape.size(); ++round)
    for (auto& part : parts)
      for (const auto& other : parts) join(part, other, analyzer);
  auto at_most = [&](const Expr& a, const Expr& b) {
    if (analyzer.can_prove(le(a, b))) return true;
    return analyzer.can_prove(le(split_sum_form(a, analyzer), split_sum_form(b, analyzer)));
  };
  auto contains = [&](const std::vector<Interval>& have, const std::vector<Interval>& need) {
    for (size_t i = 0; i < need.size(); ++i) {
      if (!have[i]) return false;
      Expr low = const_like(shape[i], 0), high = shape[i] - 1;
      if (need[i]) {
        low = max(low, need[i].min);
        high = min(high, need[i].max);
      }
      if (!at_most(have[i].min, low) || !at_most(high, have[i].max)) return false;
    }
    return true;
  };
  auto proves = [&](bool by_digits) {
    std::vector<Interval> need;
    if (!is_const_int(realize_of(state, consumer)->predicate, 1))
      need = reached_under_condition(state, consumer, region, top, analyzer).value_or(need);
    if (need.empty()) need = relaxed(state, consumer, region, top, analyzer, by_digits);
    // From each part on, with what touches it.
    for (const std::vector<Interval>& first : parts) {
      std::vector<Interval> have = first;
      std::vector<std::vector<Interval>> others = parts;
      auto touches = [&](const std::vector<Interval>& part) { return join(have, part, analyzer); };
      while (!contains(have, need) && std::erase_if(others, touches) > 0) continue;
      if (contains(have, need)) return true;
    }
    return false;
  };
  return proves(false) || proves(true);
}

// The blocks that write before `block` what it reads in `region`, and those that read before it what it
// writes there.
std::vector<SRefNode*> writers_before(const Dependences& deps, const SRefNode& block,
                                      const TensorRegion& region) {
  return partners(deps, block, {region}, deps.writers, true);
}
std::vector<SRefNode*> readers_before(const Dependences& deps, const SRefNode& block,
                                      const TensorRegion& region) {
  return partners(deps, block, {region}, deps.readers, true);
}

bool covered_before(ScheduleState& state, const Dependences& deps, SRefNode& block,
                    const TensorRegion& region) {
  std::vector<SRefNode*> before = writers_before(deps, block, region);
  return before.empty() || covered(state, deps, block, region, before);
}

void compute_scope_flags(ScheduleState& state, SRefNode& scope) {
  Dependences deps = dependences(state, scope);
  scope.stage_pipeline = true;
  if (deps.blocks.empty()) return;
  for (SRefNode* block : deps.blocks) {
    block->region_cover = true;
    for (const TensorRegion& region : deps.reads(*block))
      block->region_cover = block->region_cover && covered_before(state, deps, *block, region);
    if (!block->region_cover) scope.stage_pipeline = false;
    // A write after a read by another block: moving either changes what is read.
    for (const TensorRegion& region : deps.writes(*block))
      if (!readers_before(deps, *block, region).empty()) scope.stage_pipeline = false;
  }
  if (!leaves_blocks_alone(scope.block()->body, deps)) scope.stage_pipeline = false;
}

}  // namespace

void compute_flags(ScheduleState& state, SRefNode& block) {
  block.affine_binding = has_affine_binding(state, block);
  for (SRefNode* child : child_blocks(state, block)) compute_flags(state, *child);
  compute_scope_flags(state, block);
}

static void recheck_cover(ScheduleState& state, const Dependences& deps, SRefNode& scope, SRefNode& block,
                          const VarNode* buffer) {
  for (const TensorRegion& region : deps.reads(block)) {
    if ((buffer && region->source.get() != buffer) || covered_before(state, deps, block, region)) continue;
    block.region_cover = false;
    scope.stage_pipeline = false;
  }
}
void recheck_cover(ScheduleState& state, SRefNode& scope, const Buffer& buffer) {
  Dependences deps = dependences(state, scope);
  for (SRefNode* block : deps.readers[buffer.get()]) recheck_cover(state, deps, scope, *block, buffer.get());
}
std::vector<Buffer> covered_reads(ScheduleState& state, SRefNode& scope, SRefNode& block) {
  Dependences deps = dependences(state, scope);
  std::vector<Buffer> covered;
  for (const TensorRegion& region : deps.reads(block))
    if (covered_before(state, deps, block, region)) covered.push_back(region->source);
  return covered;
}
void recheck_cover(ScheduleState& state, SRefNode& scope, SRefNode& block,
                   const std::vector<Buffer>& covered) {
  if (covered.empty()) return;
  Dependences deps = dependences(state, scope);
  for (const Buffer& buffer : covered) recheck_cover(state, deps, scope, block, buffer.get());
}

namespace {

// The only writer in its scope of all that it writes?
std::string why_not_dominant(ScheduleState& state, const SRefNode& block, const SRefNode& scope) {
  Dependences deps = dependences(state, scope);
  for (const TensorRegion& region : deps.writes(block)) {
    for (const SRefNode* writer : deps.writers[region->source.get()]) {
      if (writer != &block) {
        return fmt::format("block `{}` writes `{}` as well", writer->name.c_str(),
                           region->source->name.c_str());
      }
    }
  }
  return "";
}

// Data-parallel, and reads nothing of what it writes?
std::string why_not_independent(const SBlockNode* block) {
  for (const IterVar& iter : block->iter_vars) {
    if (iter->iter_type != IterType::kDataPar) {
      return fmt::format("iterator `{}` is not data-parallel", iter->var->name.c_str());
    }
  }
  for (const TensorRegion& read : block->reads) {
    for (const TensorRegion& write : block->writes) {
      if (read->source.same_as(write->source)) {
        return fmt::format("it reads and writes `{}`", read->source->name.c_str());
      }
    }
  }
  return "";
}

}  // namespace

std::string why_not_complete(ScheduleState& state, const SRefNode& sref, const SRefNode& scope) {
  std::string why = why_not_dominant(state, sref, scope);
  return why.empty() ? why_not_independent(sref.block()) : why;
}

std::string why_not_reduction(ScheduleState& state, const SRefNode& sref, const SRefNode& scope) {
  const SBlockNode* block = sref.block();
  if (!block->init) return "it has no `T.init()`";
  if (!sref.affine_binding) return "its iterators are no affine map of the loops around it";
  std::unordered_set<const VarNode*> reduced;
  for (const IterVar& iter : block->iter_vars) {
    if (iter->iter_type != IterType::kDataPar && iter->iter_type != IterType::kCommReduce) {
      return fmt::format("iterator `{}` is neither data-parallel nor a reduction", iter->var->name.c_str());
    }
    if (iter->iter_type == IterType::kCommReduce) reduced.insert(iter->var.get());
  }
  if (std::string why = why_not_dominant(state, sref, scope); !why.empty()) return why;
  for (const TensorRegion& write : block->writes) {
    for (const Range& range : write->region) {
      if (uses_var(range->min, [&](const VarNode* var) { return reduced.contains(var); })) {
        return fmt::format("a reduction iterator indexes what it writes, `{}`", write->source->name.c_str());
      }
    }
  }
  return "";
}

namespace {

// Which part of a scope keeps it from being a stage pipeline, as a text.
std::string why_no_stage_pipeline(ScheduleState& state, SRefNode& scope) {
  Dependences deps = dependences(state, scope);
  for (SRefNode* block : deps.blocks) {
    for (const TensorRegion& region : deps.reads(*block)) {
      std::vector<SRefNode*> before = writers_before(deps, *block, region);
      if (before.empty() || covered(state, deps, *block, region, before)) continue;
      std::string names;
      for (const SRefNode* writer : before)
        names += fmt::format("{}`{}`", names.empty() ? "" : ", ", writer->name.c_str());
      std::string witness = state.explaining ? element_from_elsewhere(state, deps, *block, region) : "";
      return fmt::format("block `{}` may read elements of `{}` that {} {} not written by then{}{}",
                         block->name.c_str(), region->source->name.c_str(), names,
                         before.size() == 1 ? "has" : "have", witness.empty() ? "" : ": ", witness);
    }
    for (const TensorRegion& region : deps.writes(*block)) {
      for (SRefNode* reader : readers_before(deps, *block, region)) {
        return fmt::format("block `{}` writes `{}`, which block `{}` has read before it", block->name.c_str(),
                           region->source->name.c_str(), reader->name.c_str());
      }
    }
  }
  if (!leaves_blocks_alone(scope.block()->body, deps))
    return "a statement that is in no block accesses what blocks access, or changes the order of statements";
  return "";
}

}  // namespace

void require_stage_pipeline(ScheduleState& state, SRefNode& scope, std::string_view primitive) {
  if (scope.stage_pipeline) return;
  Error error = refuse(shared_refusals["not-stage-pipeline"], primitive, scope.name.c_str());
  if (std::string why = why_no_stage_pipeline(state, scope); !why.empty())
    error.first().notes.push_back({why, {}});
  throw std::move(error).note(
      "in a stage pipeline each block's inputs are fully written before, by blocks, and nothing is "
      "overwritten "
      "after it was read",
      scope.stmt->span);
}

namespace {

// A refusal of a block for what it reads and writes, with the iterations that show it.
[[noreturn]] void throw_for(Error error, ScheduleState& state, const SRefNode& block) {
  if (state.explaining) add_witness(error, element_carried(state, block));
  if (state.explaining && block.block()->init && !block.affine_binding)
    add_witness(error, uncovered_value(realize_of(state, block), loops_above(block)));
  throw std::move(error).note("the block is defined here", block.stmt->span);
}

}  // namespace

void require_complete(ScheduleState& state, const SRefNode& block, const SRefNode& scope) {
  std::string why = why_not_complete(state, block, scope);
  if (why.empty()) return;
  throw_for(refuse(refusals["not-complete-block"], block.name.c_str(), why), state, block);
}
void require_reduction(ScheduleState& state, const SRefNode& block, const SRefNode& scope) {
  std::string why = why_not_reduction(state, block, scope);
  if (why.empty()) return;
  Error error = refuse(refusals["not-reduction-block"], block.name.c_str(), why);
  if (state.explaining && !block.affine_binding && block.block()->init)
    add_witness(error, uncovered_value(realize_of(state, block), loops_above(block)));
  throw std::move(error).note("the block is defined here", block.stmt->span);
}
void require_complete_or_reduction(ScheduleState& state, const SRefNode& block, const SRefNode& scope) {
  std::string complete = why_not_complete(state, block, scope);
  if (complete.empty()) return;
  std::string reduction = why_not_reduction(state, block, scope);
  if (reduction.empty()) return;
  throw_for(refuse_as(refusals["not-complete-block"],
                      "block `{}` is neither complete ({}) nor a reduction block ({})", block.name.c_str(),
                      complete, reduction),
            state, block);
}
void require_affine_binding(ScheduleState& state, const SRefNode& block) {
  if (block.affine_binding) return;
  Error error = refuse(shared_refusals["not-affine-binding"], block.name.c_str());
  if (state.explaining) add_witness(error, uncovered_value(realize_of(state, block), loops_above(block)));
  throw std::move(error)
      .note("the block is defined here", block.stmt->span)
      .help("bind each iterator to sums of loop variables in mixed radix, such as `i0 * 4 + i1`");
}
void require_compact_dataflow(ScheduleState& state, SRefNode& loop) {
  for (SRefNode* block : child_blocks(state, loop)) {
    std::string complete = why_not_complete(state, *block, loop);
    if (complete.empty()) continue;
    if (why_not_independent(block->block()).empty() && writes_apart(state, loop, *block)) continue;
    std::string reduction = why_not_reduction(state, *block, loop);
    if (reduction.empty()) continue;
    throw_for(
        refuse(refusals["not-compact-dataflow"], loop.name.c_str(), block->name.c_str(), complete, reduction),
        state, *block);
  }
}

void require_apart(ScheduleState& state, SRefNode& loop, std::string_view primitive) {
  SRefNode& scope = *scope_of(loop);
  if (scope.stage_pipeline) return;
  Dependences deps = dependences(state, scope);
  if (!leaves_blocks_alone(loop.loop()->body, deps)) require_stage_pipeline(state, scope, primitive);
  std::vector<SRefNode*> below = child_blocks(state, loop);
  auto is_below = [&](SRefNode* sref) { return std::find(below.begin(), below.end(), sref) != below.end(); };
  for (SRefNode* block : below) {
    for (const TensorRegion& region : deps.reads(*block)) {
      std::vector<SRefNode*> before = writers_before(deps, *block, region);
      if (std::none_of(before.begin(), before.end(), is_below) ||
          covered(state, deps, *block, region, before))
        continue;
      Error error = refuse(refusals["reads-other-iterations"], block->name.c_str(),
                           region->source->name.c_str(), loop.name.c_str());
      if (state.explaining) add_witness(error, element_from_elsewhere(state, deps, *block, region, true));
      throw std::move(error)
          .note("the block is defined here", block->stmt->span)
          .help("choose loops inside of this one, or give the writer a loop of its own before it");
    }
    VarMap values = bindings_of(realize_of(state, *block));
    for (const TensorRegion& region : deps.writes(*block)) {
      for (SRefNode* reader : readers_before(deps, *block, region)) {
        if (!is_below(reader)) continue;
        VarMap read_values = bindings_of(realize_of(state, *reader));
        const Array<TensorRegion>& reads = deps.reads(*reader);
        if (std::all_of(reads.begin(), reads.end(), [&](const TensorRegion& read) {
              return !read->source.same_as(region->source) ||
                     accessed_by_one_iteration(loop, region, values, read, read_values);
            }))
          continue;
        throw refuse(shared_refusals["written-after-read"], loop.name.c_str(), block->name.c_str(),
                     region->source->name.c_str(), reader->name.c_str())
            .note("the block is defined here", block->stmt->span);
      }
    }
  }
}

void require_declared(const Dependences& deps, const std::vector<SRefNode*>& blocks) {
  for (const SRefNode* block : blocks) {
    if (!deps.undeclared.contains(block)) continue;
    throw refuse(refusals["undeclared-accesses"], block->name.c_str())
        .note("the block is defined here", block->stmt->span);
  }
}

bool is_output_block(const SRefNode& block, const SRefNode& scope) {
  for (const TensorRegion& write : block.block()->writes) {
    bool inside = false;
    for (const Buffer& buffer : scope.block()->alloc_buffers)
      inside = inside || buffer.same_as(write->source);
    if (!inside) return true;
  }
  return false;
}

}  // namespace mlc::transform
