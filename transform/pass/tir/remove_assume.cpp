// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/pass.h"

namespace mlc::transform::pass_remove_assume {
namespace {

constexpr char doc[] = R"(RemoveAssume(): forget what was only assumed.

    T.assume(n < 8)         =>
    A[n] = 0                        A[n] = 0
needs: nothing.
keeps: every effect. Statements without effect go too.
After the passes that make use of assumptions.)";

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  return with_body(fn, rewrite_with(fn->body, [](const Stmt& s, Rewriter& on) {
                     auto* evaluate = as<EvaluateNode>(s);
                     bool assumed = evaluate && as_call_to(evaluate->value, "tirx.assume");
                     return assumed ? no_op() : on.rewrite_children(s);
                   }));
}

constexpr PassPart parts[] = {{"tirx.RemoveAssumeInternal", apply}, {"tirx.RemoveNoOp"}};

}  // namespace

extern const Pass remove_assume{"RemoveAssume", "tirx.transform", "RemoveAssume()", doc, nullptr, nullptr,
                                parts};

}  // namespace mlc::transform::pass_remove_assume
