// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "transform/pass/buffer_memory.h"
#include "transform/pass/fold_constant_branches.h"
#include "transform/pass/fresh_binders.h"
#include "transform/pass/reassociation.h"
#include "transform/pass/rewritten_by.h"

namespace mlc::transform::pass_vectorize_arg_reduction {
namespace {

constexpr char doc[] =
    R"(VectorizeArgReduction(): where the largest or smallest of floats is (argmax, argmin), in vectors.

    for k in T.serial(n,                            best[0] = value[0]; at[0] = index[0]; seen[0] = value[0]
            annotations={"mlc.reassociate_reduction": 1}):      for chunk in range(n // 512):
        at: T.let = T.Select(A[k] > value[0],           most[0] = T.float32("-inf")
            k, index[0])                                for k in <the chunk>:   # "mlc.reassociate", "mlc.no_nans"
        of: T.let = T.Select(A[k] > value[0],   =>          seen[0] = seen[0] + A[k]
            A[k], value[0])                                 most[0] = T.max(most[0], A[k])
        index[0] = at                                   if not T.isnan(seen[0]) and most[0] > best[0]:
        value[0] = of                                       where[0] = 2147483647
                                                            for k in <the chunk>:
                                                                where[0] = T.min(where[0],
                                                                    T.Select(A[k] == most[0], k, 2147483647))
                                                            at[0] = where[0]; best[0] = most[0]
                                                    if T.likely(not T.isnan(seen[0])):
                                                        index[0] = at[0]; value[0] = best[0]
                                                    else:
                                                        <the loop as it was>
and so with `>=`, `<`, `<=`, and with a condition that takes the smaller or the larger index among equals.
needs: `mlc.reassociate_reduction`; float32 or float64; an index that grows with the loop; elements that stay the same, in memory
that the steps do not read otherwise.
keeps: the index, and the value but for the sign of a zero. The sum is NaN if one of the steps is (or if there are
infinities of both signs): then what was found is nobody's, and the steps are taken in order.
Before ReassociateReduction, which takes what is left of `mlc.reassociate_reduction`. A chunk of 512 stays in the first cache for
the second look, and only one with a new extreme gets it: of random steps, about a logarithm of their number.)";

// What a step does where its value is the one so far: it stays where it is; it moves to the step; it is at
// the smaller or the larger index of both.
enum class Ties : uint8_t { kStays, kMoves, kFirst, kLast };

//     at: T.let = T.Select(value > x, index, i)        # or >=, or value > x or value == x and index < i
//     of: T.let = T.Select(value > x, value, x)
//     index = at; value = of
struct ArgReduction {
  const BufferStoreNode* index = nullptr;
  const BufferStoreNode* value = nullptr;
  Expr x, i;
  bool largest = false;
  Ties ties = Ties::kStays;
};

// A comparison as `a < b` or `a <= b`.
struct Order {
  Expr a, b;
  bool strict = false;
};
std::optional<Order> order_of(const Expr& e) {
  auto* two = as_binary(e);
  bool strict = e->kind == ExprKind::kLT || e->kind == ExprKind::kGT;
  if (strict || e->kind == ExprKind::kLE || e->kind == ExprKind::kGE) {
    bool less = e->kind == ExprKind::kLT || e->kind == ExprKind::kLE;
    return Order{less ? two->a : two->b, less ? two->b : two->a, strict};
  }
  return std::nullopt;
}

// `i` where it grows by one, or by as much as the loop's variable, from step to step.
bool grows(const Expr& i, const ForNode* loop) {
  if (auto* cast = as<CastNode>(i)) {
    if (!cast->dtype().is_int()) return false;
    // In a narrower type, an index that does not fit would begin again from below.
    auto steps = const_int(loop->extent);
    bool fits = cast->dtype().bits() >= cast->value->dtype().bits() ||
                (cast->value.get() == loop->loop_var.get() && steps &&
                 *steps - 1 <= *const_int(max_value(cast->dtype())));
    return fits && grows(cast->value, loop);
  }
  if (i.get() == loop->loop_var.get()) return true;
  auto* sum = as_binary(i);
  // A narrow sum begins again from below, too; indices of 32 bits do not get there.
  if (sum == nullptr || sum->kind != ExprKind::kAdd || sum->dtype().bits() < 32) return false;
  auto stays = [&](const Expr& e) {
    return side_effect(e) == Effect::kPure &&
           !uses_var(e, [&](const VarNode* var) { return var == loop->loop_var.get(); });
  };
  return (grows(sum->a, loop) && stays(sum->b)) || (stays(sum->a) && grows(sum->b, loop));
}

std::optional<ArgReduction> arg_reduction_of(const ForNode* s) {
  auto* body = as<SeqStmtNode>(s->body);
  if (body == nullptr || body->seq.size() != 4) return std::nullopt;
  const BindNode* names[] = {as<BindNode>(body->seq[0]), as<BindNode>(body->seq[1])};
  ArgReduction made;
  std::optional<Choice> index, value;  // what is kept, and what is taken
  for (int64_t at = 2; at < 4; ++at) {
    auto* store = as<BufferStoreNode>(body->seq[at]);
    if (store == nullptr || !names[0] || !names[1] || !store->value->dtype().is_scalar()) return std::nullopt;
    auto* name = std::ranges::find_if(
        names, [&](const BindNode* each) { return each->var.get() == store->value.get(); });
    if (name == std::end(names)) return std::nullopt;
    bool is_value = store->value->dtype().is_float();
    (is_value ? made.value : made.index) = store;
    (is_value ? value : index) = as_choice((*name)->value);
  }
  if (!made.value || !made.index || !value || !index || !made.index->value->dtype().is_int())
    return std::nullopt;
  if (!is_element(value->yes, *made.value) || !is_element(index->yes, *made.index)) return std::nullopt;
  made.x = value->no;
  made.i = index->no;
  auto order = order_of(value->condition);
  if (!order || !grows(made.i, s)) return std::nullopt;
  made.largest = is_element(order->b, *made.value);
  if (!structural_equal(made.largest ? order->a : order->b, made.x) ||
      !is_element(made.largest ? order->b : order->a, *made.value))
    return std::nullopt;
  if (structural_equal(index->condition, value->condition)) {
    made.ties = order->strict ? Ties::kMoves : Ties::kStays;
  } else {
    auto* either = as_binary(index->condition);
    auto* both = either != nullptr && either->kind == ExprKind::kOr ? as_binary(either->b) : nullptr;
    auto* equal = both != nullptr && both->kind == ExprKind::kAnd ? as_binary(both->a) : nullptr;
    auto by_index = equal != nullptr && equal->kind == ExprKind::kEQ ? order_of(both->b) : std::nullopt;
    if (!by_index || !by_index->strict || !order->strict || !structural_equal(either->a, value->condition))
      return std::nullopt;
    bool value_first = is_element(equal->a, *made.value);
    if (!is_element(value_first ? equal->a : equal->b, *made.value) ||
        !structural_equal(value_first ? equal->b : equal->a, made.x))
      return std::nullopt;
    bool first = is_element(by_index->a, *made.index);
    if (!is_element(first ? by_index->a : by_index->b, *made.index) ||
        !structural_equal(first ? by_index->b : by_index->a, made.i))
      return std::nullopt;
    made.ties = first ? Ties::kFirst : Ties::kLast;
  }
  return made;
}

constexpr int64_t kChunk = 512;

// The steps of a chunk fit, and there is a number below the first step: it says that no step was it.
bool counts_chunks(DataType dtype) { return dtype.is_int() && dtype.bits() >= 32; }

class Vectorize final : public MemoryRewriter {
 public:
  using MemoryRewriter::MemoryRewriter;
  Stmt rewrite_declared(const Stmt& s) override {
    auto* loop = as<ForNode>(s);
    bool asked = loop != nullptr && loop->annotations.count(kReassociateReduction) != 0 && !loop->step &&
                 counts_chunks(loop->loop_var->dtype()) && is_const_int(loop->min, 0) &&
                 loop->for_kind != ForKind::kParallel && loop->for_kind != ForKind::kThreadBinding;
    auto found = asked ? arg_reduction_of(loop) : std::nullopt;
    return found && legal(loop, *found) ? vectorized(loop, *found) : rewrite_children(s);
  }

