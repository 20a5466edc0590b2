// SPDX-License-Identifier: Apache-2.0
// What a device does for tensors: memory, copies, waiting, and what is known of it.
//
// Backends whose code does not run on the CPU add one row per type of device when the program starts. Below
// them, whoever has a tensor asks here: scripts, the virtual machine, the launch of kernels.
#pragma once

#include <dlpack/dlpack.h>

#include <string>
#include <string_view>

#include "ir/core/ndarray.h"

namespace mlc::ir {

class DeviceApi {
 public:
  virtual ~DeviceApi() = default;
  // How many devices can be used; a driver that is not there has none.
  virtual int count() = 0;
  // Why there is none, or not the one with that number: "libcuda.so.1 cannot be loaded: ..."
  virtual std::string why_not(int id) = 0;
  // What is known under a name that scripts use ("max_threads_per_block"); null where the device says nothing
  // of it.
  virtual Any attribute(int id, std::string_view name) = 0;

  // `data` of tensors. What it points to is the device's own affair: the CPU must not follow it.
  virtual void* allocate(int id, size_t bytes) = 0;
  // The same for a tensor in memory of a scope of its own ("global.texture-nhwc"). Error: no-such-memory.
  virtual void* allocate_in(int id, std::string_view scope, std::span<const int64_t> shape, DataType dtype);
  virtual void release(int id, void* data) = 0;
  // The scope that memory was allocated in; "" is plain memory.
  virtual std::string_view scope_of(const void*) { return ""; }
  // They return when the memory of the CPU can be used again. Offsets and sizes are in bytes.
  virtual void copy_in(int id, const void* from, void* to, size_t to_offset, size_t bytes) = 0;
  virtual void copy_out(int id, const void* from, size_t from_offset, void* to, size_t bytes) = 0;
  virtual void copy_within(int id, const void* from, size_t from_offset, void* to, size_t to_offset,
                           size_t bytes) = 0;
  virtual void synchronize(int id) = 0;
  // Queues: 0 is the one that is there from the start. A device with that one alone makes no other.
  virtual void* make_stream(int) { return nullptr; }
  virtual void free_stream(int, void*) {}
  // What this thread's launches run on from now on; copies and waiting heed tvm-ffi's stream of the device.
  virtual void make_current(int id) = 0;
};

// Null: nothing is known of this type of device.
DeviceApi* find_device_api(int type);
void add_device_api(int type, DeviceApi* api);  // lives as long as the program
// Is it there? The CPU is.
bool device_exists(DLDevice device);
// Error no-such-device, with the reason.
DeviceApi& device_api(DLDevice device);
// That it is one of this driver's, which machine code needs. Error: no-such-device, device-simulated.
void need_driver(DLDevice device, const DeviceApi& own);

// A tensor whose values are not set, on any device, in its plain memory ("" or "global") or in that of
// another scope. Error: no-such-device, no-such-memory.
ffi::Tensor make_tensor_on(DLDevice device, std::span<const int64_t> shape, DataType dtype,
                           std::string_view scope = "");
// Both have as many bytes and no gaps; either may be on any device.
void copy_tensor(const DLTensor& from, const DLTensor& to);
// The tensor itself where it is on the CPU, else a copy of it.
ffi::Tensor on_cpu(const ffi::Tensor& tensor);

}  // namespace mlc::ir
