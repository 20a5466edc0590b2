// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/simplify_stmts.h"

namespace mlc::transform::pass_stmt_simplify_blocks {
namespace {

constexpr char doc[] =
    R"(StmtSimplify(): as the pass of tirx, which also knows the domains of the iterators of blocks.

    with T.sblock("b"):                           with T.sblock("b"):
        vi = T.axis.spatial(16, i)          =>        vi = T.axis.spatial(16, i)
        if vi < 16:                                   B[vi] = A[vi]
            B[vi] = A[vi]
needs: nothing.
keeps: what the pass of tirx keeps; predicates of blocks are not taken as known.
Before blocks are lowered; afterwards the two are the same.)";

PrimFunc apply(const PrimFunc& fn, const PassOptions& options) { return simplify_stmts(fn, options, true); }

}  // namespace

extern const Pass stmt_simplify_blocks{"StmtSimplify", "s_tir.transform", "StmtSimplify()", doc, apply};

}  // namespace mlc::transform::pass_stmt_simplify_blocks
