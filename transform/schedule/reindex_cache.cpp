// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/reindex_cache.h"

#include <algorithm>
#include <numeric>

#include "ir/core/refusal.h"
#include "transform/arith/expr_equal.h"
#include "transform/arith/index_map.h"
#include "transform/arith/index_map_api.h"
#include "transform/arith/iter_map.h"
#include "transform/pass/fresh_binders.h"
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
         .meaning = "The map says where in the copy an element stands that the block uses.",
         .wrong = R"(sch.reindex_cache_read("product", 1, "local", lambda i: (i,)))",
         .right = R"(sch.reindex_cache_read("product", 1, "local", lambda i, j, k: (j, k)))"},
        {.name = "reindex-cache-not-injective",
         .message = "the map puts different elements of `{}` into one place",
         .help = "use every iterator that the buffer's indices have: `lambda i, j: (j, i)`",
         .meaning = "Elements in one place would overwrite each other.",
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
      // A remainder tells nothing without its quotient.
      auto* quotient = as<FloorDivNode>(e);
      if (auto by = quotient ? const_int(quotient->b) : std::nullopt; by && *by > 0 && multiple < 1 << 16)
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
  return equal_together(ranges_of(iters), next, old);
}

}  // namespace

SRefNode* reindex_cache(Step& step, const BlockArg& block, const String& storage_scope, bool write) {
  // check
  SRefNode* scope = require_scope(block);
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
    if (step.state.explaining) add_witness(error, two_in_one_place(ranges_of(used), mapped, indices, buffer));
    throw std::move(error)
        .at(step.span(4))
        .help("each digit of each iterator is used once, or the buffer's own indices are taken over");
  }

  // In front of those who use what is copied, inside the loops that they share with the block that makes it.
  SRefNode* location = scope;
  Dependences deps = dependences(step.state, *scope);
  std::vector<SRefNode*> readers = flow_around(deps, *block).consumers;
  SRefNode* writer = write ? &*block : only_writer(deps, buffer, step.span(2));
  size_t position = writer ? 0 : place_behind_made(scope->block()->body, buffer, "reindex_cache_read");
  if (writer) {
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
  Domain domain = domain_of(ranges_of(used));
  bind_ranges(analyzer, ranges_of(used));
  for (const Expr& index : mapped)
    type->shape.push_back(analyzer.simplify(interval_of(index, domain, analyzer).max + 1));
  type->strides = kept_strides(*buffer->buffer(), type->shape, true);
  Buffer copy = make<VarNode>(buffer_in(buffer, storage_scope)->name, Type(BufferType(type)));
  Array<IterVar> iters;
  std::vector<const ForNode*> loops;
  std::unordered_set<const VarNode*> indexing;
  for (const SRefNode* sref : loops_above(*block)) {
    const ForNode* loop = sref->loop();
    if (!uses(used_values, loop->loop_var)) continue;
    indexing.insert(loop->loop_var.get());
    if (outside(sref)) continue;
    loops.push_back(loop);
  }
  for (const IterVar& iter : used)
    iters.push_back(make<IterVarNode>(iter->dom, iter->var, IterType::kDataPar));
  Expr predicate = bool_imm(true);
  for (const Expr& condition : conjuncts(realize->predicate)) {
    bool ours = uses_var(condition, [&](const VarNode* var) { return indexing.contains(var); });
    if (ours) predicate = logical_and(predicate, condition);
  }
  const Buffer &from = write ? copy : buffer, &to = write ? buffer : copy;
  const Array<Expr>&from_at = write ? mapped : indices, &to_at = write ? indices : mapped;
  Stmt store = make<BufferStoreNode>(to, Expr(make<TensorLoadNode>(from, from_at)), to_at);
  SBlock stage =
      make<SBlockNode>(iters, Array<TensorRegion>{make<TensorRegionNode>(from, points(from_at))},
                       Array<TensorRegion>{make<TensorRegionNode>(to, points(to_at))}, copy->name, store);
  Stmt nest = make<SBlockRealizeNode>(used_values, predicate, stage);
  for (size_t i = loops.size(); i-- > 0;)
    nest = make<ForNode>(loops[i]->loop_var, loops[i]->min, loops[i]->extent, ForKind::kSerial, nest);
  nest = FreshBinders().rewrite(nest);
  return add_reindex_stage(step, block,
                           {buffer, copy, mapped, innermost_block(nest), nest, location, position});
}

}  // namespace mlc::transform
