// SPDX-License-Identifier: Apache-2.0
// AMD's GPUs: the text of kernels for hipcc and hiprtc; host code by LLVM.
#include "backend/backend.h"

#include "backend/device/text_module.h"
#include "backend/gpu/limits.h"
#include "backend/rocm/source.h"

namespace mlc::backend {

extern const Backend backend_rocm;

namespace {

constexpr std::string_view targets[] = {"rocm"};

constexpr Artefact artefacts[] = {
    {"so", ".so", "a shared library"},
    {"hip", ".hip", "HIP C++ of the kernels", Artefact::Header::kNever, true},
};

device::Texts texts_of(const ir::IRModule& kernels, const ir::Target& target) {
  gpu_backend::check_limits(kernels, target);
  return device::Texts{{"", rocm_backend::rocm_source(kernels, target)}};
}

constexpr device::TextKind kind{.kind = "hip", .language = "HIP C++", .format = "hip", .texts = texts_of};

}  // namespace

const Backend backend_rocm = device::text_backend<kind>(
    "rocm", "HIP C++ for AMD's compilers, which runs elsewhere; LLVM's code launches it.", targets, kDLROCM,
    artefacts);

}  // namespace mlc::backend
