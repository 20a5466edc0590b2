// SPDX-License-Identifier: Apache-2.0
// CUDA's devices: memory of tensors, and what launches need of them.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "backend/cuda/driver.h"
#include "backend/device/kernels.h"
#include "ir/target/device_api.h"

namespace mlc::cuda_backend {

struct Device {
  DeviceNumber number = 0;
  std::string name;
  device::Limits limits;      // `shared`: what a kernel may ask for at its launch
  int registers = 0;          // of a block
  Context context = nullptr;  // the primary one, which CUDA's runtime and other libraries use as well
};

// Everything happens in tvm-ffi's stream of the device, which is the default one unless somebody has set
// another.
class CudaApi final : public ir::DeviceApi {
 public:
  int count() final;
  std::string why_not(int id) final;
  ir::Any attribute(int id, std::string_view name) final;
  void* allocate(int id, size_t bytes) final;
  void release(int id, void* data) final;
  void copy_in(int id, const void* from, void* to, size_t to_offset, size_t bytes) final;
  void copy_out(int id, const void* from, size_t from_offset, void* to, size_t bytes) final;
  void copy_within(int id, const void* from, size_t from_offset, void* to, size_t to_offset,
                   size_t bytes) final;
  void synchronize(int id) final;
  void* make_stream(int id) final;
  void free_stream(int id, void* stream) final;
  void make_current(int id) final;

  // Ready for use, its context the thread's current one. Error: no-such-device, cuda-failed.
  Device& ready(int id);
  static int current();  // of this thread

 private:
  std::vector<Device>& devices();

  std::mutex lock_;
  bool looked_ = false;
  std::string why_none_;
  std::vector<Device> devices_;
};

CudaApi& cuda_api();
Stream stream_of(int id);
// Error cuda-failed, unless `result` is that of success: "allocating 64 bytes".
void check(Result result, std::string_view doing, const Device& device);

}  // namespace mlc::cuda_backend
