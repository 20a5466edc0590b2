// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/graph_pass.h"

namespace mlc::transform::pass_normalize {
namespace {

constexpr char doc[] = R"(Normalize(): bring functions of graphs into normal form.

    gv = R.add(R.exp(x), y)      =>      lv = R.exp(x)
                                         gv = R.add(lv, y)
needs: nothing.
keeps: what is in normal form already, names and blocks.
In normal form operands are variables, constants, shapes and tuples of these, and every expression has its type. The
parser and all passes leave it; a script that builds nodes by hand calls this before the first pass.)";

// An operand is brought into normal form before the call that it belongs to: what is inside it is bound
// first.
struct Inside final : Mutator {
  Inside(Host& host, const IRModule& mod) : Mutator(host, mod) {}
  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    return next->kind == ExprKind::kCall || next->kind == ExprKind::kTupleGetItem ? builder_->normalize(next)
                                                                                  : next;
  }
};

Function apply(const Function& fn, const IRModule& mod, const PassOptions& options) {
  return Inside(*options.host, mod).rewrite_function(fn);
}

}  // namespace

extern const Pass normalize = of_first_level(graph_pass("Normalize", "Normalize()", doc, apply));

}  // namespace mlc::transform::pass_normalize
