// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/pass.h"

namespace mlc::transform {
namespace {

constexpr char doc[] = R"(SkipAssert(): leave out every assertion.

    assert n < 8, "..."     =>
    A[n] = 0                        A[n] = 0
needs: nothing; what the assertions say is on trust from here on.
keeps: every other statement.
Where checks cost more than they are worth.)";

struct Skip final : Rewriter {
  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override { return e; }
  Stmt rewrite(const Stmt& s) override { return as<AssertStmtNode>(s) ? no_op() : rewrite_children(s); }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) { return with_body(fn, Skip().rewrite(fn->body)); }

}  // namespace

extern const Pass skip_assert{"SkipAssert", "tirx.transform", "SkipAssert()", doc, apply};

}  // namespace mlc::transform
