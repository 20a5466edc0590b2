// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/masked_access.h"

#include "ir/arith_ops.h"
#include "ir/module.h"
#include "ir/op.h"
#include "ir/visit.h"

namespace mlc::transform {

using namespace mlc::ir;  // NOLINT: the nodes are the language of this folder

namespace {

bool counts_by_one(const RampNode& ramp) { return const_int(ramp.stride) == 1; }

struct Mask final : Rewriter {
  const Expr& base;
  const Expr& limit;
  bool some = false;
  bool all = true;

  Mask(const Expr& base, const Expr& limit) : base(base), limit(limit) {}

  // Null where the access stays as it is: then the condition stays too.
  Expr mask_of(const Array<Expr>& indices) {
    auto* ramp = indices.empty() ? nullptr : as<RampNode>(indices[0]);
    if (indices.size() != 1 || !ramp || !counts_by_one(*ramp) || !structural_equal(ramp->base, base)) {
      all = false;
      return nullptr;
    }
    some = true;
    return call_op(DataType::UInt(1, ramp->dtype().lanes()), "tirx.get_active_lane_mask", {base, limit});
  }

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (as_call_to(e, "tirx.masked_load")) all = false;  // its lanes are those of another condition
    auto* load = as<TensorLoadNode>(e);
    if (!load) return rewrite_children(e);
    Array<Expr> indices = rewrite(load->indices);
    Expr mask = mask_of(indices);
    if (!mask) return e;
    return call_op(e->dtype(), "tirx.masked_load", {load->source, indices[0], mask}, e->span);
  }
  Stmt rewrite(const Stmt& s) override {
    auto* evaluate = as<EvaluateNode>(s);
    if (evaluate && as_call_to(evaluate->value, "tirx.masked_store")) all = false;
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

}  // namespace

std::optional<Stmt> with_masked_accesses(const Stmt& body, const Expr& condition) {
  auto* less = as<LTNode>(condition);
  auto* ramp = less ? as<RampNode>(less->a) : nullptr;
  auto* limit = less ? as<BroadcastNode>(less->b) : nullptr;
  if (!ramp || !limit || !counts_by_one(*ramp)) return std::nullopt;
  Mask mask(ramp->base, limit->value);
  Stmt masked = mask.rewrite(body);
  if (!mask.some || !mask.all) return std::nullopt;
  return masked;
}

}  // namespace mlc::transform
