// SPDX-License-Identifier: Apache-2.0
// OpenCL C for GPUs and CPUs that have a driver for it; host code by LLVM.
#include "backend/backend.h"

#include "backend/artefact/write_file.h"
#include "backend/device/module.h"
#include "backend/opencl/device.h"
#include "backend/opencl/module.h"
#include "backend/opencl/source.h"

namespace mlc::backend {

extern const Backend backend_opencl;

namespace {

constexpr std::string_view targets[] = {"opencl"};

constexpr Artefact artefacts[] = {
    {"so", ".so", "a shared library"},
    {"cl", ".cl", "OpenCL C of the kernels", Artefact::Header::kNever, true},
};

ir::ffi::Module make_module(const ir::IRModule& lowered, const ir::Target& target) {
  return device::make_module(lowered, target, opencl_backend::make_kernels);
}

CInterface emit(const Artefact& artefact, const Order& order) {
  if (artefact.name == "cl")
    write_file(order.path, opencl_backend::opencl_source(device::split(order.lowered, order.target).kernels,
                                                         order.target));
  else
    device::write_library(make_module(order.lowered, order.target), order.path);
  return {};
}

}  // namespace

const Backend backend_opencl = {
    .name = "opencl",
    .doc = "OpenCL C, compiled by the driver of the device; LLVM's code launches it.",
    .targets = targets,
    .pipeline = "gpu",
    .schedule_rules = "gpu",
    .device = kDLOpenCL,
    .artefacts = artefacts,
    .make_module = make_module,
    .emit = emit,
    .register_api =
        [] {
          ir::add_device_api(kDLOpenCL, &opencl_backend::opencl_api());
          opencl_backend::register_loader();
        },
};

}  // namespace mlc::backend
