// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/pass.h"

namespace mlc::transform {
namespace {

constexpr char doc[] = R"(RemoveAssume(): forget what was only assumed.

    T.assume(n < 8)         =>
    A[n] = 0                        A[n] = 0
needs: nothing.
keeps: every effect. Statements without effect go too.
After the passes that make use of assumptions.)";

struct Remove final : Rewriter {
  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override { return e; }
  Stmt rewrite(const Stmt& s) override {
    auto* evaluate = as<EvaluateNode>(s);
    return evaluate && as_call_to(evaluate->value, "tirx.assume") ? no_op() : rewrite_children(s);
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) { return with_body(fn, Remove().rewrite(fn->body)); }

constexpr PassPart parts[] = {{"tirx.RemoveAssumeInternal", apply}, {"tirx.RemoveNoOp"}};

}  // namespace

extern const Pass remove_assume{"RemoveAssume", "tirx.transform", "RemoveAssume()", doc, nullptr, nullptr,
                                parts};

}  // namespace mlc::transform
