// SPDX-License-Identifier: Apache-2.0
// Two calls of a function with effects may answer differently, so they are no equal numbers, and none may be
// dropped. Rules, sums of digits and bounds need not know: they are shown another unknown number in the place
// of each call, and what they make of it counts where each of these numbers is still there once, in the order
// written.
#include "transform/arith/keep_effects.h"

#include <algorithm>

#include "ir/core/walk_with.h"
#include "ir/tir/op.h"
#include "transform/arith/analyzer_impl.h"
#include "transform/arith/expr_equal.h"

namespace mlc::transform {
namespace {

bool is_logic(const Expr& e) { return e->kind == ExprKind::kAnd || e->kind == ExprKind::kOr; }
bool is_choice(const Expr& e) { return as_call_to(e, "tirx.if_then_else") != nullptr; }

// Does it do something or read, whatever its operands are?
bool acts(const Expr& e) {
  auto* call = as<CallNode>(e);
  auto* op = call ? as<OpNode>(call->op) : nullptr;
  return as<TensorLoadNode>(e) || (call && (!op || op_row(op).effect > Effect::kPure));
}

class EffectKeeper {
 public:
  EffectKeeper(Analyzer& analyzer, const std::function<Expr(const Expr&)>& simplified)
      : analyzer_(analyzer), simplified_(simplified) {}

  Expr simplify(const Expr& e) {
    if (!has_effect(e)) return simplified_(e);
    auto part = [this](const Expr& child) { return simplify(child); };
    if (is_choice(e)) return analyzer_.parts().choice(e, part);
    if (is_logic(e)) {  // the right side may not be computed
      auto* two = as_binary(e);
      Expr a = simplify(two->a), b = simplify(two->b);
      return a.same_as(two->a) && b.same_as(two->b) ? e : build(e->kind, a, b, e->span);
    }
    if (!is_whole(e)) {
      std::vector<Shown> all;
      Expr simple = simplified_(show(e, all));
      if (is_kept(simple, all)) return restored(simple, all, e);
    }
    return rewrite_below(e, [&](const Expr& child, Rewriter&) { return simplify(child); });
  }

 private:
  // An unknown number, and what it stands for.
  struct Shown {
    Expr number, value;
  };

  // What is not looked into together with what is around it. A name is bound where it stands.
  static bool is_whole(const Expr& e) {
    return acts(e) || is_choice(e) || is_logic(e) || e->kind == ExprKind::kLet;
  }

  Expr show(const Expr& e, std::vector<Shown>& all) {
    Effect effect = side_effect(e);
    if (effect <= Effect::kPure) return e;
    if (effect != Effect::kReadState && !is_whole(e))
      return rewrite_below(e, [&](const Expr& child, Rewriter&) { return show(child, all); });
    Expr simple = simplify(e);
    Expr index = int32(static_cast<int64_t>(all.size()));
    all.push_back({make<CallNode>(e->ty, op("tirx.call_pure_extern"), Array<Expr>{index}), simple});
    return all.back().number;
  }

  static bool is_kept(const Expr& simple, const std::vector<Shown>& all) {
    // Behind an `and` too none may be there again.
    size_t anywhere = 0;
    walk_with(simple, [&](const Expr& part, Walker& on) {
      anywhere += std::ranges::count_if(all, [&](const Shown& one) { return one.number.same_as(part); });
      on.walk_children(part);
    });
    if (anywhere != all.size()) return false;
    size_t next = 0;
    bool in_order = true;
    walk_with(simple, [&](const Expr& part, Walker& on) {
      for (size_t i = 0; i < all.size(); ++i) {
        if (all[i].number.same_as(part)) in_order = in_order && i == next++;
      }
      // What stands behind the first operand of these may not be computed.
      if (is_logic(part)) return on.visit(as_binary(part)->a);
      if (is_choice(part)) return on.visit(as<CallNode>(part)->args[0]);
      on.walk_children(part);
    });
    return in_order && next == all.size();
  }

  static Expr restored(const Expr& simple, const std::vector<Shown>& all, const Expr& before) {
    Expr after = rewrite_with(simple, [&](const Expr& part, Rewriter& on) {
      auto found = std::ranges::find_if(all, [&](const Shown& one) { return one.number.same_as(part); });
      return found == all.end() ? on.rewrite_children(part) : found->value;
    });
    return same_expr(after, before) ? before : after;
  }

  Analyzer& analyzer_;
  const std::function<Expr(const Expr&)>& simplified_;
};

}  // namespace

bool has_effect(const Expr& e) { return side_effect(e) > Effect::kReadState; }

Expr keep_effects(const Expr& e, Analyzer& analyzer, const std::function<Expr(const Expr&)>& simplified) {
  return has_effect(e) ? EffectKeeper(analyzer, simplified).simplify(e) : simplified(e);
}

}  // namespace mlc::transform
