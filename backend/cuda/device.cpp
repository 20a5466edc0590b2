// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/device.h"

#include <tvm/ffi/container/list.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <algorithm>

#include "ir/core/refusal.h"

namespace mlc::cuda_backend {

static constexpr ir::Refusals refusals{"RuntimeError",
                                       {
                                           {.name = "cuda-failed",
                                            .message = "CUDA failed while {} on `{}`: {}",
                                            .meaning = "The driver has refused a request; the message has "
                                                       "its own name for the reason. An error of a kernel is "
                                                       "told by the next request that waits for it."},
                                       }};
MLC_REFUSALS(cuda_device, refusals);

namespace {

thread_local int current_device = 0;

int number(DeviceNumber device, int what) {
  int value = 0;
  driver().DeviceGetAttribute(&value, what, device);
  return value;
}

Device described(DeviceNumber id) {
  Device made;
  made.number = id;
  char name[256] = "";
  driver().DeviceGetName(name, sizeof name, id);
  made.name = name;
  made.registers = number(id, kMaxRegistersPerBlock);
  auto size = [&](int what) { return static_cast<size_t>(number(id, what)); };
  made.limits = {fmt::format("`{}`", made.name),
                 size(kMaxThreadsPerBlock),
                 {},
                 {},
                 std::max(size(kMaxSharedMemory), size(kMaxSharedMemoryOptin))};
  for (int axis = 0; axis < 3; ++axis) {
    made.limits.block[static_cast<size_t>(axis)] = size(kMaxBlockDimX + axis);
    made.limits.grid[static_cast<size_t>(axis)] = size(kMaxGridDimX + axis);
  }
  return made;
}

std::vector<Device> find_devices(std::string& why_none) {
  why_none = driver().why_not;
  if (!why_none.empty()) return {};
  int count = 0;
  if (Result result = driver().DeviceGetCount(&count); result != kSuccess) {
    why_none = fmt::format("CUDA's driver does not say what devices there are: {}", result_text(result));
    return {};
  }
  if (count == 0) why_none = "CUDA's driver finds no GPU on this machine";
  std::vector<Device> found;
  for (int i = 0; i < count; ++i) {
    DeviceNumber id = 0;
    if (driver().DeviceGet(&id, i) == kSuccess) found.push_back(described(id));
  }
  return found;
}

Address address(const void* data, size_t offset = 0) { return reinterpret_cast<uintptr_t>(data) + offset; }

}  // namespace

void check(Result result, std::string_view doing, const Device& device) {
  if (result != kSuccess) throw ir::refuse(refusals["cuda-failed"], doing, device.name, result_text(result));
}

CudaApi& cuda_api() {
  static auto* api = new CudaApi;  // never destroyed: the last tensors go when the process ends
  return *api;
}

Stream stream_of(int id) { return static_cast<Stream>(TVMFFIEnvGetStream(kDLCUDA, id)); }

std::vector<Device>& CudaApi::devices() {
  std::lock_guard hold(lock_);
  if (!looked_) devices_ = find_devices(why_none_);
  looked_ = true;
  return devices_;
}

int CudaApi::count() { return static_cast<int>(devices().size()); }
int CudaApi::current() { return current_device; }
void CudaApi::make_current(int id) {
  ready(id);
  current_device = id;
}

std::string CudaApi::why_not(int id) {
  int have = count();
  if (have == 0) return why_none_;
  return fmt::format("there {} {} GPU{}, counted from 0, and {} is none of them", have == 1 ? "is" : "are",
                     have, have == 1 ? "" : "s", id);
}

Device& CudaApi::ready(int id) {
  ir::need_driver({kDLCUDA, id}, *this);
  Device& device = devices()[static_cast<size_t>(id)];
  std::lock_guard hold(lock_);
  if (device.context == nullptr)
    check(driver().DevicePrimaryCtxRetain(&device.context, device.number), "making a context", device);
  check(driver().CtxSetCurrent(device.context), "choosing its context", device);
  return device;
}

ir::Any CudaApi::attribute(int id, std::string_view name) {
  const Device& device = ready(id);
  auto integer = [](auto value) { return ir::Any(static_cast<int64_t>(value)); };
  auto of = [&](int what) { return integer(number(device.number, what)); };
  if (name == "max_threads_per_block") return of(kMaxThreadsPerBlock);
  if (name == "warp_size") return of(kWarpSize);
  if (name == "max_shared_memory_per_block") return of(kMaxSharedMemory);
  if (name == "compute_version")
    return ir::String(fmt::format("{}.{}", number(device.number, kMajor), number(device.number, kMinor)));
  if (name == "device_name") return ir::String(device.name);
  if (name == "max_clock_rate") return of(kClockRate);
  if (name == "multi_processor_count") return of(kMultiprocessorCount);
  if (name == "max_thread_dimensions") {
    ir::ffi::List<ir::Any> extents;
    for (size_t extent : device.limits.block) extents.push_back(static_cast<int64_t>(extent));
    return extents;
  }
  if (name == "api_version" || name == "driver_version") {
    int version = 0;
    check(driver().DriverGetVersion(&version), "asking for its version", device);
    return name == "api_version"
               ? integer(version)
               : ir::Any(ir::String(fmt::format("{}.{}", version / 1000, version % 1000 / 10)));
  }
  if (name == "l2_cache_size_bytes") return of(kL2CacheSize);
  size_t free = 0, total = 0;
  if (name == "total_global_memory") {
    check(driver().DeviceTotalMem(&total, device.number), "asking for its memory", device);
    return integer(total);
  }
  if (name == "available_global_memory") {
    check(driver().MemGetInfo(&free, &total), "asking for its memory", device);
    return integer(free);
  }
  return nullptr;
}

void* CudaApi::allocate(int id, size_t bytes) {
  Device& device = ready(id);
  Address memory = 0;
  check(driver().MemAlloc(&memory, std::max<size_t>(bytes, 1)), fmt::format("allocating {} bytes", bytes),
        device);
  return reinterpret_cast<void*>(static_cast<uintptr_t>(memory));
}
void CudaApi::release(int id, void* data) {
  if (data == nullptr) return;
  // What has failed before is told by whoever waits for it; a tensor goes all the same.
  const Device& device = devices()[static_cast<size_t>(id)];
  driver().CtxSetCurrent(device.context);
  driver().MemFree(address(data));
}

void CudaApi::copy_in(int id, const void* from, void* to, size_t to_offset, size_t bytes) {
  Device& device = ready(id);
  std::string doing = fmt::format("copying {} bytes to it", bytes);
  check(driver().MemcpyHtoDAsync(address(to, to_offset), from, bytes, stream_of(id)), doing, device);
  check(driver().StreamSynchronize(stream_of(id)), doing, device);
}
void CudaApi::copy_out(int id, const void* from, size_t from_offset, void* to, size_t bytes) {
  Device& device = ready(id);
  std::string doing = fmt::format("copying {} bytes from it", bytes);
  check(driver().MemcpyDtoHAsync(to, address(from, from_offset), bytes, stream_of(id)), doing, device);
  check(driver().StreamSynchronize(stream_of(id)), doing, device);
}
void CudaApi::copy_within(int id, const void* from, size_t from_offset, void* to, size_t to_offset,
                          size_t bytes) {
  Device& device = ready(id);
  check(driver().MemcpyDtoDAsync(address(to, to_offset), address(from, from_offset), bytes, stream_of(id)),
        fmt::format("copying {} bytes", bytes), device);
}
void CudaApi::synchronize(int id) {
  Device& device = ready(id);
  check(driver().StreamSynchronize(stream_of(id)), "waiting", device);
}

void* CudaApi::make_stream(int id) {
  Device& device = ready(id);
  Stream stream = nullptr;
  constexpr unsigned int kNonBlocking = 1;  // it does not wait for the default stream
  check(driver().StreamCreate(&stream, kNonBlocking), "making a stream", device);
  return stream;
}
void CudaApi::free_stream(int id, void* stream) {
  Device& device = ready(id);
  check(driver().StreamDestroy(static_cast<Stream>(stream)), "giving a stream back", device);
}

}  // namespace mlc::cuda_backend