 private:
  bool legal(const ForNode* loop, const ArgReduction& c) const {
    DataType dtype = c.x->dtype();
    if (!dtype.is_float() || dtype.bits() < 32 || side_effect(c.x) > Effect::kReadState) return false;
    bool good = true;
    for (const BufferStoreNode* store : {c.index, c.value}) {
      for (const Expr& at : store->indices)
        good = good && !uses_var(at, [&](const VarNode* var) { return var == loop->loop_var.get(); });
      good = good && memory.reads_apart(c.x, store->buffer.get());
    }
    // The elements stay the same: neither is the other's memory, nor says where the other is.
    auto apart = [&](const BufferStoreNode* one, const BufferStoreNode* other) {
      bool stays = memory.apart(one->buffer.get(), other->buffer.get());
      for (const Expr& at : one->indices) {
        stays =
            stays && memory.reads_apart(at, one->buffer.get()) && memory.reads_apart(at, other->buffer.get());
      }
      return stays;
    };
    return good && apart(c.index, c.value) && apart(c.value, c.index);
  }

  // What the parts of the new program share.
  struct Parts {
    const ForNode* loop;
    const ArgReduction& c;
    Accumulator best, at, seen, most, where;
    Expr limit;  // of a step where none has the extreme
    bool last;   // among equals the last step counts

