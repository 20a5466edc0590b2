// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/pass/layout_lowering.h"

namespace mlc::transform::pass_lower_tirx {

static constexpr ir::Refusals refusals{"ValueError",
                                       {
                                           {.name = "missing-target",
                                            .message = "the function does not say what it is compiled for",
                                            .help = "run BindTarget first"},
                                       }};
MLC_REFUSALS(tir_lower_tirx, refusals);

namespace {

constexpr char doc[] = R"(LowerTIRx(): layouts become index arithmetic on one-dimensional buffers.

    def f(A: T.Buffer((4, 8))):             def f(A: T.Buffer((4, 8), layout=None)):
        B = T.alloc_buffer((4, 8))              A_1 = A.view(32)
        B[i, j] = A[i, j]           =>          B = T.alloc_buffer((32,), layout=None)
                                                B[i * 8 + j] = A_1[i * 8 + j]
needs: targets in the functions (BindTarget); no blocks, no layouts that spread elements over threads, no strides.
keeps: every access, in order; parameters keep their shapes, which callers are checked against.
Before the passes that know memory alone: they are blind to layouts.)";

struct Lower final : LayoutLowering {
  Lower() : LayoutLowering("LowerTIRx") {}
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  if (!fn->attrs.count(String("target"))) {
    throw refuse(refusals["missing-target"]).kind("InternalError").at(fn->span);
  }
  return Lower().lowered(fn);
}

constexpr PassPart parts[] = {{"tirx.TilePrimitiveDispatch"}, {"tirx.LowerTIRxCleanup", apply}};

}  // namespace

extern const Pass lower_tirx{"LowerTIRx", "tirx.transform", "LowerTIRx()", doc, nullptr, nullptr, parts};

}  // namespace mlc::transform::pass_lower_tirx
