// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/graph_pass.h"

namespace mlc::transform::pass_remove_purity_checking {
namespace {

constexpr char doc[] = R"(RemovePurityChecking(): let the bodies of pure functions hold impure calls.

    @R.function                      @R.function
    def main(...): ...      =>       def main(...): ...       # attrs["relax.force_pure"] = True
needs: nothing.
keeps: bodies and types; functions that are impure; local functions become so, too.
From here on a pass may write out effects, such as allocations, in functions whose callers see none.)";

struct Force final : relax::Rewriter {
  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
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
