// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/pointer_value_type.h"

#include "transform/pass/pass.h"

namespace mlc::transform::pass_pointer_value_type_rewrite {
namespace {

constexpr char doc[] =
    R"(PointerValueTypeRewrite(): buffers of vectors, where every access is to aligned vectors of one type.

    def main(A: T.Buffer((64,), "float32")):        def main(A: T.Buffer((16,), "float32x4")):
        ... A[T.Ramp(i * 4, 1, 4)] ...      =>          ... A[T.Div(i * 4, 4)] ...
        ... A[i * 4 + 1] ...                            ... T.Shuffle([A[T.Div(i * 4 + 1, 4)]], [1]) ...
needs: nothing; a buffer that is accessed as several types, or by vectors that are not aligned or do not
divide it, stays as it is.
keeps: every access.
For device code whose pointers to elements are no pointers to vectors.)";

PrimFunc apply(const PrimFunc& fn, const PassOptions&) { return with_pointer_value_types(fn, {}); }

}  // namespace

extern const Pass pointer_value_type_rewrite{"PointerValueTypeRewrite", "tirx.transform",
                                             "PointerValueTypeRewrite()", doc, apply};

}  // namespace mlc::transform::pass_pointer_value_type_rewrite
