// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/layout_padding.h"

#include <algorithm>

#include "ir/core/walk_with.h"
#include "ir/tir/op.h"

namespace mlc::transform {
namespace {

// Loops and iterators over all new indices, named after the map's.
struct NewAxes {
  std::vector<std::pair<Var, Expr>> loops;
  Array<IterVar> iter_vars;
  Array<Expr> loop_values, indices;
  VarMap to_loops, to_iters;  // from the variables of the map back
};
NewAxes new_axes(const Relayout& layout) {
  NewAxes axes;
  const Array<Expr>& shape = layout.to->buffer()->shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    const Var& index = layout.back.map->initial_indices[d];
    Var loop = make_var(index->name, index->dtype());
    Var iter = make_var(String(fmt::format("v_{}", index->name.c_str())), index->dtype());
    axes.loops.emplace_back(loop, shape[d]);
    axes.iter_vars.push_back(
        make<IterVarNode>(make<RangeNode>(const_like(shape[d], 0), shape[d]), iter, IterType::kDataPar));
    axes.loop_values.push_back(loop);
    axes.indices.push_back(iter);
    axes.to_loops[index.get()] = loop;
    axes.to_iters[index.get()] = iter;
  }
  return axes;
}

Expr fill_value(const Relayout& layout, const Array<Expr>& indices) {
  VarMap at;
  for (size_t d = 0; d < indices.size(); ++d) at[layout.fill->initial_indices[d].get()] = indices[d];
  return substitute(layout.fill->final_indices[0], at);
}

}  // namespace

std::optional<RewrittenWriter> writer_with_padding(ScheduleState& state, const SRefNode& sref,
                                                   const Relayout& layout) {
  const SBlockNode* old = sref.block();
  auto* store = as<BufferStoreNode>(old->body);
  auto* init = as<BufferStoreNode>(old->init);
  if (!store || !store->buffer.same_as(layout.from) || (old->init && !init)) return std::nullopt;
  // Elements that the block has written, or will write, must be so still: the new loops run in another order.
  bool reads_others = any_below(old->body, [&](const Expr& e) {
    auto* load = as<TensorLoadNode>(e);
    return load && load->source.same_as(layout.from) &&
           !ir::structural_equal(Any(load->indices), Any(store->indices));
  });
  if (reads_others) return std::nullopt;
  SBlockRealize realize = realize_of(state, sref);
  if (!is_const_int(realize->predicate, 1)) return std::nullopt;
  const Array<Expr>& old_shape = layout.from->buffer()->shape;
  // Index d is iterator first_iter + d, which is loop first_loop + d.
  std::vector<SRefNode*> loops = loops_above(sref);
  std::optional<size_t> first_iter, first_loop;
  for (size_t d = 0; d < store->indices.size(); ++d) {
    size_t i = 0, l = 0;
    while (i < old->iter_vars.size() && !store->indices[d].same_as(old->iter_vars[i]->var)) ++i;
    if (i == old->iter_vars.size() || old->iter_vars[i]->iter_type != IterType::kDataPar) return std::nullopt;
    while (l < loops.size() && !realize->iter_values[i].same_as(loops[l]->loop()->loop_var)) ++l;
    if (l == loops.size()) return std::nullopt;
    if (d == 0) first_iter = i, first_loop = l;
    if (i != *first_iter + d || l != *first_loop + d) return std::nullopt;
    const ForNode* loop = loops[l]->loop();
    if (loop->for_kind != ForKind::kSerial || loop->thread_binding || !is_const_int(loop->min, 0) ||
        !Analyzer().can_prove_equal(loop->extent, old_shape[d])) {
      return std::nullopt;
    }
    bool last = l + 1 == loops.size();
    if (!last && !loop->body.same_as(loops[l + 1]->stmt)) return std::nullopt;
    if (last && loop->body.get() != realize.get()) return std::nullopt;
  }
  if (!first_loop) return std::nullopt;
  for (size_t l = *first_loop; l + 1 < loops.size(); ++l)
    if (!loops[l]->loop()->body.same_as(loops[l + 1]->stmt)) return std::nullopt;
  if (loops.back()->loop()->body.get() != realize.get()) return std::nullopt;

  NewAxes axes = new_axes(layout);
  Analyzer analyzer;
  for (const IterVar& iter : axes.iter_vars)
    if (!is_const_int(iter->dom->extent, 1)) analyzer.bind(iter->var, iter->dom);
  for (const IterVar& iter : old->iter_vars) analyzer.bind(iter->var, iter->dom);
  VarMap values;
  size_t ndim = old_shape.size();
  for (size_t d = 0; d < ndim; ++d)
    values[old->iter_vars[*first_iter + d]->var.get()] =
        analyzer.simplify(substitute(layout.back.map->final_indices[d], axes.to_iters));
  // Old iterators as new ones, the buffer's accesses with them.
  auto new_iterators = [&](const Expr& e, Rewriter& on) -> Expr {
    if (auto* var = as<VarNode>(e)) {
      auto found = values.find(var);
      return found == values.end() ? e : found->second;
    }
    Expr next = on.rewrite_children(e);
    if (auto* load = as<TensorLoadNode>(next)) {
      if (load->source.same_as(layout.from))
        return make<TensorLoadNode>(layout.to, map_indices(layout.map, load->indices, analyzer));
    }
    return next;
  };
  Expr outside = substitute(layout.back.padding, axes.to_iters), fill = fill_value(layout, axes.indices);
  auto stored = [&](const BufferStoreNode* s) -> Stmt {
    return make<BufferStoreNode>(
        layout.to, if_then_else(outside, fill, rewrite_with(s->value, new_iterators)), axes.indices, s->span);
  };
  auto regions = [&](const Array<TensorRegion>& list) {
    Array<TensorRegion> result;
    for (const TensorRegion& region : list) {
      bool moved = region->source.same_as(layout.from);
      result.push_back(moved ? make<TensorRegionNode>(layout.to, points(axes.indices))
                             : ir::substitute(region, values));
    }
    return result;
  };
  RewrittenWriter result;
  result.old_block = ref(old);
  Array<Expr> bindings;
  result.block = with(ref(old), [&](SBlockNode& copy) {
    Array<IterVar> iters;
    for (size_t i = 0; i < old->iter_vars.size(); ++i) {
      if (i == *first_iter) {
        for (size_t d = 0; d < axes.loops.size(); ++d) {
          iters.push_back(axes.iter_vars[d]);
          bindings.push_back(axes.loop_values[d]);
        }
      }
      if (i >= *first_iter && i < *first_iter + ndim) continue;
      iters.push_back(old->iter_vars[i]);
      bindings.push_back(realize->iter_values[i]);
    }
    copy.iter_vars = iters;
    copy.body = stored(store);
    if (init) copy.init = stored(init);
    copy.reads = regions(old->reads);
    copy.writes = regions(old->writes);
  });
  for (const Expr& value : bindings) {  // no other iterator may use a loop that is gone
    for (size_t d = 0; d < ndim; ++d) {
      const VarNode* gone = loops[*first_loop + d]->loop()->loop_var.get();
      if (uses_var(value, [&](const VarNode* var) { return var == gone; })) return std::nullopt;
    }
  }
  Stmt nest = make<SBlockRealizeNode>(bindings, realize->predicate, result.block);
  for (size_t l = loops.size(); l-- > *first_loop + ndim;)
    nest = with(ref(loops[l]->loop()), [&](ForNode& copy) { copy.body = nest; });
  result.nest = serial_loops(axes.loops, nest);
  result.old_nest = loops[*first_loop]->stmt;
  return result;
}

