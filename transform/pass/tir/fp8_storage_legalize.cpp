// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/float_legalize.h"

namespace mlc::transform::pass_fp8_storage_legalize {
namespace {

constexpr char doc[] =
    R"(FP8StorageLegalize(): memory of 8-bit floats as uint8.

    D = T.alloc_buffer((16,), "float8_e4m3fn")   =>  D = T.alloc_buffer((16,), "uint8")
needs: no arithmetic on 8-bit floats (FP8ComputeLegalize); parameters are pointers and scalars (MakePackedAPI).
keeps: every bit in memory. Functions for CUDA from sm_89 on stay as they are.
The last of the type passes: what follows knows integers only.)";

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  return store_as_integers(fn, is_float8, "FP8StorageLegalize");
}

}  // namespace

extern const Pass fp8_storage_legalize{"FP8StorageLegalize", "tirx.transform", "FP8StorageLegalize()", doc,
                                       apply};

}  // namespace mlc::transform::pass_fp8_storage_legalize
