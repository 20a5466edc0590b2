// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/masked_access.h"

#include "ir/core/module.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/division.h"
#include "ir/tir/op.h"

namespace mlc::transform {

using namespace mlc::ir;  // NOLINT: the nodes are the language of this folder

namespace {

bool counts_by_one(const RampNode& ramp) { return const_int(ramp.stride) == 1; }

enum class Bases : uint8_t { kThatOfCondition, kAny };

bool may_trap(const Expr& e) {
  const BinaryNode* division = as_integer_division(e);
  if (!division || e->dtype().is_scalar()) return false;
  auto* same = as<BroadcastNode>(division->b);
  return !const_int(same ? same->value : division->b);
}

struct Mask final : Rewriter {
  const Expr& base;
  const Expr& limit;
  int lanes;
  Bases bases;
  bool some = false;
  bool all = true;

  Mask(const RampNode& ramp, const Expr& limit, Bases bases)
      : base(ramp.base), limit(limit), lanes(ramp.dtype().lanes()), bases(bases) {}

  // Null where the access stays as it is: then the condition stays too.
  Expr mask_of(const Array<Expr>& indices) {
    auto* ramp = indices.empty() ? nullptr : as<RampNode>(indices[0]);
    bool here = ramp && counts_by_one(*ramp) && ramp->dtype().lanes() == lanes &&
                (bases == Bases::kAny || structural_equal(ramp->base, base));
    if (indices.size() != 1 || !here) {
      all = false;
      return nullptr;
    }
    some = true;
    return call_op(DataType::UInt(1, lanes), "tirx.get_active_lane_mask", {base, limit});
  }

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (as_call_to(e, "tirx.masked_load")) all = false;  // its lanes are those of another condition
    if (bases == Bases::kAny && may_trap(e)) all = false;
    auto* load = as<TensorLoadNode>(e);
    if (!load) return rewrite_children(e);
    if (bases == Bases::kAny && e->dtype().is_scalar()) return e;
    Array<Expr> indices = rewrite(load->indices);
    Expr mask = mask_of(indices);
    if (!mask) return e;
    return call_op(e->dtype(), "tirx.masked_load", {load->source, indices[0], mask}, e->span);
  }
  Stmt rewrite(const Stmt& s) override {
    if (as<EvaluateNode>(s)) all = false;  // a call is made under the condition; a masked store has another one
    auto* store = as<BufferStoreNode>(s);
    if (!store) return rewrite_children(s);
    Expr value = rewrite(store->value);
    Array<Expr> indices = rewrite(store->indices);
    Expr mask = mask_of(indices);
    if (!mask) return s;
    return make<EvaluateNode>(
        call_op(DataType::Void(), "tirx.masked_store", {store->buffer, value, indices[0], mask}, s->span),
        s->span);
  }
};

struct Masked {
  Stmt body;
  Expr active;  // is there a lane at all?
};

// Nothing where the condition is another one, or an access stays as it is.
std::optional<Masked> masked_by(const Expr& condition, const Stmt& body, Bases bases) {
  auto* less = as<LTNode>(condition);
  auto* ramp = less ? as<RampNode>(less->a) : nullptr;
  auto* limit = less ? as<BroadcastNode>(less->b) : nullptr;
  if (!ramp || !limit || !counts_by_one(*ramp)) return std::nullopt;
  Mask mask(*ramp, limit->value, bases);
  Stmt masked = mask.rewrite(body);
  if (!mask.some || !mask.all) return std::nullopt;
  return Masked{masked, lt(ramp->base, limit->value)};
}

}  // namespace

std::optional<Stmt> with_masked_accesses(const Stmt& body, const Expr& condition) {
  auto masked = masked_by(condition, body, Bases::kThatOfCondition);
  return masked ? std::optional(masked->body) : std::nullopt;
}

std::optional<Stmt> with_masked_tail(const Stmt& body, const Expr& condition) {
  if (auto* both = as<AndNode>(condition)) {
    for (const auto& [same, other] : {std::pair(both->a, both->b), std::pair(both->b, both->a)}) {
      auto* uniform = as<BroadcastNode>(same);
      auto masked = uniform ? with_masked_tail(body, other) : std::nullopt;
      if (masked) return make<IfThenElseNode>(uniform->value, *masked, Stmt(nullptr), body->span);
    }
    return std::nullopt;
  }
  auto masked = masked_by(condition, body, Bases::kAny);
  if (!masked) return std::nullopt;
  return make<IfThenElseNode>(masked->active, masked->body, Stmt(nullptr), body->span);
}

}  // namespace mlc::transform
