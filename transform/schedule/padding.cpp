// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/padding.h"

#include "ir/op.h"
#include "transform/arith/expr_equal.h"
#include "transform/schedule/loop_sequence.h"

namespace mlc::transform {
namespace {

// `value + offset` from `low` on, below `high`; null where the condition says nothing.
struct Bound {
  Expr term;
  std::optional<int64_t> low, high;
};

// value - constant, when one side of the sum is a constant.
std::pair<Expr, int64_t> without_constant(const Expr& e) {
  auto* two = as_binary(e);
  if (!two) return {e, 0};
  auto right = const_int(two->b);
  if (right && e->kind == ExprKind::kAdd) return {two->a, *right};
  if (right && e->kind == ExprKind::kSub) return {two->a, -*right};
  return {e, 0};
}

std::optional<Bound> bound_of(const Expr& condition) {
  auto* two = as_binary(condition);
  if (!two) return std::nullopt;
  auto left = const_int(two->a), right = const_int(two->b);
  if (left.has_value() == right.has_value()) return std::nullopt;
  auto [term, constant] = without_constant(left ? two->b : two->a);
  int64_t edge = (left ? *left : *right) - constant;
  switch (condition->kind) {
    case ExprKind::kLT:
      return left ? Bound{term, edge + 1, {}} : Bound{term, {}, edge};
    case ExprKind::kLE:
      return left ? Bound{term, edge, {}} : Bound{term, {}, edge + 1};
    case ExprKind::kGT:
      return left ? Bound{term, {}, edge} : Bound{term, edge + 1, {}};
    case ExprKind::kGE:
      return left ? Bound{term, {}, edge + 1} : Bound{term, edge, {}};
    case ExprKind::kEQ:
      return Bound{term, edge, edge + 1};
    default:
      return std::nullopt;
  }
}

}  // namespace

PaddingBlock padding_block(ScheduleState& state, const BlockArg& block, const LoopArg& loop) {
  Place* scope = scope_of(*block);
  if (!scope || !is_above(*loop, *block) || scope_of(*loop) != scope) {
    throw refuse("loop-not-around-block", "loop `{}` is not around block `{}`", loop->name.c_str(),
                 block->name.c_str())
        .at(loop.span)
        .help("choose one of `sch.get_loops(block)`");
  }
  require_complete(state, *block, *scope);
  const SBlockNode* old = block->block();
  auto refuse_block = [&](const std::string& why) {
    return refuse("not-padding", "block `{}` does not pad a buffer: {}", block->name.c_str(), why)
        .at(block.span)
        .note("the block is defined here", old->span)
        .help("a block that pads is one store of `T.if_then_else(inside, value, constant)`");
  };
  PaddingBlock result;
  result.realize = realize_of(state, *block);
  result.store = as<BufferStoreNode>(old->body);
  if (!result.store) throw refuse_block("its body is more than one store");
  auto* choice = as_call_to(result.store->value, "tirx.if_then_else");
  if (!choice) throw refuse_block("what it stores is no `T.if_then_else`");
  result.value = choice->args[1];
  result.constant = choice->args[2];
  if (result.constant->kind != ExprKind::kIntImm && result.constant->kind != ExprKind::kFloatImm) {
    throw refuse_block("the padding is not a constant");
  }
  if (side_effect(result.value) > Effect::kReadState) throw refuse_block("the value has side effects");

  Analyzer analyzer;
  bind_loops(analyzer, loops_above(*block));
  VarMap values = bindings_of(result.realize);
  Expr all = bool_imm(true);
  auto collect = [&](const Expr& condition) {
    for (const Expr& part : likely_conjuncts(condition)) {
      if (!is_const_int(part, 1)) all = logical_and(all, part);
    }
  };
  collect(substitute(choice->args[0], values));
  collect(result.realize->predicate);
  result.predicate = analyzer.simplify(all);
  if (is_const_int(result.predicate, 1)) throw refuse_block("every iteration is inside");

  // Each condition bounds one iterator, shifted by a constant at most.
  Analyzer inner;
  std::vector<Bound> bounds;
  for (const IterVar& iter : old->iter_vars) inner.bind(iter->var, iter->dom);
  for (const Expr& part : likely_conjuncts(inner.simplify(choice->args[0]))) {
    auto bound = bound_of(part);
    auto* var = bound ? as<VarNode>(bound->term) : nullptr;
    if (!var) throw refuse_block("a condition is no bound of one iterator");
    bounds.push_back(*bound);
  }
  for (const Expr& part : likely_conjuncts(result.realize->predicate)) {
    auto bound = bound_of(part);
    if (!bound) continue;
    for (const auto& [var, value] : values) {
      if (same_expr(value, bound->term)) bounds.push_back({ref(var), bound->low, bound->high});
    }
  }
  for (const IterVar& iter : old->iter_vars) {
    auto low = const_int(iter->dom->min), extent = const_int(iter->dom->extent);
    bool bounded = false;
    std::optional<int64_t> high;
    if (low && extent) high = *low + *extent;
    for (const Bound& bound : bounds) {
      if (!bound.term.same_as(iter->var)) continue;
      bounded = true;
      if (bound.low) low = low ? std::max(*low, *bound.low) : *bound.low;
      if (bound.high) high = high ? std::min(*high, *bound.high) : *bound.high;
    }
    if (!bounded) {
      result.inside.push_back(iter->dom);
      continue;
    }
    if (!low || !high || *high <= *low) throw refuse_block("what is inside has no constant bounds");
    result.inside.push_back(
        make<RangeNode>(const_like(iter->var, *low), const_like(iter->var, *high - *low)));
  }
  return result;
}

}  // namespace mlc::transform
