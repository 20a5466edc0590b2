// SPDX-License-Identifier: Apache-2.0
// Apple's GPUs: the text of kernels; host code by LLVM.
#include "backend/backend.h"

#include "backend/device/text_module.h"
#include "backend/gpu/limits.h"
#include "backend/metal/source.h"

namespace mlc::backend {

extern const Backend backend_metal;

namespace {

constexpr std::string_view targets[] = {"metal"};

constexpr Artefact artefacts[] = {
    {"so", ".so", "a shared library"},
    {"metal", ".metal", "kernels in the language of Metal", Artefact::Header::kNever, true},
};

device::Texts texts_of(const ir::IRModule& kernels, const ir::Target& target) {
  gpu_backend::check_limits(kernels, target);
  return device::texts_by_kernel(kernels, target, metal_backend::metal_source);
}

constexpr device::TextKind kind{.kind = "metal", .language = "Metal", .format = "metal", .texts = texts_of};

}  // namespace

const Backend backend_metal = device::text_backend<kind>(
    "metal", "The text of kernels for Apple's GPUs, which runs elsewhere; LLVM's code launches it.", targets,
    kDLMetal, artefacts);

}  // namespace mlc::backend
