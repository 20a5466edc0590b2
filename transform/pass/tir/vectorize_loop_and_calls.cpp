// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/vectorize_loop.h"

namespace mlc::transform::pass_vectorize_loop_and_calls {
namespace {

constexpr char doc[] =
    R"(VectorizeLoopAndCalls(enable_vectorize=True, mask_tails=False): VectorizeLoop, with vectors for all functions.

    for i in T.vectorized(8):
        B[i] = T.erf(A[i])                  =>      B[0:8] = T.erf(A[0:8])
needs: what VectorizeLoop needs.
keeps: the result. Functions that TVM calls lane by lane (`erf`, `rsqrt`, `isnan`, `atan2`, ...) take vectors.
mask_tails: lanes that a bound leaves out are masked where a vector is loaded and stored, for machines that do so at no
cost; else such vectors run lane by lane.
In place of VectorizeLoop where mlc itself generates the code: it has these functions for vectors.)";

PrimFunc apply(const PrimFunc& fn, const PassOptions& options) {
  return vectorize_loops(fn, options, VectorCalls::kAll,
                         options.flag(1) ? VectorMasks::kTails : VectorMasks::kAsInTVM);
}

}  // namespace

extern const Pass vectorize_loop_and_calls{"VectorizeLoopAndCalls", "tirx.transform",
                                           "VectorizeLoopAndCalls(enable_vectorize=True, mask_tails=False)",
                                           doc, apply};

}  // namespace mlc::transform::pass_vectorize_loop_and_calls
