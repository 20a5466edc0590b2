// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/pass.h"

namespace mlc::transform::pass_skip_assert {
namespace {

constexpr char doc[] = R"(SkipAssert(): leave out every assertion.

    assert n < 8, "..."     =>
    A[n] = 0                        A[n] = 0
needs: nothing; what the assertions say is on trust from here on.
keeps: every other statement.
Where checks cost more than they are worth.)";

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  return with_body(fn, rewrite_with(fn->body, [](const Stmt& s, Rewriter& on) {
                     return as<AssertStmtNode>(s) ? no_op() : on.rewrite_children(s);
                   }));
}

}  // namespace

extern const Pass skip_assert{"SkipAssert", "tirx.transform", "SkipAssert()", doc, apply};

}  // namespace mlc::transform::pass_skip_assert
