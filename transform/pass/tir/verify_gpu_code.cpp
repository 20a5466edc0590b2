// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/verify_gpu_code.h"

#include "ir/core/refusal.h"
#include "transform/pass/pass_context.h"

namespace mlc::transform::pass_verify_gpu_code {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "gpu-limit-exceeded", .message = "the kernel breaks limits of the GPU"},
    }};
MLC_REFUSALS(tir_verify_gpu_code, refusals);

namespace {

constexpr char doc[] =
    R"(VerifyGPUCode(constraints): refuse functions whose kernels need more than the limits allow.

needs: kernels of thread extents (LowerOpaqueBlock), threads with the names of their axes (UnifyThreadBinding).
keeps: the module as it is. The limits are those of `tvm.s_tir.analysis.verify_gpu_code`.
After storage is planned, when what a kernel takes is known.)";

PrimFunc verified(const PrimFunc& fn, const PassOptions& options) {
  if (!fits_gpu(fn, as_string_map(options.args[0])))
    throw refuse(refusals["gpu-limit-exceeded"]).kind("RuntimeError").at(fn->span);
  return fn;
}

IRModule apply(const IRModule& mod, const PassOptions& options) {
  return map_prim_funcs(mod, [&](const PrimFunc& fn) { return verified(fn, options); });
}

}  // namespace

extern const Pass verify_gpu_code{
    "VerifyGPUCode", "s_tir.transform", "VerifyGPUCode(constraints)", doc, nullptr, apply};

}  // namespace mlc::transform::pass_verify_gpu_code