Stmt padding_nest(const Relayout& layout) {
  NewAxes axes = new_axes(layout);
  SBlock block =
      make<SBlockNode>(axes.iter_vars, Array<TensorRegion>{},
                       Array<TensorRegion>{make<TensorRegionNode>(layout.to, points(axes.indices))},
                       String(fmt::format("buffer_{}_padding", layout.from->name.c_str())),
                       make<BufferStoreNode>(layout.to, fill_value(layout, axes.indices), axes.indices));
  Expr outside = substitute(layout.back.padding, axes.to_loops);
  return serial_loops(axes.loops, make<SBlockRealizeNode>(axes.loop_values, outside, block));
}

Stmt assumption_nest(const Relayout& layout) {
  NewAxes axes = new_axes(layout);
  Expr outside = substitute(layout.back.padding, axes.to_iters);
  Expr filled = eq(make<TensorLoadNode>(layout.to, axes.indices), fill_value(layout, axes.indices));
  Stmt body = make<EvaluateNode>(
      call_op(DataType::Bool(), "tirx.assume", {logical_or(logical_not(outside), filled)}));
  SBlock block = make<SBlockNode>(
      axes.iter_vars, Array<TensorRegion>{make<TensorRegionNode>(layout.to, points(axes.indices))},
      Array<TensorRegion>{}, String(fmt::format("buffer_{}_assumptions", layout.from->name.c_str())), body);
  return serial_loops(axes.loops, make<SBlockRealizeNode>(axes.loop_values, Expr(bool_imm(true)), block));
}

}  // namespace mlc::transform
