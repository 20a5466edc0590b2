// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/pass.h"

namespace mlc::transform {
namespace {

constexpr char doc[] =
    R"(RewriteUnsafeSelect(): a Select whose arms may not be evaluated freely becomes if_then_else.

    T.Select(i < n, A[i], 0)        =>      T.if_then_else(i < n, A[i], 0)
needs: nothing.
keeps: the value. Arms are unsafe when they load at an address that the condition may be guarding, or divide.
Last of the lowering: nothing afterwards makes a Select of what the condition guards.)";

// May evaluating an expression go wrong where its value is not wanted? What if_then_else guards may not.
struct Unsafe final : Walker {
  bool found = false;

  using Walker::visit;
  void visit(const Expr& e) override {
    if (auto* guard = as_call_to(e, "tirx.if_then_else")) return visit(guard->args[0]);
    found |= as<TensorLoadNode>(e) != nullptr;
    if (auto* call = as<CallNode>(e)) {
      auto* op = as<OpNode>(call->op);
      found |= !op || op_row(op).effect > Effect::kReadState;
    }
    auto* op = as_binary(e);
    bool divides = op && e->dtype().is_integral() &&
                   (op->kind == ExprKind::kDiv || op->kind == ExprKind::kMod ||
                    op->kind == ExprKind::kFloorDiv || op->kind == ExprKind::kFloorMod);
    if (divides) found |= !const_int(op->b) || is_const_int(op->b, 0);
    walk_children(e);
  }
};
bool is_unsafe(const Expr& e) {
  Unsafe unsafe;
  unsafe.visit(e);
  return unsafe.found;
}

struct RewriteSelect final : Rewriter {
  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    auto* select = as<SelectNode>(next);
    if (!select || !select->condition->dtype().is_scalar()) return next;
    if (!is_unsafe(select->true_value) && !is_unsafe(select->false_value)) return next;
    return call_op(next->dtype(), "tirx.if_then_else",
                   {select->condition, select->true_value, select->false_value}, e->span);
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  return with_body(fn, RewriteSelect().rewrite(fn->body));
}

}  // namespace

extern const Pass rewrite_unsafe_select{"RewriteUnsafeSelect", "s_tir.transform", "RewriteUnsafeSelect()",
                                        doc, apply};

}  // namespace mlc::transform
