// SPDX-License-Identifier: Apache-2.0
#include "ir/tir/reduction_init.h"

#include <fmt/format.h>

#include "ir/core/walk_with.h"
#include "ir/tir/arith_ops.h"

namespace mlc::ir {

bool used_by(const SBlockRealizeNode& realize, const VarNode* loop_var, bool reductions) {
  for (size_t i = 0; i < realize.iter_values.size(); ++i) {
    if ((realize.block->iter_vars[i]->iter_type == IterType::kCommReduce) == reductions &&
        uses_var(realize.iter_values[i], [&](const VarNode* var) { return var == loop_var; }))
      return true;
  }
  return false;
}

std::vector<Expr> conjuncts(const Expr& condition) {
  auto* both = as<AndNode>(condition);
  if (!both) return {condition};
  std::vector<Expr> all = conjuncts(both->a);
  for (const Expr& part : conjuncts(both->b)) all.push_back(part);
  return all;
}

static bool may_be_empty(const ForNode& loop) { return const_int(loop.extent).value_or(0) < 1; }

bool may_start_nothing(const SBlockRealizeNode& realize, const ForNode& loop) {
  const VarNode* var = loop.loop_var.get();
  return may_be_empty(loop) && used_by(realize, var, true) && used_by(realize, var, false);
}

std::optional<size_t> outermost_empty_reduction(const std::vector<const ForNode*>& loops,
                                                const SBlockRealizeNode& realize) {
  std::optional<size_t> outermost;
  bool empty = false;
  for (size_t l = 0; l < loops.size(); ++l) {
    if (!used_by(realize, loops[l]->loop_var.get(), true)) continue;
    if (!outermost) outermost = l;
    empty |= may_be_empty(*loops[l]);
  }
  return empty ? outermost : std::nullopt;
}

Stmt init_nest(const std::vector<const ForNode*>& loops, const SBlockRealizeNode& realize,
               const Simplify& simplify) {
  const SBlockNode& block = *realize.block;
  std::unordered_set<const VarNode*> dropped, single;
  auto is_dropped = [&](const VarNode* var) { return dropped.contains(var); };
  auto fresh = [](const Var& var) -> Var {
    return make<VarNode>(String(fmt::format("{}_init", var->name.c_str())), var->ty);
  };
  for (const ForNode* loop : loops) {
    const VarNode* var = loop->loop_var.get();
    if (is_const_int(loop->extent, 1) && !used_by(realize, var, false)) {
      single.insert(var);
    } else if (!used_by(realize, var, false) || may_start_nothing(realize, *loop) ||
               uses_var(loop->min, is_dropped) || uses_var(loop->extent, is_dropped)) {
      dropped.insert(var);
    }
  }
  Array<IterVar> iters;
  Array<Expr> values;
  std::vector<const ForNode*> kept;
  std::vector<std::pair<Var, Range>> domains;  // of iterators that other loops give
  for (size_t i = 0; i < block.iter_vars.size(); ++i) {
    const IterVar& iter = block.iter_vars[i];
    if (iter->iter_type != IterType::kDataPar) continue;
    iters.push_back(iter);
    values.push_back(realize.iter_values[i]);
    if (!uses_var(values.back(), is_dropped)) continue;
    domains.emplace_back(fresh(iter->var), iter->dom);
    values.Set(values.size() - 1, domains.back().first);
  }
  VarMap loop_map;
  for (const ForNode* loop : loops) {
    const Var& var = loop->loop_var;
    auto is_this = [&](const VarNode* other) { return other == var.get(); };
    if (single.contains(var.get())) {
      loop_map[var.get()] = loop->min;  // conditions on it stay
    } else if (std::any_of(values.begin(), values.end(),
                           [&](const Expr& value) { return uses_var(value, is_this); })) {
      kept.push_back(loop);
      loop_map[var.get()] = fresh(var);
    } else {
      dropped.insert(var.get());
    }
  }
  Expr predicate = bool_imm(true);
  for (const Expr& condition : conjuncts(realize.predicate)) {
    if (uses_var(condition, is_dropped)) continue;
    bool shorter = uses_var(condition, [&](const VarNode* var) { return single.contains(var); });
    Expr own = substitute(condition, loop_map);
    predicate = logical_and(predicate, shorter ? simplify(own) : own);
  }
  SBlock init = make<SBlockNode>(iters, Array<TensorRegion>{}, block.writes,
                                 String(fmt::format("{}_init", block.name_hint.c_str())), block.init, Stmt(),
                                 Array<Buffer>{}, Array<MatchBufferRegion>{}, block.annotations, block.span);
  Stmt nest = make<SBlockRealizeNode>(
      values.Map([&](const Expr& value) { return substitute(value, loop_map); }), predicate, init);
  for (const auto& [var, dom] : domains)
    nest = make<ForNode>(var, dom->min, dom->extent, ForKind::kSerial, nest);
  for (size_t i = kept.size(); i-- > 0;) {
    Var var = ref(as<VarNode>(loop_map.at(kept[i]->loop_var.get())));
    nest = make<ForNode>(var, substitute(kept[i]->min, loop_map), substitute(kept[i]->extent, loop_map),
                         kept[i]->for_kind, nest, kept[i]->thread_binding, kept[i]->annotations);
  }
  return nest;
}

std::vector<Stmt> inits_of_empty_reductions(std::vector<const ForNode*> loops, const Simplify& simplify) {
  std::vector<Stmt> inits;
  size_t here = loops.size() - 1;
  walk_with(loops[here]->body, [&](const Stmt& s, Walker& on) {
    if (auto* realize = as<SBlockRealizeNode>(s)) {
      if (!realize->block->init || outermost_empty_reduction(loops, *realize) != here) return;
      std::vector<const ForNode*> inside(loops.begin() + static_cast<int64_t>(here), loops.end());
      Expr empty = bool_imm(false);
      for (const ForNode* loop : inside) {
        bool known = !uses_var(loop->extent, [&](const VarNode* var) {
          return std::any_of(inside.begin(), inside.end(),
                             [&](const ForNode* each) { return each->loop_var.get() == var; });
        });
        if (known && may_be_empty(*loop) && used_by(*realize, loop->loop_var.get(), true))
          empty = logical_or(empty, le(loop->extent, const_like(loop->extent, 0)));
      }
      if (is_const_int(empty, 0)) return;
      Stmt init = init_nest(inside, *realize, simplify);
      inits.push_back(is_const_int(empty, 1) ? init : make<IfThenElseNode>(empty, init));
      return;
    }
    auto* loop = as<ForNode>(s);
    if (loop) loops.push_back(loop);
    on.walk_children(s);
    if (loop) loops.pop_back();
  });
  return inits;
}

}  // namespace mlc::ir
