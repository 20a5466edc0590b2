// SPDX-License-Identifier: Apache-2.0
// Devices as scripts name them, and what is known of them. Those that have no driver here, or no backend, can be named,
// not asked.
#include "backend/device_api.h"

#include <tvm/ffi/extra/c_env_api.h>
#include <unistd.h>

#include "backend/runtime/tensor.h"
#include "ir/core/inputs.h"
#include "ir/core/try_get.h"
#include "ir/registry/api.h"
#include "ir/target/device.h"
#include "ir/target/device_api.h"
#include "ir/target/target.h"

namespace mlc::backend {

namespace {

using ir::Any;
using ir::ApiCall;
using ir::ApiKind;
using ir::ApiRow;
using ir::Error;
using ir::native;
using ir::String;

constexpr std::string_view kDevice = "Device";

using ir::view;

Any make_device(ApiCall& call) {
  auto index = call.args[1].try_cast<int64_t>();
  if (!index) ir::wrong_argument(call, 1, "int");
  if (auto type = call.args[0].try_cast<int64_t>())
    return DLDevice{static_cast<DLDeviceType>(*type), static_cast<int32_t>(*index)};
  auto name = call.args[0].try_cast<String>();
  if (!name) ir::wrong_argument(call, 0, "str");
  return ir::parse_device(view(*name), *index);
}

// What only devices with a driver know; the CPU has none of it.
Any device_attribute(ApiCall& call) {
  auto device = call.args[0].cast<DLDevice>();
  if (device.device_type == kDLCPU) return nullptr;
  ir::Inputs::global().beyond();
  try {
    return ir::device_api(device).attribute(device.device_id, call.api.name);
  } catch (Error& error) {
    throw std::move(error).at(call.span);
  }
}
Any total_memory(ApiCall& call) {
  if (call.args[0].cast<DLDevice>().device_type != kDLCPU) return device_attribute(call);
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<int64_t>(sysconf(_SC_PAGE_SIZE));
}

bool exists(DLDevice device) {
  if (device.device_type != kDLCPU) ir::Inputs::global().beyond();
  return ir::device_exists(device);
}
void wait_for(DLDevice device, int64_t) {
  if (device.device_type != kDLCPU) ir::device_api(device).synchronize(device.device_id);
}

// The CPU has the one queue.
int64_t make_stream(DLDevice device) {
  if (device.device_type == kDLCPU) return 0;
  return reinterpret_cast<intptr_t>(ir::device_api(device).make_stream(device.device_id));
}
void free_stream(DLDevice device, int64_t stream) {
  if (device.device_type != kDLCPU)
    ir::device_api(device).free_stream(device.device_id, reinterpret_cast<void*>(stream));
}
void set_stream(DLDevice device, int64_t stream) {
  TVMFFIEnvSetStream(device.device_type, device.device_id, reinterpret_cast<void*>(stream), nullptr);
}

#define DEVICE(name, type, doc)                                                    \
  {                                                                                \
    ApiKind::kFunction, "tvm", #name "(dev_id=0)", doc, native([](int64_t index) { \
      return DLDevice{type, static_cast<int32_t>(index)};                          \
    })                                                                             \
  }
#define ATTRIBUTE(name, doc) \
  { ApiKind::kProperty, kDevice, name, doc, device_attribute }
