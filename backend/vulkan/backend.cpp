// SPDX-License-Identifier: Apache-2.0
// Vulkan's devices: the text of kernels, from which glslang makes SPIR-V; host code by LLVM.
#include "backend/backend.h"

#include "backend/device/text_module.h"
#include "backend/gpu/limits.h"
#include "backend/vulkan/source.h"

namespace mlc::backend {

extern const Backend backend_vulkan;

namespace {

constexpr std::string_view targets[] = {"vulkan"};

constexpr Artefact artefacts[] = {
    {"so", ".so", "a shared library"},
    {"glsl", ".comp", "GLSL of the kernels", Artefact::Header::kNever, true},
};

device::Texts texts_of(const ir::IRModule& kernels, const ir::Target& target) {
  gpu_backend::check_limits(kernels, target);
  return device::texts_by_kernel(kernels, target, vulkan_backend::vulkan_source);
}

constexpr device::TextKind kind{.kind = "vulkan", .language = "GLSL", .format = "glsl", .texts = texts_of};

}  // namespace

const Backend backend_vulkan = device::text_backend<kind>(
    "vulkan", "GLSL for Vulkan's compilers, which runs elsewhere; LLVM's code launches it.", targets,
    kDLVulkan, artefacts);

}  // namespace mlc::backend
