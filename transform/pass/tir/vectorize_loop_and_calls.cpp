// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/vectorize_loop.h"

namespace mlc::transform {
namespace {

constexpr char doc[] =
    R"(VectorizeLoopAndCalls(enable_vectorize=True): VectorizeLoop, with vectors for all elementary functions.

    for i in T.vectorized(8):
        B[i] = T.erf(A[i])                  =>      B[0:8] = T.erf(A[0:8])
needs: what VectorizeLoop needs.
keeps: the result. Functions that TVM calls lane by lane (`erf`, `rsqrt`, `isnan`, `atan2`, ...) take vectors.
In place of VectorizeLoop where mlc itself generates the code: it has these functions for vectors.)";

PrimFunc apply(const PrimFunc& fn, const PassOptions& options) {
  return vectorize_loops(fn, options, VectorCalls::kAll);
}

}  // namespace

extern const Pass vectorize_loop_and_calls{"VectorizeLoopAndCalls", "tirx.transform",
                                           "VectorizeLoopAndCalls(enable_vectorize=True)", doc, apply};

}  // namespace mlc::transform
