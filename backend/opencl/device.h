// SPDX-License-Identifier: Apache-2.0
// OpenCL's devices: memory of tensors, and what launches need of them.
#pragma once

#include <array>
#include <mutex>
#include <string>
#include <vector>

#include "backend/opencl/api.h"
#include "ir/target/device_api.h"

namespace mlc::opencl_backend {

// A context and a queue of its own per device, made when the device is first used. Its calls come in the
// order in which they were made, whichever thread makes them.
struct Device {
  DeviceId id = nullptr;
  bool is_cpu = false;
  std::string name;
  size_t max_threads = 0;           // of a block
  std::vector<size_t> max_extents;  // of a block, by dimension
  size_t local_memory = 0;          // bytes of a block
  Context context = nullptr;
  Queue queue = nullptr;
};

// What `data` of a tensor points to.
struct Storage {
  Memory memory;
  size_t bytes;
  std::array<size_t, 3> image{};  // width, height and planes of a texture; of plain memory 0
  std::string scope = "";

  bool is_image() const { return image[2] != 0; }
};

class OpenClApi final : public ir::DeviceApi {
 public:
  int count() final;
  std::string why_not(int id) final;
  ir::Any attribute(int id, std::string_view name) final;
  void* allocate(int id, size_t bytes) final;
  void* allocate_in(int id, std::string_view scope, std::span<const int64_t> shape, ir::DataType dtype) final;
  void release(int id, void* data) final;
  std::string_view scope_of(const void* data) final { return static_cast<const Storage*>(data)->scope; }
  void copy_in(int id, const void* from, void* to, size_t to_offset, size_t bytes) final;
  void copy_out(int id, const void* from, size_t from_offset, void* to, size_t bytes) final;
  void copy_within(int id, const void* from, size_t from_offset, void* to, size_t to_offset,
                   size_t bytes) final;
  void synchronize(int id) final;
  void make_current(int id) final;

  // Ready for use. Error: no-such-device, opencl-failed.
  Device& ready(int id);
  static int current();  // of this thread

 private:
  std::vector<Device>& devices();

  std::mutex lock_;
  bool looked_ = false;
  std::string why_none_;
  std::vector<Device> devices_;
};

OpenClApi& opencl_api();
// Error opencl-failed, unless `status` is that of success: "allocating 64 bytes".
void check(Status status, std::string_view doing, const Device& device);

}  // namespace mlc::opencl_backend
