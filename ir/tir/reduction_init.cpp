// SPDX-License-Identifier: Apache-2.0
#include "ir/tir/reduction_init.h"

#include <fmt/format.h>

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

std::optional<size_t> outermost_empty_reduction(const std::vector<const ForNode*>& loops,
                                                const SBlockRealizeNode& realize) {
  std::optional<size_t> outermost;
  bool may_be_empty = false;
  for (size_t l = 0; l < loops.size(); ++l) {
    if (!used_by(realize, loops[l]->loop_var.get(), true)) continue;
    if (!outermost) outermost = l;
    may_be_empty |= const_int(loops[l]->extent).value_or(0) < 1;
  }
  return may_be_empty ? outermost : std::nullopt;
}

Stmt init_nest(const std::vector<const ForNode*>& loops, const SBlockRealizeNode& realize,
               const Simplify& simplify) {
  const SBlockNode& block = *realize.block;
  Array<IterVar> iters;
  Array<Expr> values;
  for (size_t i = 0; i < block.iter_vars.size(); ++i) {
    if (block.iter_vars[i]->iter_type != IterType::kDataPar) continue;
    iters.push_back(block.iter_vars[i]);
    values.push_back(realize.iter_values[i]);
  }
  VarMap loop_map;
  std::vector<const ForNode*> kept;
  std::unordered_set<const VarNode*> dropped, single;
  for (const ForNode* loop : loops) {
    const Var& var = loop->loop_var;
    if (used_by(realize, var.get(), false)) {
      kept.push_back(loop);
      loop_map[var.get()] = make<VarNode>(String(fmt::format("{}_init", var->name.c_str())), var->ty);
    } else if (is_const_int(loop->extent, 1)) {
      loop_map[var.get()] = loop->min;  // conditions on it stay
      single.insert(var.get());
    } else {
      dropped.insert(var.get());
    }
  }
  Expr predicate = bool_imm(true);
  for (const Expr& condition : conjuncts(realize.predicate)) {
    if (uses_var(condition, [&](const VarNode* var) { return dropped.contains(var); })) continue;
    bool shorter = uses_var(condition, [&](const VarNode* var) { return single.contains(var); });
    Expr own = substitute(condition, loop_map);
    predicate = logical_and(predicate, shorter ? simplify(own) : own);
  }
  SBlock init = make<SBlockNode>(iters, Array<TensorRegion>{}, block.writes,
                                 String(fmt::format("{}_init", block.name_hint.c_str())), block.init, Stmt(),
                                 Array<Buffer>{}, Array<MatchBufferRegion>{}, block.annotations, block.span);
  Stmt nest = make<SBlockRealizeNode>(
      values.Map([&](const Expr& value) { return substitute(value, loop_map); }), predicate, init);
  for (size_t i = kept.size(); i-- > 0;) {
    Var var = ref(as<VarNode>(loop_map.at(kept[i]->loop_var.get())));
    nest = make<ForNode>(var, substitute(kept[i]->min, loop_map), substitute(kept[i]->extent, loop_map),
                         kept[i]->for_kind, nest, kept[i]->thread_binding, kept[i]->annotations);
  }
  return nest;
}

}  // namespace mlc::ir
