// SPDX-License-Identifier: Apache-2.0
// Browsers' GPUs: the text of kernels; host code by LLVM.
#include "backend/backend.h"

#include "backend/device/text_module.h"
#include "backend/gpu/emitter.h"
#include "backend/gpu/limits.h"
#include "backend/webgpu/source.h"

namespace mlc::backend {

extern const Backend backend_webgpu;

namespace {

constexpr std::string_view targets[] = {"webgpu"};

constexpr Artefact artefacts[] = {
    {"so", ".so", "a shared library"},
    {"wgsl", ".wgsl", "WGSL of the kernels", Artefact::Header::kNever, true},
};

device::Texts texts_of(const ir::IRModule& kernels, const ir::Target& target) {
  gpu_backend::check_limits(kernels, target);
  return device::texts_by_kernel(kernels, target, webgpu_backend::webgpu_source);
}

// Runtimes for browsers are told which bindings kernels write to.
device::Kernels kernels_of(const ir::IRModule& kernels) {
  device::Kernels all = device::kernels_of(kernels);
  for (const auto& [global, base] : kernels->functions) {
    auto symbol = ir::attr(base, "global_symbol");
    auto found = symbol ? all.find(std::string(symbol->cast<ir::String>())) : all.end();
    auto fn = ir::Any(base).as<ir::PrimFunc>();
    if (found == all.end() || !fn) continue;
    std::vector<int> written;
    for (bool each : gpu_backend::written_memory(*fn)) written.push_back(each ? 1 : 0);
    found->second.launch.push_back(fmt::format("paramWriteAccess:[{}]", fmt::join(written, ",")));
  }
  return all;
}

constexpr device::TextKind kind{.kind = "webgpu",
                                .language = "WGSL",
                                .format = "wgsl",
                                .stores_format = false,
                                .texts = texts_of,
                                .kernels = kernels_of};

}  // namespace

const Backend backend_webgpu =
    device::text_backend<kind>("webgpu", "WGSL for browsers, which runs elsewhere; LLVM's code launches it.",
                               targets, kDLWebGPU, artefacts);

}  // namespace mlc::backend
