// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "transform/pass/buffer_memory.h"
#include "transform/pass/definitions.h"
#include "transform/pass/fresh_binders.h"
#include "transform/pass/rewritten_by.h"

namespace mlc::transform::pass_hoist_reciprocal {
namespace {

constexpr char doc[] =
    R"(HoistReciprocal(): a loop that says `mlc.reciprocal` multiplies by 1 / d, not divides by an invariant `d`.

    for k in T.serial(n,                            reciprocal: T.let = T.float32(1) / D[0]
            annotations={"mlc.reciprocal": 1}):     if T.likely(2**-126 <= T.fabs(D[0]) and T.fabs(D[0]) <= 2**126):
        C[k] = A[k] / D[0]                  =>          for k in range(n):
                                                            C[k] = A[k] * reciprocal
                                                    else:
                                                        for k in range(n):
                                                            C[k] = A[k] / D[0]
needs: a constant number of steps, of stores alone; float32 or float64; a divisor that the loop neither writes nor
shares memory with (`tirx.noalias`). Other quotients stay as they are.
keeps: the result but for the last place of a quotient. A divisor without a normal reciprocal (0, NaN, infinities,
the smallest and the largest numbers) divides; what is 0, infinite or NaN among the A[k] gives the same both ways.
Behind vectorization, so that one scalar serves all lanes, and behind what cleans up: it makes two loops of one, which
all passes behind it would have to walk. It pays because vector units start a division every 4 to 16 cycles, a product
every half; default schedules ask for it where rows are normalised.)";

constexpr std::string_view kReciprocal = "mlc.reciprocal";

// What a divisor is for all lanes.
Expr one_lane(const Expr& divisor) {
  auto* all = as<BroadcastNode>(divisor);
  return all != nullptr ? all->value : divisor;
}

// The quotients of floats that each step of a loop computes, and all that it changes.
struct Quotients {
  std::vector<const BinaryNode*> found;
  std::vector<const VarNode*> stored;
  bool only_stores = true;
};
Quotients quotients_of(const ForNode* loop) {
  Quotients in;
  auto statement = [&](const Stmt& s, Walker& on) {
    auto* store = as<BufferStoreNode>(s);
    if (store) in.stored.push_back(store->buffer.get());
    in.only_stores = in.only_stores && (store || as<SeqStmtNode>(s));
    on.walk_children(s);
  };
  auto expression = [&](const Expr& e, Walker& on) {
    if (as_call_to(e, "tirx.if_then_else") != nullptr) return;  // only one of its values is computed
    if (e->kind == ExprKind::kAnd || e->kind == ExprKind::kOr) return;
    // Narrower floats are computed with as float32, and rounded twice then.
    auto* quotient = as<DivNode>(e);
    if (quotient != nullptr && e->dtype().is_float() && e->dtype().bits() >= 32 &&
        one_lane(quotient->b)->dtype().is_scalar())
      in.found.push_back(quotient);
    on.walk_children(e);
  };
  walk_with(loop->body, overloaded{statement, expression});
  return in;
}

struct Hoist final : MemoryRewriter {
  using MemoryRewriter::MemoryRewriter;
  Stmt rewrite_declared(const Stmt& s) override {
    auto* loop = as<ForNode>(s);
    bool asked = loop != nullptr && loop->annotations.count(String(std::string(kReciprocal))) != 0 &&
                 (loop->for_kind == ForKind::kSerial || loop->for_kind == ForKind::kUnrolled);
    auto quotients = asked ? invariant_quotients(loop) : std::vector<const BinaryNode*>{};
    return quotients.empty() ? rewrite_children(s) : hoisted(loop, quotients);
  }

 private:
  std::vector<const BinaryNode*> invariant_quotients(const ForNode* loop) const {
    auto steps = const_int(loop->extent);
    if (!steps || *steps <= 0) return {};
    Quotients in = quotients_of(loop);
    if (!in.only_stores) return {};
    auto defined = defined_in(ref(loop));
    std::erase_if(in.found, [&](const BinaryNode* quotient) {
      const Expr divisor = one_lane(quotient->b);
      bool invariant = as<FloatImmNode>(divisor) == nullptr && side_effect(divisor) <= Effect::kReadState &&
                       !uses_var(divisor, [&](const VarNode* var) { return defined.contains(var); });
      return !invariant || !std::ranges::all_of(in.stored, [&](const VarNode* each) {
        return memory.reads_apart(divisor, each);
      });
    });
    return in.found;
  }

  static Stmt hoisted(const ForNode* loop, const std::vector<const BinaryNode*>& quotients) {
    Array<Stmt> parts;
    std::unordered_map<const BinaryNode*, Expr> reciprocals;
    std::vector<std::pair<Expr, Var>> known;  // divisors and their reciprocals
    Expr normal = bool_imm(true);
    for (const BinaryNode* quotient : quotients) {
      Expr divisor = one_lane(quotient->b);
      DataType dtype = divisor->dtype();
      auto same = std::ranges::find_if(
          known, [&](const auto& each) { return structural_equal(each.first, divisor); });
      if (same == known.end()) {
        Var reciprocal = make_var("reciprocal", dtype);
        Var size = make_var("size", dtype);
        const double most = std::ldexp(1.0, dtype.bits() == 32 ? 126 : 1022);
        parts.push_back(make<BindNode>(reciprocal, div(make_const(dtype, 1), divisor), loop->span));
        parts.push_back(make<BindNode>(size, call_op(dtype, "tirx.fabs", {divisor}), loop->span));
        normal = logical_and(normal, ge(size, make_const(dtype, 1 / most)));
        normal = logical_and(normal, le(size, make_const(dtype, most)));
        known.emplace_back(divisor, reciprocal);
        same = std::prev(known.end());
      }
      Expr by = same->second;
      if (!quotient->a->dtype().is_scalar())
        by = make<BroadcastNode>(by, as<BroadcastNode>(quotient->b)->lanes);
      reciprocals[quotient] = by;
    }
    For divides = with(ref(loop), [](ForNode& n) { n.annotations.erase(String(std::string(kReciprocal))); });
    Stmt multiplies = rewrite_with(Stmt(divides), [&](const Expr& e, Rewriter& on) {
      auto* quotient = as<DivNode>(e);
      auto found = quotient == nullptr ? reciprocals.end() : reciprocals.find(quotient);
      return found == reciprocals.end() ? on.rewrite_children(e)
                                        : mul(on.rewrite(quotient->a), found->second);
    });
    parts.push_back(make<IfThenElseNode>(call_op(DataType::Bool(), "tirx.likely", {normal}), multiplies,
                                         FreshBinders().rewrite(Stmt(divides)), loop->span));
    return seq(parts);
  }
};

}  // namespace

extern const Pass hoist_reciprocal{"HoistReciprocal", "tirx.transform", "HoistReciprocal()", doc,
                                   rewritten_by<Hoist>};

}  // namespace mlc::transform::pass_hoist_reciprocal
