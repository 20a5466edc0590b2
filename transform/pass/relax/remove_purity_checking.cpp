// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/graph_pass.h"

namespace mlc::transform::pass_remove_purity_checking {
namespace {

constexpr char doc[] = R"(RemovePurityChecking(): let the bodies of pure functions hold impure calls.

    @R.function                           @R.function
    def main(...): ...           =>       def main(...): ...       # attrs["relax.force_pure"] = True
    y = R.call_pure_packed("f", x)   =>   y = R.call_packed("f", x)
    y = R.invoke_pure_closure(c, (x,))    y = R.invoke_closure(c, (x,))
needs: nothing.
keeps: types; functions that are impure; local functions become so, too.
From here on a pass may write out effects, such as allocations, in functions whose callers see none.)";

// A call that no longer promises to have no effects.
Expr without_promise(const CallNode* call) {
  static const ir::Op pure_packed = relax::op("relax.call_pure_packed");
  static const ir::Op inplace_packed = relax::op("relax.call_inplace_packed");
  static const ir::Op pure_closure = relax::op("relax.invoke_pure_closure");
  static const ir::Op closure = relax::op("relax.invoke_closure");
  if (call->op.same_as(pure_closure))
    return make<CallNode>(call->ty, closure, call->args, call->attrs, call->span, call->ty_args);
  if (!call->op.same_as(pure_packed) && !call->op.same_as(inplace_packed)) return ref<ExprNode>(call);
  Array<Expr> args(call->args.begin() + 1, call->args.end());
  return make<CallNode>(call->ty, call->args[0], args, Map<String, Any>{}, call->span, call->ty_args);
}

struct Force final : relax::Rewriter {
  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    if (auto* call = as<CallNode>(next)) return without_promise(call);
    auto* fn = as<FunctionNode>(next);
    return fn && fn->is_pure ? Expr(relax::with_attr(ref(fn), "relax.force_pure", true)) : next;
  }
};

Function apply(const Function& fn, const IRModule&, const PassOptions&) {
  return Force().rewrite(fn).as<Function>().value();
}

}  // namespace

extern const Pass remove_purity_checking = graph_pass("RemovePurityChecking", "RemovePurityChecking()", doc, apply);

}  // namespace mlc::transform::pass_remove_purity_checking
