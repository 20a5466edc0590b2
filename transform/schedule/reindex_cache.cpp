// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/reindex_cache.h"

#include <algorithm>
#include <numeric>

#include "ir/core/refusal.h"
#include "transform/arith/expr_equal.h"
#include "transform/arith/index_map.h"
#include "transform/arith/index_map_api.h"
#include "transform/arith/iter_map.h"
#include "transform/schedule/cache_stage.h"
#include "transform/schedule/layout.h"
#include "transform/schedule/non_block_stmts.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/reindex.h"
#include "transform/schedule/undeclared_accesses.h"
#include "transform/schedule/witness.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "reindex-cache-iterators",
         .message = "the map takes {} indices, block `{}` has {} iterators",
         .help = "the map takes one index for each iterator of the block",
         .wrong = R"(sch.reindex_cache_read("product", 1, "local", lambda i: (i,)))",
         .right = R"(sch.reindex_cache_read("product", 1, "local", lambda i, j, k: (j, k)))"},
        {.name = "reindex-cache-not-injective",
         .message = "the map puts different elements of `{}` into one place",
         .wrong = R"(sch.reindex_cache_read("double", 0, "local", lambda i, j: (i + j,)))",
         .right = R"(sch.reindex_cache_read("double", 0, "local", lambda i, j: (j, i)))"},
    }};
MLC_REFUSALS(schedule_reindex_cache, refusals);

namespace {

bool uses(const Array<Expr>& indices, const Var& var) {
  return std::any_of(indices.begin(), indices.end(), [&](const Expr& e) {
    return uses_var(e, [&](const VarNode* used) { return used == var.get(); });
  });
}

// Do equal new indices mean equal old ones? Each old index is one of the new, or the new ones determine the
// iterators.
bool tells_old_indices(const Array<Expr>& old, const Array<Expr>& next, const std::vector<IterVar>& iters) {
  bool all = std::all_of(old.begin(), old.end(), [&](const Expr& index) {
    return std::any_of(next.begin(), next.end(), [&](const Expr& e) { return same_expr(e, index); });
  });
  if (all) return true;
  Analyzer analyzer;
  Array<Var> outputs;
  for (const Expr& index : next) outputs.push_back(make_var("o", index->dtype()));
  // Digits may not divide an extent; what separates the elements of more iterations separates these.
  int64_t multiple = 1;
  for (const Expr& index : next) {
    post_order(index, [&](const Expr& e) {
      bool digit = e->kind == ExprKind::kFloorDiv || e->kind == ExprKind::kFloorMod;
      if (auto by = digit ? const_int(as_binary(e)->b) : std::nullopt; by && *by > 0 && multiple < 1 << 16)
        multiple = std::lcm(multiple, *by);
    });
  }
  auto declared = [&](int64_t rounded) {
    std::vector<LoopRange> ranges;
    for (const IterVar& iter : iters) {
      auto extent = const_int(iter->dom->extent);
      Range domain = iter->dom;
      if (extent && rounded > 1)
        domain = make<RangeNode>(domain->min,
                                 const_like(domain->extent, (*extent + rounded - 1) / rounded * rounded));
      ranges.push_back({iter->var, domain});
    }
    return invert_iter_map(next, ranges, outputs, analyzer).has_value();
  };
  if (declared(1) || (multiple > 1 && declared(multiple))) return true;
  std::vector<LoopRange> ranges;
  for (const IterVar& iter : iters) ranges.push_back({iter->var, iter->dom});
  return equal_together(ranges, next, old);
}

}  // namespace