    Parts(const ForNode* loop, const ArgReduction& c)
        : loop(loop),
          c(c),
          best("best", c.x->dtype()),
          at("at", c.index->value->dtype()),
          seen("seen", c.x->dtype()),
          most("most", c.x->dtype()),
          where("where", loop->loop_var->dtype()),
          last(c.ties == Ties::kLast || c.ties == Ties::kMoves) {
      limit = last ? min_value(loop->loop_var->dtype()) : max_value(loop->loop_var->dtype());
    }
    Expr better(const Expr& a, const Expr& than) const { return c.largest ? gt(a, than) : lt(a, than); }
    Expr index_at(const Expr& step) const { return substitute(c.i, {{loop->loop_var.get(), step}}); }
    // The loop over some of the steps, with what it does of the value of each.
    template <class Body>
    Stmt walk(const Expr& from, const Expr& steps, Map<String, Any> annotations, const Body& body) const {
      Var k = make<VarNode>(loop->loop_var->name, loop->loop_var->ty, loop->loop_var->span);
      return make<ForNode>(k, from, steps, ForKind::kSerial,
                           body(substitute(c.x, {{loop->loop_var.get(), k}}), k), nullptr,
                           std::move(annotations), nullptr, loop->span);
    }
  };

  static Stmt chunk(const Parts& p, const Expr& from, const Expr& steps) {
    DataType dtype = p.c.x->dtype();
    Map<String, Any> reassociated{{kReassociate, 1}, {kNoNans, 1}};
    Expr none = p.c.largest ? neg(infinity(dtype)) : infinity(dtype);
    Stmt extreme = p.walk(from, steps, reassociated, [&](const Expr& x, const Var&) {
      Var step = make_var("step", dtype);
      return seq({make<BindNode>(step, x), p.seen.set(add(p.seen.value(), step)),
                  p.most.set(p.c.largest ? max(p.most.value(), step) : min(p.most.value(), step))});
    });
    Var found = make_var("found", dtype), better = make_var("better", DataType::Bool());
    Stmt search = p.walk(from, steps, {}, [&](const Expr& x, const Var& k) {
      Expr here = select(eq(x, found), k, p.limit);
      return p.where.set(p.last ? max(p.where.value(), here) : min(p.where.value(), here));
    });
    Var there = make<VarNode>(String("there"), p.loop->loop_var->ty);
    Expr index = p.index_at(there);
    // Among equals the larger index, which may be the one from before the loop.
    if (p.c.ties == Ties::kLast) index = select(better, index, max(p.at.value(), index));
    // A chunk without steps has nothing, and an infinity for its extreme.
    index = select(eq(there, p.limit), p.at.value(), index);
    Stmt take = seq({p.where.set(p.limit), search, make<BindNode>(there, p.where.value()), p.at.set(index),
                     p.best.set(found)});
    Expr matters = p.last ? logical_or(better, eq(found, p.best.value())) : Expr(better);
    // With a NaN the extreme is anything, by `mlc.no_nans`: nothing depends on it before that is known.
    Stmt take_if_better = make<IfThenElseNode>(matters, take);
    return seq({p.most.set(none), extreme, make<BindNode>(found, p.most.value()),
                make<BindNode>(better, p.better(found, p.best.value())),
                make<IfThenElseNode>(logical_not(is_nan(p.seen.value())), take_if_better)});
  }

  static Stmt chunks(const Parts& p) {
    const Expr& extent = p.loop->extent;
    DataType counts = p.loop->loop_var->dtype();
    auto known = const_int(extent);
    if (known && *known <= kChunk) return chunk(p, p.loop->min, extent);
    Expr size = int_imm(counts, kChunk);
    Var over = make_var("chunk", counts);
    Expr whole = known ? Expr(int_imm(counts, *known / kChunk)) : truncdiv(extent, size);
    Expr rest = known ? Expr(int_imm(counts, *known % kChunk)) : truncmod(extent, size);
    Stmt all =
        make<ForNode>(over, int_imm(counts, 0), whole, ForKind::kSerial, chunk(p, mul(over, size), size));
    if (known && *known % kChunk == 0) return all;
    return seq({all, chunk(p, mul(whole, size), rest)});
  }

  static Stmt vectorized(const ForNode* loop, const ArgReduction& c) {
    Parts p(loop, c);
    For in_order = with(ref(loop), [](ForNode& n) { n.annotations.erase(kReassociateReduction); });
    Var value = make_var("before", c.x->dtype());
    Var index = make_var("index", c.index->value->dtype());
    Expr right = logical_not(is_nan(p.seen.value()));
    // The index from before the loop stays among equals if it is smaller than all of it.
    if (c.ties == Ties::kFirst) {
      Expr first = p.index_at(const_like(loop->loop_var, 0));
      right = logical_and(right, logical_or(p.better(p.best.value(), value), lt(index, first)));
    }
    Stmt found = seq({with_value(*c.index, p.at.value()), with_value(*c.value, p.best.value())});
    Stmt all =
        seq({make<BindNode>(value, element_of(*c.value)), make<BindNode>(index, element_of(*c.index)),
             p.best.allocate(), p.at.allocate(), p.seen.allocate(), p.most.allocate(), p.where.allocate(),
             p.best.set(value), p.at.set(index), p.seen.set(value), chunks(p),
             make<IfThenElseNode>(likely(right), found, FreshBinders().rewrite(Stmt(in_order)), loop->span)});
    return where_it_runs(*loop, all);
  }
};

}  // namespace

extern const Pass vectorize_arg_reduction{"VectorizeArgReduction", "tirx.transform",
                                          "VectorizeArgReduction()", doc, rewritten_by<Vectorize>};

}  // namespace mlc::transform::pass_vectorize_arg_reduction
