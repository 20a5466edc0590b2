// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/core/module.h"

namespace mlc::llvm_backend {

// Before => after, for a reduction loop around the loops of its output tile:
//
//     for k in range(n):                        for k4 in range(n // 4):
//         for i, j in T.grid(I, J):      =>         for i, j in T.grid(I, J):
//             if k == 0:                                C[i, j] = (((C[i, j] or init if k4 == 0)
//                 C[i, j] = init                            + A[i, 4 * k4] * B[4 * k4, j]) + ... ) + ...
//             C[i, j] = C[i, j] + A[i, k] * B[k, j]    # and the rest of n % 4
//
// The tile is read and written once for four steps instead of for each one.
// needs: constant extents; the output index does not depend on k and is another one for every (i, j); what is
//        read beside the output is other memory (`tirx.noalias`).
// keeps: every element's own operations in their order, so results are the same to the last bit.
ir::PrimFunc jam_reductions(const ir::PrimFunc& fn);

}  // namespace mlc::llvm_backend