SRefNode* reindex_cache(Step& step, const BlockArg& block, const String& storage_scope, bool write) {
  // check
  SRefNode* scope = scope_of(*block);
  if (!scope) throw refuse(shared_refusals["root-block"], block->name.c_str()).at(block.span);
  require_stage_pipeline(step.state, *scope, step.primitive.name());
  require_storage_scope(step, 3, storage_scope);
  const SBlockNode* old = block->block();
  Buffer buffer = choose_buffer(step, 2, *block, write ? old->writes : old->reads, write ? "writes" : "reads",
                                Naming::kNumbers);
  // What is read is in the buffer, also where the block does not run; what is written may not be
  // overwritten there.
  require_copy_straight(step.state, *scope, *block, buffer, write, step.primitive.name());
  IndexMap map = index_map_argument(step.call, 4, std::nullopt, index_type(*old));
  if (!map) wrong_argument(step.call, 4, "a function of indices, or an IndexMap");
  step.call.args[4] = map;
  if (map->initial_indices.size() != old->iter_vars.size()) {
    throw refuse(refusals["reindex-cache-iterators"], map->initial_indices.size(), block->name.c_str(),
                 old->iter_vars.size())
        .kind("InternalError+ScheduleError")
        .at(step.span(4));
  }
  Array<Expr> indices = only_indices(*block, buffer, step.span(2));
  require_outer_indices(step, *block, buffer, indices, false);
  require_inside(step, *block, buffer, indices);
  if (write) only_writer(dependences(step.state, *scope_of(*block)), buffer, step.span(2));
  write ? require_full_write(step, *block, buffer) : require_only_read(step, *block, buffer);
  Array<Expr> iter_vars;
  for (const IterVar& iter : old->iter_vars) iter_vars.push_back(iter->var);
  Analyzer analyzer;
  Array<Expr> mapped = map_indices(map, iter_vars, analyzer);
  SBlockRealize realize = realize_of(step.state, *block);
  std::vector<IterVar> used;
  Array<Expr> used_values;
  for (size_t i = 0; i < old->iter_vars.size(); ++i) {
    const IterVar& iter = old->iter_vars[i];
    bool before = uses(indices, iter->var), after = uses(mapped, iter->var);
    if (before != after) {
      throw refuse_as(refusals["reindex-cache-iterators"],
                      "iterator `{}` of block `{}` is in the {} of `{}`, but not in the {}",
                      iter->var->name.c_str(), block->name.c_str(), before ? "indices" : "map",
                      buffer->name.c_str(), before ? "map" : "indices")
          .at(step.span(4))
          .help("the map uses the iterators that index the buffer, no more and no less");
    }
    if (!before) continue;
    used.push_back(iter);
    used_values.push_back(realize->iter_values[i]);
  }
  if (!tells_old_indices(indices, mapped, used)) {
    Error error = refuse(refusals["reindex-cache-not-injective"], buffer->name.c_str());
    std::vector<LoopRange> ranges;
    for (const IterVar& iter : used) ranges.push_back({iter->var, iter->dom});
    if (step.state.explaining) add_witness(error, two_in_one_place(ranges, mapped, indices, buffer));
    throw std::move(error)
        .at(step.span(4))
        .help("each digit of each iterator is used once, or the buffer's own indices are taken over");
  }

  // In front of those who use what is copied, inside the loops that they share with the block that makes it.
  SRefNode* location = scope;
  size_t position = 0;
  Dependences deps = dependences(step.state, *scope);
  std::vector<SRefNode*> readers = flow_around(deps, *block).consumers;
  if (SRefNode* writer = write ? &*block : only_writer(deps, buffer, step.span(2))) {
    CopyLocation found =
        location_after(deps, *scope, *writer, write ? readers : std::vector<SRefNode*>{&*block});
    location = found.sref;
    position = found.position;
  }
  auto outside = [&](const SRefNode* loop) { return loop == location || is_above(*loop, *location); };

  // apply
  auto type = ffi::make_object<BufferTypeNode>(*buffer->buffer());
  type->storage_scope = storage_scope;
  type->shape = {};
  Domain domain;
  for (const IterVar& iter : used) {
    domain[iter->var.get()] = {iter->dom->min, iter->dom->min + iter->dom->extent - 1};
    analyzer.bind(iter->var, iter->dom);
  }
  for (const Expr& index : mapped)
    type->shape.push_back(analyzer.simplify(interval_of(index, domain, analyzer).max + 1));
  type->strides = kept_strides(*buffer->buffer(), type->shape, true);
  Buffer copy = make<VarNode>(buffer_in(buffer, storage_scope)->name, Type(BufferType(type)));
  VarMap renamed, loop_map;
  Array<IterVar> iters;
  Array<Expr> values;
  std::vector<const ForNode*> loops;
  std::unordered_set<const VarNode*> indexing;
  for (const SRefNode* sref : loops_above(*block)) {
    const ForNode* loop = sref->loop();
    if (!uses(used_values, loop->loop_var)) continue;
    indexing.insert(loop->loop_var.get());
    if (outside(sref)) continue;
    loops.push_back(loop);
    loop_map[loop->loop_var.get()] = make<VarNode>(loop->loop_var->name, loop->loop_var->ty);
  }
  for (size_t i = 0; i < used.size(); ++i) {
    Var var = make<VarNode>(used[i]->var->name, used[i]->var->ty);
    renamed[used[i]->var.get()] = var;
    iters.push_back(make<IterVarNode>(used[i]->dom, var, IterType::kDataPar));
    values.push_back(substitute(used_values[i], loop_map));
  }
  Expr predicate = bool_imm(true);
  for (const Expr& condition : conjuncts(realize->predicate)) {
    bool ours = uses_var(condition, [&](const VarNode* var) { return indexing.contains(var); });
    if (ours) predicate = logical_and(predicate, substitute(condition, loop_map));
  }
  Array<Expr> original, mine;
  for (const Expr& index : indices) original.push_back(substitute(index, renamed));
  for (const Expr& index : mapped) mine.push_back(substitute(index, renamed));
  const Buffer &from = write ? copy : buffer, &to = write ? buffer : copy;
  const Array<Expr>&from_at = write ? mine : original, &to_at = write ? original : mine;
  Stmt store = make<BufferStoreNode>(to, Expr(make<TensorLoadNode>(from, from_at)), to_at);
  SBlock stage =
      make<SBlockNode>(iters, Array<TensorRegion>{make<TensorRegionNode>(from, points(from_at))},
                       Array<TensorRegion>{make<TensorRegionNode>(to, points(to_at))}, copy->name, store);
  Stmt nest = make<SBlockRealizeNode>(values, predicate, stage);
  for (size_t i = loops.size(); i-- > 0;) {
    Var var = ref(as<VarNode>(loop_map.at(loops[i]->loop_var.get())));
    nest = make<ForNode>(var, loops[i]->min, loops[i]->extent, ForKind::kSerial, nest);
  }
  return add_reindex_stage(step, block, {buffer, copy, mapped, stage, nest, location, position});
}

}  // namespace mlc::transform
