// SPDX-License-Identifier: Apache-2.0
// The texts of kernels for scripts, whether or not this machine can compile them.
#include "backend/source_api.h"

#include "backend/c/compile.h"
#include "backend/cuda/source.h"
#include "backend/metal/source.h"
#include "backend/opencl/source.h"
#include "backend/rocm/source.h"
#include "backend/target_api.h"
#include "backend/trn/source.h"
#include "backend/vulkan/source.h"
#include "backend/webgpu/source.h"
#include "ir/registry/api.h"

namespace mlc::backend {

namespace {

using ir::Any;
using ir::ApiCall;
using ir::ApiKind;
using ir::ApiRow;

template <auto source>
Any source_of(ApiCall& call) {
  auto mod = call.args[0].as<ir::IRModule>();
  if (!mod || !*mod) ir::wrong_argument(call, 0, "IRModule");
  return ir::String(source(*mod, target_argument(call.args[1])));
}

constexpr std::string_view kCodegen = "mlc.codegen";
const ApiRow source_table[] = {
    {ApiKind::kFunction, kCodegen, "c_source(mod, target)",
     "A lowered module as C11, which no compiler is asked to read.", source_of<c_backend::c_source>},
    {ApiKind::kFunction, kCodegen, "cuda_source(mod, target)",
     "The kernels of a module that the device half of a pipeline has lowered, as CUDA C++.",
     source_of<cuda_backend::cuda_source>},
    {ApiKind::kFunction, kCodegen, "opencl_source(mod, target)",
     "The kernels of a module that the device half of a pipeline has lowered, as OpenCL C.",
     source_of<opencl_backend::opencl_source>},
    {ApiKind::kFunction, kCodegen, "metal_source(mod, target)",
     "The kernels of a module that the device half of a pipeline has lowered, in the language of Metal.",
     source_of<metal_backend::metal_source>},
    {ApiKind::kFunction, kCodegen, "webgpu_source(mod, target)",
     "The kernel of a module that the device half of a pipeline has lowered, as WGSL.",
     source_of<webgpu_backend::webgpu_source>},
    {ApiKind::kFunction, kCodegen, "vulkan_source(mod, target)",
     "The kernel of a module that the device half of a pipeline has lowered, as GLSL for Vulkan.",
     source_of<vulkan_backend::vulkan_source>},
    {ApiKind::kFunction, kCodegen, "rocm_source(mod, target)",
     "The kernels of a module that the device half of a pipeline has lowered, as HIP C++.",
     source_of<rocm_backend::rocm_source>},
    {ApiKind::kFunction, kCodegen, "trn_source(mod, target)",
     "The kernels of a module that the device half of a pipeline has lowered, as Python that calls NKI.",
     source_of<trn_backend::trn_source>},
};

}  // namespace

void register_source_api() { ir::ApiRegistry::global().add(source_table); }

}  // namespace mlc::backend
