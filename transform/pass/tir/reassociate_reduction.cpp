// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transform/pass/buffer_memory.h"
#include "transform/pass/fresh_binders.h"
#include "transform/pass/pass.h"
#include "transform/pass/reassociation.h"

namespace mlc::transform::pass_reassociate_reduction {
namespace {

constexpr char doc[] =
    R"(ReassociateReduction(masked_bits=0): a loop that says `mlc.reassociate_reduction` combines its steps in any order.

    for k in T.serial(n,                            for k in T.serial(n, annotations={"mlc.reassociate": 1}):
            annotations={"mlc.reassociate_reduction": 1}):  =>      C[0] = C[0] + A[k]
        C[0] = C[0] + A[k]
`mlc.reassociate` lets who generates code take the last operation of each store, a sum or product of floats, in
another order, and so in vectors; the interpreter takes the steps one by one. The largest or smallest of floats needs
more, because T.max(a, b) is `a` where `a > b`, else `b`: a NaN replaces what came before, and is replaced by what
comes next.
    for k in ...:                               before: T.let = C[0]
        C[0] = T.max(C[0], A[k])        =>      seen[0] = before
                                                for k in ...:   # "mlc.reassociate", "mlc.no_nans"
                                                    step: T.let = A[k]
                                                    seen[0] = seen[0] + step
                                                    C[0] = T.max(C[0], step)
                                                if not T.likely(not T.isnan(seen[0])):
                                                    C[0] = before
                                                    for k in range(n):
                                                        C[0] = T.max(C[0], A[k])
`mlc.no_nans`: minima and maxima in the loop may be computed as if they compared no NaN, and which of two zeros they
give is open. The sum is NaN if one of the steps is (or if there are infinities of both signs): then what was found is
nobody's, and the steps are taken again in order. Up to 256 steps are asked one by one instead, by their bits: twice
the operations, but the bits of lanes are tested faster than the lanes of a sum are added up.
`C[0] or A[k]` and `C[0] and A[k]` are taken in the bits of a byte: a step that may be the first one is evaluated
whatever C[0] is.
masked_bits: bits of vectors whose last lanes the machine masks at no cost, or 0. A loop that is no multiple of them
becomes one in whole vectors, four at once, and one for what is left, by `mlc.vectorize_width` (steps),
`mlc.interleave_count` (vectors at once) and `mlc.vectorize_predicate` (lanes past the end are masked).
needs: for extremes, an element that stays the same, in memory that the steps do not read otherwise.
keeps: sums but for their rounding; extremes, but for the sign of a zero.
Behind vectorization and what cleans up, because it splits and copies loops in their final form. In order, a sum takes
one step in four cycles.)";

constexpr int64_t kFew = 256;
constexpr int64_t kAtOnce = 4;  // vectors: what one adds up takes as many cycles

// The store of a loop that takes the largest or smallest of floats, C[i] = T.max(C[i], x).
struct Extreme {
  const BufferStoreNode* update = nullptr;  // null: the loop is none
  Expr x;
  bool element_first = false;  // T.max(C[i], x), not T.max(x, C[i])
};

// Does the store of a loop stay at one element, which `x` does not read?
bool is_apart(const Expr& x, const BufferStoreNode& store, const ForNode* loop, const BufferMemory& memory) {
  bool moves = std::any_of(store.indices.begin(), store.indices.end(), [&](const Expr& index) {
    return uses_var(index, [&](const VarNode* var) { return var == loop->loop_var.get(); });
  });
  return !moves && side_effect(x) <= Effect::kReadState && memory.reads_apart(x, store.buffer.get());
}

Extreme extreme_of(const ForNode* loop, const BufferMemory& memory) {
  auto* store = as<BufferStoreNode>(loop->body);
  if (store == nullptr || !store->value->dtype().is_float() || !store->value->dtype().is_scalar()) return {};
  if (store->value->kind != ExprKind::kMax && store->value->kind != ExprKind::kMin) return {};
  auto* extreme = static_cast<const BinaryNode*>(store->value.get());
  bool first = is_element(extreme->a, *store);
  if (!first && !is_element(extreme->b, *store)) return {};
  const Expr& x = first ? extreme->b : extreme->a;
  return is_apart(x, *store, loop, memory) ? Extreme{store, x, first} : Extreme{};
}

struct Reassociate final : MemoryRewriter {
  int64_t masked_bits;
  Reassociate(const PrimFunc& fn, int64_t masked_bits) : MemoryRewriter(fn), masked_bits(masked_bits) {}
  Stmt rewrite_declared(const Stmt& s) override {
    auto* loop = as<ForNode>(s);
    if (loop == nullptr || loop->annotations.count(kReassociateReduction) == 0 || loop->for_kind == ForKind::kParallel ||
        loop->for_kind == ForKind::kThreadBinding)
      return rewrite_children(s);
    int64_t lanes = lanes_to_mask(loop);
    For inside =
        with(ref(as<ForNode>(rewrite_children(s))), [](ForNode& n) { n.annotations.erase(kReassociateReduction); });
    Extreme extreme = extreme_of(inside.get(), memory);
    if (extreme.update != nullptr) return checked(inside, extreme, lanes);
    if (Stmt bits = condition_in_bits(inside)) return bits;
    return in_vectors(with(inside, [](ForNode& n) { n.annotations.Set(kReassociate, 1); }), lanes);
  }

