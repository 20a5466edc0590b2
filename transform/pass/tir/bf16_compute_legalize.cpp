// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/float_legalize.h"

namespace mlc::transform::pass_bf16_compute_legalize {
namespace {

constexpr char doc[] =
    R"(BF16ComputeLegalize(): arithmetic on bfloat16 in float32, by the bits of the values.

    B[i] = A[i] + A[i]      =>  B[i] = bfloat16(float32(A[i]) + float32(A[i]))      # conversions as shifts
needs: nothing; functions for CUDA from sm_80 on stay as they are.
keeps: values, but for roundings between operations. Buffers allocated inside become float32.
Before vectors are made, while values have one type each.)";

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  return compute_in(fn, is_bfloat16, DataType::Float(32));
}

}  // namespace

extern const Pass bf16_compute_legalize{"BF16ComputeLegalize", "tirx.transform", "BF16ComputeLegalize()", doc,
                                        apply};

}  // namespace mlc::transform::pass_bf16_compute_legalize
