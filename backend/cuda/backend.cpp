// SPDX-License-Identifier: Apache-2.0
// CUDA C++ for NVIDIA's GPUs; host code by LLVM.
#include "backend/backend.h"

#include "backend/artefact/write_file.h"
#include "backend/cuda/compiler.h"
#include "backend/cuda/device.h"
#include "backend/cuda/module.h"
#include "backend/cuda/source.h"
#include "backend/device/module.h"

namespace mlc::backend {

extern const Backend backend_cuda;

namespace {

constexpr std::string_view targets[] = {"cuda"};

constexpr Artefact artefacts[] = {
    {"so", ".so", "a shared library"},
    {"cu", ".cu", "CUDA C++ of the kernels", Artefact::Header::kNever, true},
    {"ptx", ".ptx", "the kernels as PTX", Artefact::Header::kNever, true},
    {"cubin", ".cubin", "the kernels as machine code"},
    {"fatbin", ".fatbin", "the same in CUDA's container for several GPUs"},
};

ir::ffi::Module make_module(const ir::IRModule& lowered, const ir::Target& target) {
  return device::make_module(lowered, target, cuda_backend::make_kernels);
}

CInterface emit(const Artefact& artefact, const Order& order) {
  if (artefact.name == "so") {
    device::write_library(make_module(order.lowered, order.target), order.path);
    return {};
  }
  std::string text =
      cuda_backend::cuda_source(device::split(order.lowered, order.target).kernels, order.target);
  write_file(order.path,
             artefact.name == "cu" ? text : cuda_backend::compile(text, order.target, artefact.name));
  return {};
}

}  // namespace

const Backend backend_cuda = {
    .name = "cuda",
    .doc = "CUDA C++, compiled by NVRTC or nvcc; LLVM's code launches it.",
    .targets = targets,
    .pipeline = "gpu",
    .schedule_rules = "gpu",
    .device = kDLCUDA,
    .artefacts = artefacts,
    .make_module = make_module,
    .emit = emit,
    .register_api =
        [] {
          ir::add_device_api(kDLCUDA, &cuda_backend::cuda_api());
          cuda_backend::register_loader();
          cuda_backend::register_tensor_maps();
        },
};

}  // namespace mlc::backend