 private:
  // How many steps a vector takes whose last ones are masked, where the machine does that at no cost and the
  // loop is not known to be a multiple of vectors; else 0.
  int64_t lanes_to_mask(const ForNode* loop) const {
    auto* store = as<BufferStoreNode>(loop->body);
    if (store == nullptr || loop->step || masked_bits == 0) return 0;
    DataType dtype = store->value->dtype();
    if (!dtype.is_scalar() || dtype.bits() < 32 || !dtype.is_float()) return 0;
    int64_t lanes = masked_bits / dtype.bits();
    auto extent = const_int(loop->extent);
    return extent && (*extent < 4 * lanes || *extent % (2 * lanes) == 0) ? 0 : lanes;
  }

  // A loop in vectors, what is left in masked ones: a few steps are all masked, of more the last ones are a
  // loop of their own.
  static Stmt in_vectors(const For& loop, int64_t lanes) {
    auto hinted = [&](const For& part, int64_t count, bool masked) {
      return with(part, [&](ForNode& n) {
        n.annotations.Set("mlc.vectorize_width", lanes);
        n.annotations.Set("mlc.interleave_count", count);
        if (masked) n.annotations.Set("mlc.vectorize_predicate", 1);
      });
    };
    auto extent = const_int(loop->extent);
    if (lanes == 0) return loop;
    if (extent && *extent <= kFew) return hinted(loop, kAtOnce, true);
    Expr by = const_like(loop->extent, lanes * kAtOnce);
    Expr steps = max(loop->extent, const_like(loop->extent, 0));
    Expr whole = mul(floordiv(steps, by), by);
    For first = with(loop, [&](ForNode& n) { n.extent = whole; });
    For rest = with(loop, [&](ForNode& n) {
      n.min = add(loop->min, whole);
      n.extent = floormod(steps, by);
    });
    return seq({hinted(first, kAtOnce, false), FreshBinders().rewrite(Stmt(hinted(rest, 1, true)))});
  }

  // C[i] or x, C[i] and x, in the bits of a byte; null where the loop is no such reduction.
  Stmt condition_in_bits(const For& loop) const {
    auto* store = as<BufferStoreNode>(loop->body);
    bool fits = store && store->value->dtype() == DataType::Bool() &&
                (store->value->kind == ExprKind::kOr || store->value->kind == ExprKind::kAnd);
    auto* two = fits ? as_binary(store->value) : nullptr;
    if (!two || !is_element(two->a, *store) || !is_apart(two->b, *store, loop.get(), memory)) return nullptr;
    Accumulator seen("seen", DataType::Int(8));
    Expr step = cast(DataType::Int(8), two->b);
    For fast = with(loop, [&](ForNode& n) {
      n.annotations.Set(kReassociate, 1);
      n.body = seen.set(store->value->kind == ExprKind::kOr ? bitwise_or(seen.value(), step)
                                                            : bitwise_and(seen.value(), step));
    });
    return where_it_runs(*loop,
                         seq({seen.allocate(), seen.set(cast(DataType::Int(8), element_of(*store))), fast,
                              with_value(*store, ne(seen.value(), int_imm(DataType::Int(8), 0)))}));
  }

  static Stmt checked(const For& loop, const Extreme& extreme, int64_t lanes) {
    const BufferStoreNode* update = extreme.update;
    DataType dtype = update->value->dtype();
    auto extent = const_int(loop->extent);
    // float16 overflows when it is added up.
    bool adds = (!extent || *extent > kFew) && dtype.bits() >= 32;
    DataType kept = adds ? dtype : DataType::Int(dtype.bits());
    Accumulator seen("seen", kept);
    auto noted = [&](const Expr& value) {
      return adds ? value : select(is_nan(value), int_imm(kept, -1), int_imm(kept, 0));
    };
    Var before = make_var("before", dtype, update->span);
    Var step = make_var("step", dtype, update->span);
    Expr element = element_of(*update);
    Expr next = extreme.element_first ? build(update->value->kind, element, step)
                                      : build(update->value->kind, step, element);
    For fast = with(loop, [&](ForNode& n) {
      n.annotations.Set(kReassociate, 1);
      n.annotations.Set(kNoNans, 1);
      Expr so_far = seen.value();
      n.body = seq({make<BindNode>(step, extreme.x, update->span),
                    seen.set(adds ? add(so_far, step) : bitwise_or(so_far, noted(step))),
                    with_value(*update, next)});
    });
    Expr right = adds ? logical_not(is_nan(seen.value())) : eq(seen.value(), int_imm(kept, 0));
    Stmt in_order = seq({with_value(*update, before), FreshBinders().rewrite(Stmt(loop))});
    Stmt all = seq({make<BindNode>(before, element, update->span), seen.allocate(), seen.set(noted(before)),
                    in_vectors(fast, lanes),
                    make<IfThenElseNode>(logical_not(likely(right)), in_order, nullptr, loop->span)});
    return where_it_runs(*loop, all);
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions& options) {
  return with_body(fn, Reassociate(fn, options.integer(0)).rewrite(fn->body));
}

}  // namespace

extern const Pass reassociate_reduction{"ReassociateReduction", "tirx.transform",
                                        "ReassociateReduction(masked_bits=0)", doc, apply};

}  // namespace mlc::transform::pass_reassociate_reduction
