// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/float_legalize.h"

namespace mlc::transform::pass_fp8_compute_legalize {
namespace {

constexpr char doc[] =
    R"(FP8ComputeLegalize(): arithmetic on 8-bit floats in a wider type, by the bits of the values.

    B[i] = A[i] + A[i]      =>  B[i] = float8(float32(A[i]) + float32(A[i]))        # conversions as shifts
needs: types float8_e4m3fn and float8_e5m2; functions for CUDA from sm_89 on stay as they are.
keeps: values, but for roundings between operations. Buffers allocated inside become of the wider type.
Before vectors are made, while values have one type each.)";

PrimFunc apply(const PrimFunc& fn, const PassOptions& options) {
  return compute_in(
      fn, is_float8,
      DataType::parse(text(options.args.empty() ? String("float32") : options.args[0].cast<String>())));
}

}  // namespace

extern const Pass fp8_compute_legalize{"FP8ComputeLegalize", "tirx.transform",
                                       "FP8ComputeLegalize(promote_dtype='float32')", doc, apply};

}  // namespace mlc::transform::pass_fp8_compute_legalize
