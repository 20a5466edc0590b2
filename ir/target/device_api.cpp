// SPDX-License-Identifier: Apache-2.0
#include "ir/target/device_api.h"

#include <array>
#include <cstring>
#include <vector>

#include "ir/core/refusal.h"
#include "ir/target/device.h"

namespace mlc::ir {

static constexpr Refusals refusals{
    "InternalError+RuntimeError+ValueError",
    {
        {.name = "no-such-device",
         .message = "`{}` cannot be used here: {}",
         .meaning = "A device can be used where its driver is installed and finds it; `tvm.opencl(0).exist` "
                    "asks. Builds "
                    "need no device."},
        {.name = "device-simulated",
         .message = "`{}` is simulated, and what a library holds is code for a device",
         .help = "compile it in this program: `tvm.compile(mod, target=...)`",
         .meaning = "The simulator runs kernels as the program has them, thread by thread. A library that was "
                    "built before has machine code or text for a driver alone."},
        {.name = "tensor-with-gaps",
         .message = "a tensor with gaps between its elements cannot be copied to or from `{}`",
         .help = "copy it on its device first, where its elements can be reached one by one"},
        {.name = "no-such-memory",
         .message = "`{}` has no memory of the scope `{}` for tensors",
         .help =
             "devices of OpenCL have `global.texture`, `global.texture-nhwc` and `global.texture-weight`"},
    }};
MLC_REFUSALS(target_device_api, refusals);

namespace {

constexpr int kTypes = 32;  // more than DLPack numbers
std::array<DeviceApi*, kTypes>& table() {
  static std::array<DeviceApi*, kTypes> apis{};
  return apis;
}

// A tensor's memory, which knows the device that it goes back to.
struct DeviceMemory {
  DeviceApi* api;
  std::string scope;
  void AllocData(DLTensor* tensor) {
    int id = tensor->device.device_id;
    std::span<const int64_t> shape(tensor->shape, static_cast<size_t>(tensor->ndim));
    tensor->data = scope.empty() ? api->allocate(id, ffi::GetDataSize(*tensor))
                                 : api->allocate_in(id, scope, shape, tensor->dtype);
  }
  void FreeData(DLTensor* tensor) { api->release(tensor->device.device_id, tensor->data); }
};

bool is_cpu(const DLTensor& tensor) { return tensor.device.device_type == kDLCPU; }
bool same_device(const DLTensor& a, const DLTensor& b) {
  return a.device.device_type == b.device.device_type && a.device.device_id == b.device.device_id;
}
void need_no_gaps(const DLTensor& tensor) {
  if (!ffi::IsContiguous(tensor)) throw refuse(refusals["tensor-with-gaps"], device_text(tensor.device));
}

}  // namespace

DeviceApi* find_device_api(int type) {
  return type >= 0 && type < kTypes ? table()[static_cast<size_t>(type)] : nullptr;
}
void add_device_api(int type, DeviceApi* api) { table().at(static_cast<size_t>(type)) = api; }

bool device_exists(DLDevice device) {
  if (device.device_type == kDLCPU) return device.device_id == 0;
  DeviceApi* api = find_device_api(device.device_type);
  return api != nullptr && device.device_id >= 0 && device.device_id < api->count();
}

DeviceApi& device_api(DLDevice device) {
  DeviceApi* api = find_device_api(device.device_type);
  if (api != nullptr && device_exists(device)) return *api;
  throw refuse(
      refusals["no-such-device"], device_text(device),
      api == nullptr ? "no code is compiled for devices of this kind" : api->why_not(device.device_id));
}

void need_driver(DLDevice device, const DeviceApi& own) {
  if (&device_api(device) != &own) throw refuse(refusals["device-simulated"], device_text(device));
}

void* DeviceApi::allocate_in(int, std::string_view scope, std::span<const int64_t>, DataType) {
  throw refuse(refusals["no-such-memory"], "this device", scope);
}

ffi::Tensor make_tensor_on(DLDevice device, std::span<const int64_t> shape, DataType dtype,
                           std::string_view scope) {
  if (scope == "global") scope = "";
  if (device.device_type == kDLCPU && !scope.empty())
    throw refuse(refusals["no-such-memory"], device_text(device), scope);
  if (device.device_type == kDLCPU) return make_tensor(shape, dtype);
  return ffi::Tensor::FromNDAlloc(DeviceMemory{&device_api(device), std::string(scope)},
                                  ffi::Shape(shape.begin(), shape.end()), dtype, device);
}

void copy_tensor(const DLTensor& from, const DLTensor& to) {
  need_no_gaps(from);
  need_no_gaps(to);
  size_t bytes = ffi::GetDataSize(to);
  if (bytes == 0) return;
  auto* at = static_cast<char*>(to.data);
  const auto* source = static_cast<const char*>(from.data);
  if (is_cpu(from) && is_cpu(to)) {
    std::memmove(at + to.byte_offset, source + from.byte_offset, bytes);
  } else if (is_cpu(from)) {
    device_api(to.device).copy_in(to.device.device_id, source + from.byte_offset, to.data, to.byte_offset,
                                  bytes);
  } else if (is_cpu(to)) {
    device_api(from.device)
        .copy_out(from.device.device_id, from.data, from.byte_offset, at + to.byte_offset, bytes);
  } else if (same_device(from, to)) {
    device_api(to.device).copy_within(to.device.device_id, from.data, from.byte_offset, to.data,
                                      to.byte_offset, bytes);
  } else {
    std::vector<char> between(bytes);
    device_api(from.device)
        .copy_out(from.device.device_id, from.data, from.byte_offset, between.data(), bytes);
    device_api(to.device).copy_in(to.device.device_id, between.data(), to.data, to.byte_offset, bytes);
  }
}

ffi::Tensor on_cpu(const ffi::Tensor& tensor) {
  const DLTensor* from = tensor.GetDLTensorPtr();
  if (is_cpu(*from)) return tensor;
  ffi::Tensor made = make_tensor(std::span(from->shape, static_cast<size_t>(from->ndim)), from->dtype);
  copy_tensor(*from, *made.GetDLTensorPtr());
  return made;
}

}  // namespace mlc::ir
