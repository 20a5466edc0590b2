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

const Backend backend_rocm = {
    .name = "rocm",
    .doc = "HIP C++ for AMD's compilers, which runs elsewhere; LLVM's code launches it.",
    .targets = targets,
    .pipeline = "gpu",
    .schedule_rules = "gpu",
    .device = kDLROCM,
    .artefacts = artefacts,
    .make_module = [](const ir::IRModule& lowered,
                      const ir::Target& target) { return device::make_text_module(kind, lowered, target); },
    .emit = [](const Artefact& artefact,
               const Order& order) { return device::emit_texts(kind, artefact, order); },
    .register_api = [] { device::register_text_loader(kind); },
};

}  // namespace mlc::backend
