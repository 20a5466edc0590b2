// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/float_legalize.h"

namespace mlc::transform::pass_bf16_storage_legalize {
namespace {

constexpr char doc[] =
    R"(BF16StorageLegalize(): memory of bfloat16 as uint16.

    D = T.alloc_buffer((16,), "bfloat16")   =>  D = T.alloc_buffer((16,), "uint16")
needs: no arithmetic on bfloat16 (BF16ComputeLegalize); parameters are pointers and scalars (MakePackedAPI).
keeps: every bit in memory. Functions for CUDA from sm_80 on stay as they are.
The last of the type passes: what follows knows integers only.)";

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  return store_as_integers(fn, is_bfloat16, "BF16StorageLegalize");
}

}  // namespace

extern const Pass bf16_storage_legalize{"BF16StorageLegalize", "tirx.transform", "BF16StorageLegalize()", doc,
                                        apply};

}  // namespace mlc::transform::pass_bf16_storage_legalize