const ApiRow device_rows[] = {
    DEVICE(cpu, kDLCPU, "The CPU."),
    DEVICE(cuda, kDLCUDA, "A CUDA device."),
    DEVICE(opencl, kDLOpenCL, "An OpenCL device."),
    DEVICE(rocm, kDLROCM, "A ROCm device."),
    DEVICE(metal, kDLMetal, "A Metal device."),
    DEVICE(vulkan, kDLVulkan, "A Vulkan device."),
    DEVICE(vpi, kDLVPI, "A simulated device."),
    DEVICE(ext_dev, kDLExtDev, "A device of an extension."),
    DEVICE(hexagon, kDLHexagon, "A Hexagon device."),
    DEVICE(webgpu, kDLWebGPU, "A WebGPU device."),
    {ApiKind::kClass, "tvm.runtime", "Device(device_type, device_id=0)", "Where code runs.", make_device,
     kDevice, "tvm.runtime.device.Device"},
    {ApiKind::kFunction, "tvm", "device_from_target(target, index=None)",
     "The device that runs a target's code.", native([](Any target, Any index) {
       int64_t which = index == nullptr ? 0 : index.cast<int64_t>();
       return ir::parse_device(view(ir::parse_target(target)->kind), which);
     })},
    {ApiKind::kFunction, "tvm", "device(device_type, index=None)",
     "A device by name: \"cpu\", \"llvm\", \"cuda:1\".",
     [](ApiCall& call) -> Any {
       if (auto device = call.args[0].as<DLDevice>()) return *device;
       int64_t index = call.args[1] == nullptr ? 0 : call.args[1].cast<int64_t>();
       if (auto target = ir::try_get<ir::Target>(call.args[0]); target && *target)
         return ir::parse_device(view((*target)->kind), index);
       if (auto type = call.args[0].as<int64_t>())
         return DLDevice{static_cast<DLDeviceType>(*type), static_cast<int32_t>(index)};
       auto name = call.args[0].try_cast<String>();
       if (!name) ir::wrong_argument(call, 0, "str");
       std::string text(*name);
       return ir::parse_device(text.substr(0, text.find(' ')), index);
     }},
    {ApiKind::kProperty, kDevice, "type", "\"cpu\", \"cuda\", ...", native([](Any self) {
       std::string text = ir::device_text(self.cast<DLDevice>());
       return String(text.substr(0, text.find(':')));
     })},
    {ApiKind::kProperty, kDevice, "index", "Which one of its type.",
     native([](Any self) { return static_cast<int64_t>(self.cast<DLDevice>().device_id); })},
    {ApiKind::kProperty, kDevice, "exist", "Can it be used here?",
     native([](Any self) { return exists(self.cast<DLDevice>()); })},
    {ApiKind::kMethod, kDevice, "dlpack_device_type()", "DLPack's number of its type.",
     native([](Any self) { return static_cast<int64_t>(self.cast<DLDevice>().device_type); })},
    {ApiKind::kMethod, kDevice, "sync(stream=0)", "Waits until the device is idle; the CPU always is.",
     native([](Any self, int64_t stream) { wait_for(self.cast<DLDevice>(), stream); })},
    {ApiKind::kMethod, kDevice, "__str__()", "cpu:0",
     native([](Any self) { return String(ir::device_text(self.cast<DLDevice>())); })},
    ATTRIBUTE("max_threads_per_block", "How many threads a block may have."),
    ATTRIBUTE("warp_size", "The threads of a warp."),
    ATTRIBUTE("max_shared_memory_per_block", "Bytes of shared memory a block may have."),
    ATTRIBUTE("compute_version", "The version of the instruction set."),
    ATTRIBUTE("device_name", "The vendor's name of the device."),
    ATTRIBUTE("max_clock_rate", "In kHz."),
    ATTRIBUTE("multi_processor_count", "The number of processors."),
    ATTRIBUTE("max_thread_dimensions", "How far the indices of threads may go."),
    ATTRIBUTE("api_version", "The version of the device's interface."),
    ATTRIBUTE("driver_version", "The version of the driver."),
    ATTRIBUTE("l2_cache_size_bytes", "Bytes of the second cache."),
    ATTRIBUTE("available_global_memory", "Bytes that are free."),
    {ApiKind::kProperty, kDevice, "total_global_memory", "Bytes of the memory.", total_memory},
    {ApiKind::kMethod, kDevice, "texture_spatial_limit()", "The widest texture.", device_attribute},
    {ApiKind::kMethod, kDevice, "create_raw_stream()", "A queue of the device; the CPU has the one.",
     native([](Any self) { return make_stream(self.cast<DLDevice>()); })},
    {ApiKind::kMethod, kDevice, "free_raw_stream(stream)", "Gives a queue back.",
     native([](Any self, int64_t stream) { free_stream(self.cast<DLDevice>(), stream); })},
    {ApiKind::kMethod, kDevice, "set_raw_stream(stream)", "Makes a queue the current one.",
     native([](Any self, int64_t stream) { set_stream(self.cast<DLDevice>(), stream); })},
};
#undef DEVICE
#undef ATTRIBUTE

}  // namespace

void register_device_api() {
  ir::ApiRegistry& registry = ir::ApiRegistry::global();
  registry.add(device_rows);
  for (const char* name : {"cpu", "cuda", "opencl", "rocm", "metal", "vulkan", "vpi", "ext_dev", "hexagon",
                           "webgpu", "device", "device_from_target"}) {
    registry.alias(fmt::format("tvm.runtime.{}", name), fmt::format("tvm.{}", name));
    registry.alias(fmt::format("tvm.nd.{}", name), fmt::format("tvm.{}", name));
  }
}

}  // namespace mlc::backend
