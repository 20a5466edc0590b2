// SPDX-License-Identifier: Apache-2.0
#include "ir/tir/division.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_rewrite_unsafe_select {
namespace {

constexpr char doc[] =
    R"(RewriteUnsafeSelect(): a Select whose arms may not be evaluated freely becomes if_then_else.

    T.Select(i < n, A[i], 0)        =>      T.if_then_else(i < n, A[i], 0)
needs: nothing.
keeps: the value. Arms are unsafe when they load at an address that the condition may be guarding, or divide.
Last of the lowering: nothing afterwards makes a Select of what the condition guards.)";

bool is_unsafe(const Expr& e) {
  bool found = false;
  walk_with(e, [&](const Expr& e, Walker& on) {
    if (auto* guard = as_call_to(e, "tirx.if_then_else")) return on.visit(guard->args[0]);
    found |= as<TensorLoadNode>(e) != nullptr;
    if (auto* call = as<CallNode>(e)) {
      auto* op = as<OpNode>(call->op);
      found |= !op || op_row(op).effect > Effect::kReadState;
    }
    if (auto* division = as_integer_division(e)) found |= const_int(division->b).value_or(0) == 0;
    on.walk_children(e);
  });
  return found;
}

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  return with_body(fn, rewrite_with(fn->body, [](const Expr& e, Rewriter& on) {
                     Expr next = on.rewrite_children(e);
                     auto* select = as<SelectNode>(next);
                     if (!select || !select->condition->dtype().is_scalar()) return next;
                     if (!is_unsafe(select->true_value) && !is_unsafe(select->false_value)) return next;
                     return call_op(next->dtype(), "tirx.if_then_else",
                                    {select->condition, select->true_value, select->false_value}, e->span);
                   }));
}

}  // namespace

extern const Pass rewrite_unsafe_select{"RewriteUnsafeSelect", "s_tir.transform", "RewriteUnsafeSelect()",
                                        doc, apply};

}  // namespace mlc::transform::pass_rewrite_unsafe_select
