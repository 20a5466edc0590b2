// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "transform/pass/buffer_memory.h"
#include "transform/pass/fresh_binders.h"
#include "transform/pass/pass.h"

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
struct Quotients final : Walker {
  std::vector<const BinaryNode*> found;
  std::vector<const VarNode*> stored;
  std::unordered_set<const VarNode*> defined;
  bool only_stores = true;

  explicit Quotients(const ForNode* loop) {
    defined.insert(loop->loop_var.get());
    visit(loop->body);
  }
  void visit(const Stmt& s) override {
    if (auto* store = as<BufferStoreNode>(s)) {
      stored.push_back(store->buffer.get());
      return walk_children(s);
    }
    only_stores = only_stores && as<SeqStmtNode>(s) != nullptr;
    walk_children(s);
  }
  void visit(const Expr& e) override {
    if (as_call_to(e, "tirx.if_then_else") != nullptr) return;  // only one of its values is computed
    if (e->kind == ExprKind::kAnd || e->kind == ExprKind::kOr) return;
    auto* quotient = e->kind == ExprKind::kDiv ? static_cast<const BinaryNode*>(e.get()) : nullptr;
    // Narrower floats are computed with as float32, and rounded twice then.
    if (quotient != nullptr && e->dtype().is_float() && e->dtype().bits() >= 32 &&
        one_lane(quotient->b)->dtype().is_scalar())
      found.push_back(quotient);
    walk_children(e);
  }
  void visit_def(const Var& var) override { defined.insert(var.get()); }
};

using Products = std::unordered_map<const BinaryNode*, Expr>;

struct Multiply final : Rewriter {
  const Products& reciprocals;
  explicit Multiply(const Products& reciprocals) : reciprocals(reciprocals) {}
  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    auto* quotient = e->kind == ExprKind::kDiv ? static_cast<const BinaryNode*>(e.get()) : nullptr;
    auto found = quotient == nullptr ? reciprocals.end() : reciprocals.find(quotient);
    return found == reciprocals.end() ? rewrite_children(e) : mul(rewrite(quotient->a), found->second);
  }
};

struct Hoist final : Rewriter {
  BufferMemory memory;
  explicit Hoist(const PrimFunc& fn) : memory(fn) {}

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override { return e; }
  Stmt rewrite(const Stmt& s) override {
    memory.declare(s);
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
    Quotients in(loop);
    if (!in.only_stores) return {};
    auto stays = [&](const TensorLoadNode* load) {
      return std::ranges::all_of(in.stored,
                                 [&](const VarNode* each) { return memory.apart(load->source.get(), each); });
    };
    std::erase_if(in.found, [&](const BinaryNode* quotient) {
      const Expr divisor = one_lane(quotient->b);
      bool invariant = as<FloatImmNode>(divisor) == nullptr && side_effect(divisor) <= Effect::kReadState &&
                       !uses_var(divisor, [&](const VarNode* var) { return in.defined.contains(var); });
      post_order(divisor, [&](const Expr& e) {
        auto* load = as<TensorLoadNode>(e);
        invariant = invariant && (load == nullptr || stays(load));
      });
      return !invariant;
    });
    return in.found;
  }

  static Stmt hoisted(const ForNode* loop, const std::vector<const BinaryNode*>& quotients) {
    Array<Stmt> parts;
    Products reciprocals;
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
    For multiplies = with(divides, [&](ForNode& n) { n.body = Multiply(reciprocals).rewrite(n.body); });
    parts.push_back(make<IfThenElseNode>(call_op(DataType::Bool(), "tirx.likely", {normal}), multiplies,
                                         FreshBinders().rewrite(Stmt(divides)), loop->span));
    return seq(parts);
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) { return with_body(fn, Hoist(fn).rewrite(fn->body)); }

}  // namespace

extern const Pass hoist_reciprocal{"HoistReciprocal", "tirx.transform", "HoistReciprocal()", doc, apply};

}  // namespace mlc::transform::pass_hoist_reciprocal
