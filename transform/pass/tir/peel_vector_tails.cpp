// SPDX-License-Identifier: Apache-2.0
#include "ir/tir/division.h"
#include "transform/arith/analyzer.h"
#include "transform/pass/fresh_binders.h"
#include "transform/pass/jumps.h"
#include "transform/pass/rewritten_by.h"

namespace mlc::transform::pass_peel_vector_tails {
namespace {

constexpr char doc[] = R"(PeelVectorTails(): vectors whose lanes are all inside of a bound do not ask for it.

    for i in range(13):                     for i in range(12):
        for j in T.vectorized(8):               for j in T.vectorized(8):
            if i * 8 + j < 100:     =>              B[i * 8 + j] = A[i * 8 + j]
                B[i * 8 + j] =              for i in range(1):
                    A[i * 8 + j]                for j in T.vectorized(8):
                                                    if (i + 12) * 8 + j < 100:
                                                        B[(i + 12) * 8 + j] = A[(i + 12) * 8 + j]
The same for `B[i] = T.if_then_else(i < 100, A[i], 0)`, which pads.
needs: conditions that are comparisons, joined by `and`, of what grows or falls steadily with the lane.
keeps: the order of iterations.
A serial loop that has nothing but the vector in it is cut where the first lane is outside; elsewhere the bound is asked
for once per vector. What is left has its condition still. Before VectorizeLoop, which runs such lanes one by one.)";

// What must hold for the last lane to be inside, and where a loop around is to be cut for that.
struct Bounds {
  std::vector<Expr> excess;   // below 0 where all lanes are inside
  std::vector<Expr> uniform;  // the same for all lanes: stays
};

struct PeelTails final : Rewriter {
  Analyzer analyzer;

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override { return e; }
  Stmt rewrite(const Stmt& s) override {
    auto* loop = as<ForNode>(s);
    if (loop == nullptr) return rewrite_children(s);
    analyzer.bind(loop->loop_var, make<RangeNode>(loop->min, loop->extent));
    if (auto* inner = as<ForNode>(loop->body); inner && loop->for_kind == ForKind::kSerial && !loop->step) {
      if (auto bounds = bounds_of(*inner)) {
        analyzer.bind(inner->loop_var, make<RangeNode>(inner->min, inner->extent));
        if (auto cut = cut_loop(*loop, *inner, *bounds)) return *cut;
      }
    }
    if (auto bounds = bounds_of(*loop)) {
      Expr all = bool_imm(true);
      for (const Expr& excess : bounds->excess) all = logical_and(all, lt(excess, const_like(excess, 0)));
      if (auto known = const_int(all)) return *known != 0 ? whole(*loop, *bounds) : s;
      return make<IfThenElseNode>(all, whole(*loop, *bounds), FreshBinders().rewrite(s), s->span);
    }
    return rewrite_children(s);
  }

 private:
  Expr at(const Expr& e, const Var& var, const Expr& value) { return substitute(e, {{var.get(), value}}); }
  // What one step of `var` adds to `e`; nothing where that is no constant.
  std::optional<int64_t> growth(const Expr& e, const Var& var) {
    return const_int(analyzer.simplify(sub(at(e, var, add(var, const_like(var, 1))), e)));
  }

  std::optional<Bounds> bounds_of(const ForNode& loop) {
    auto lanes = const_int(loop.extent);
    if (loop.for_kind != ForKind::kVectorized || !lanes || *lanes < 2 || leaves_early(loop.body))
      return std::nullopt;
    Expr condition = condition_of(loop.body);
    Bounds found;
    if (!condition || !collect(condition, loop, *lanes, found) || found.excess.empty()) return std::nullopt;
    return found;
  }

  // The condition around the whole body of a loop, or null: `if c: S` or `B[i] = T.if_then_else(c, x, y)`.
  static Expr condition_of(const Stmt& body) {
    if (auto* branch = as<IfThenElseNode>(body)) return branch->else_case ? Expr(nullptr) : branch->condition;
    auto* choice = choice_of(body);
    return choice ? choice->args[0] : Expr(nullptr);
  }
  static const CallNode* choice_of(const Stmt& body) {
    auto* store = as<BufferStoreNode>(body);
    return store ? as_call_to(store->value, "tirx.if_then_else") : nullptr;
  }

  // Asked for before the other conditions, which may be what keeps a divisor from being 0.
  static bool may_divide_by_zero(const Expr& e) {
    return any_below(e, [](const Expr& each) {
      auto* division = as_integer_division(each);
      return division && !const_int(division->b);
    });
  }

