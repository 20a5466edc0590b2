// SPDX-License-Identifier: Apache-2.0
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_remove_store_undef {

static constexpr ir::Refusals refusals{
    kRefusedValue,
    {
        {.name = "undef-remains", .message = "`T.undef()` stands in an index of `{}`"},
    }};
MLC_REFUSALS(tir_remove_store_undef, refusals);

namespace {

constexpr char doc[] = R"(RemoveStoreUndef(): leave out stores whose value may be anything.

    A[i] = T.undef(dtype="int32")       =>
    A[j] = 1                                    A[j] = 1
needs: `T.undef()` stands in stored values and bound names only.
keeps: every other store. Statements without effect go too.
After padding was written with undefined values, which only the layout asked for.)";

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  std::unordered_set<const VarNode*> undefined;  // names of such values
  auto is_undefined = [&](const Expr& e) {
    return any_below(e, [&](const Expr& part) {
      return as_call_to(part, "tirx.undef") || (as<VarNode>(part) && undefined.contains(as<VarNode>(part)));
    });
  };
  Stmt body = rewrite_with(fn->body, [&](const Stmt& s, Rewriter& on) -> Stmt {
    if (auto* bind = as<BindNode>(s)) {
      if (!is_undefined(bind->value)) return s;
      undefined.insert(bind->var.get());
      return no_op();
    }
    auto* store = as<BufferStoreNode>(s);
    if (!store) return on.rewrite_children(s);
    for (const Expr& index : store->indices) {
      if (is_undefined(index))
        throw refuse(refusals["undef-remains"], text(store->buffer->name)).at(s->span);
    }
    return is_undefined(store->value) ? no_op() : s;
  });
  return with_body(fn, body);
}

PrimFunc validate(const PrimFunc& fn, const PassOptions&) {
  post_order(fn->body, [&](const Expr& e) {
    if (as_call_to(e, "tirx.undef"))
      throw refuse_as(refusals["undef-remains"], "`T.undef()` stands where it is not the value of a store")
          .at(e->span);
  });
  return fn;
}

constexpr PassPart parts[] = {{"s_tir.RemoveStoreUndefInternal", apply},
                              {"tirx.RemoveNoOp"},
                              {"s_tir.ValidateAllUndefRemoved", validate}};

}  // namespace

extern const Pass remove_store_undef{
    "RemoveStoreUndef", "s_tir.transform", "RemoveStoreUndef()", doc, nullptr, nullptr, parts};

}  // namespace mlc::transform::pass_remove_store_undef