  // As `f < 0` for integers: the worst lane is the last one where f grows, the first where it falls.
  bool collect(const Expr& condition, const ForNode& loop, int64_t lanes, Bounds& found) {
    if (auto* both = as<AndNode>(condition))
      return collect(both->a, loop, lanes, found) && collect(both->b, loop, lanes, found);
    const Var& lane = loop.loop_var;
    if (!uses_var(condition, [&](const VarNode* var) { return var == lane.get(); })) {
      found.uniform.push_back(condition);
      return true;
    }
    auto* op = as_binary(condition);
    if (op == nullptr || !op->a->dtype().is_int() || side_effect(condition) > Effect::kPure) return false;
    if (may_divide_by_zero(condition)) return false;
    bool below = op->kind == ExprKind::kLT || op->kind == ExprKind::kLE;
    bool above = op->kind == ExprKind::kGT || op->kind == ExprKind::kGE;
    if (!below && !above) return false;
    Expr excess = below ? sub(op->a, op->b) : sub(op->b, op->a);
    if (op->kind == ExprKind::kLE || op->kind == ExprKind::kGE) excess = sub(excess, const_like(op->a, 1));
    auto slope = growth(excess, lane);
    if (!slope) return false;
    Expr worst = *slope > 0 ? add(loop.min, const_like(loop.min, lanes - 1)) : loop.min;
    found.excess.push_back(analyzer.simplify(at(excess, lane, worst)));
    return true;
  }

  // The loop without the conditions that hold for all of its lanes.
  static Stmt whole(const ForNode& loop, const Bounds& bounds) {
    if (auto* choice = choice_of(loop.body)) {
      Expr value = choice->args[1];
      if (!bounds.uniform.empty()) {
        Expr all = bounds.uniform[0];
        for (size_t i = 1; i < bounds.uniform.size(); ++i) all = logical_and(all, bounds.uniform[i]);
        value = call_op(choice->dtype(), "tirx.if_then_else", {all, value, choice->args[2]}, choice->span);
      }
      return with(ref(&loop), [&](ForNode& n) {
        n.body =
            with(ref(as<BufferStoreNode>(loop.body)), [&](BufferStoreNode& store) { store.value = value; });
      });
    }
    auto* branch = as<IfThenElseNode>(loop.body);
    Stmt body = branch->then_case;
    // In their order: one may be what lets the next divide or read.
    for (size_t i = bounds.uniform.size(); i-- > 0;)
      body = make<IfThenElseNode>(bounds.uniform[i], body, Stmt(nullptr), branch->span);
    return with(ref(&loop), [&](ForNode& n) { n.body = body; });
  }

  // `outer` in two, where it counts from 0 and the excess grows with it.
  std::optional<Stmt> cut_loop(const ForNode& outer, const ForNode& inner, const Bounds& bounds) {
    const Var& i = outer.loop_var;
    if (bounds.excess.size() != 1 || !is_const_int(outer.min, 0)) return std::nullopt;
    const Expr& excess = bounds.excess[0];
    auto slope = growth(excess, i);
    if (!slope || *slope <= 0) return std::nullopt;
    // excess(0) + slope * i < 0, so i < ceil(-excess(0) / slope).
    Expr first = at(excess, i, const_like(i, 0));
    Expr count = floordiv(sub(const_like(first, *slope - 1), first), const_like(first, *slope));
    // In the wider of the two types: what is left of a bound far below 0 must not be cut off.
    DataType wider = count->dtype().bits() > i->dtype().bits() ? count->dtype() : i->dtype();
    count =
        cast(i->dtype(), max(min(cast(wider, count), cast(wider, outer.extent)), make<IntImmNode>(wider, 0)));
    count = analyzer.simplify(count);
    Expr rest = analyzer.simplify(sub(outer.extent, count));
    Stmt blocks = with(ref(&outer), [&](ForNode& n) {
      n.extent = count;
      n.body = whole(inner, bounds);
    });
    if (is_const_int(rest, 0)) return blocks;
    if (is_const_int(count, 0)) return std::nullopt;
    Var tail = make<VarNode>(i->name + "_tail", i->ty, i->span);
    Stmt last = FreshBinders().rewrite(substitute(outer.body, {{i.get(), add(tail, count)}}));
    last = make<ForNode>(tail, const_like(i, 0), rest, ForKind::kSerial, last, nullptr, Map<String, Any>{},
                         nullptr, outer.span);
    return seq({blocks, last});
  }
};

}  // namespace

extern const Pass peel_vector_tails{"PeelVectorTails", "tirx.transform", "PeelVectorTails()", doc,
                                    rewritten_by<PeelTails>};

}  // namespace mlc::transform::pass_peel_vector_tails
