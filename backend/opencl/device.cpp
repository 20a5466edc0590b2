// SPDX-License-Identifier: Apache-2.0
#include "backend/opencl/device.h"

#include <tvm/ffi/container/list.h>

#include <algorithm>

#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/tir/texture.h"

namespace mlc::opencl_backend {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "opencl-failed",
         .message = "OpenCL failed while {} on `{}`: {}",
         .meaning =
             "The driver of the device has refused a request; the message has its own name for the reason."},
        {.name = "no-textures", .message = "`{}` has no images, which tensors in textures are"},
        {.name = "not-a-texel",
         .kind = ir::kRefusedValue,
         .message = "a tensor of shape ({}) and type {} is no texture",
         .help = "it has three dimensions or more, the last of 64 or 128 bits: 4 of float16 or float32"},
        {.name = "part-of-texture",
         .message = "{} bytes of the {} bytes of a texture cannot be copied",
         .help = "copy all of the tensor"},
    }};
MLC_REFUSALS(opencl_device, refusals);

namespace {

thread_local int current_device = 0;

template <class T>
T number(DeviceId id, DeviceInfo what) {
  T value{};
  library().GetDeviceInfo(id, what, sizeof value, &value, nullptr);
  return value;
}
std::string text(DeviceId id, DeviceInfo what) {
  size_t size = 0;
  if (library().GetDeviceInfo(id, what, 0, nullptr, &size) != kSuccess) return "";
  std::string value(size, '\0');
  library().GetDeviceInfo(id, what, size, value.data(), nullptr);
  while (!value.empty() && (value.back() == '\0' || value.back() == ' ')) value.pop_back();
  return value;
}

Device described(DeviceId id) {
  Device made;
  made.id = id;
  made.is_cpu = (number<Flags>(id, kDeviceType) & kDeviceCpu) != 0;
  made.name = text(id, kDeviceName);
  made.max_threads = number<size_t>(id, kMaxWorkGroupSize);
  made.max_extents.resize(3);
  library().GetDeviceInfo(id, kMaxWorkItemSizes, 3 * sizeof(size_t), made.max_extents.data(), nullptr);
  made.local_memory = number<uint64_t>(id, kLocalMemSize);
  return made;
}

// GPUs of all platforms first, CPUs last.
std::vector<Device> find_devices(std::string& why_none) {
  const Library& cl = library();
  why_none = cl.why_not;
  if (!why_none.empty()) return {};
  uint32_t count = 0;
  Status status = cl.GetPlatformIDs(0, nullptr, &count);
  if (status != kSuccess || count == 0) {
    why_none = "OpenCL knows no driver on this machine (the folder /etc/OpenCL/vendors names them)";
    return {};
  }
  std::vector<PlatformId> platforms(count);
  cl.GetPlatformIDs(count, platforms.data(), nullptr);
  std::vector<Device> found;
  for (Flags kind : {kDeviceGpu, kDeviceAccelerator, kDeviceCpu}) {
    for (PlatformId platform : platforms) {
      uint32_t many = 0;
      if (cl.GetDeviceIDs(platform, kind, 0, nullptr, &many) != kSuccess || many == 0) continue;
      std::vector<DeviceId> ids(many);
      cl.GetDeviceIDs(platform, kind, many, ids.data(), nullptr);
      for (DeviceId id : ids) found.push_back(described(id));
    }
  }
  if (found.empty()) why_none = "OpenCL's drivers find no device on this machine";
  return found;
}

const Storage& storage(const void* data) { return *static_cast<const Storage*>(data); }

}  // namespace

void check(Status status, std::string_view doing, const Device& device) {
  if (status != kSuccess)
    throw ir::refuse(refusals["opencl-failed"], doing, device.name, status_text(status));
}

OpenClApi& opencl_api() {
  static auto* api = new OpenClApi;  // never destroyed: the last tensors go when the process ends
  return *api;
}

std::vector<Device>& OpenClApi::devices() {
  std::lock_guard hold(lock_);
  if (!looked_) devices_ = find_devices(why_none_);
  looked_ = true;
  return devices_;
}

int OpenClApi::count() { return static_cast<int>(devices().size()); }
int OpenClApi::current() { return current_device; }
void OpenClApi::make_current(int id) {
  ready(id);
  current_device = id;
}

std::string OpenClApi::why_not(int id) {
  int have = count();
  if (have == 0) return why_none_;
  return fmt::format("there {} {} device{} of OpenCL, counted from 0, and {} is none of them",
                     have == 1 ? "is" : "are", have, have == 1 ? "" : "s", id);
}

Device& OpenClApi::ready(int id) {
  ir::need_driver({kDLOpenCL, id}, *this);
  Device& device = devices()[static_cast<size_t>(id)];
  std::lock_guard hold(lock_);
  if (device.queue != nullptr) return device;
  Status status = kSuccess;
  device.context = library().CreateContext(nullptr, 1, &device.id, nullptr, nullptr, &status);
  check(status, "making a context", device);
  device.queue = library().CreateCommandQueue(device.context, device.id, 0, &status);
  check(status, "making a queue", device);
  return device;
}

ir::Any OpenClApi::attribute(int id, std::string_view name) {
  const Device& device = ready(id);
  auto integer = [](auto value) { return ir::Any(static_cast<int64_t>(value)); };
  if (name == "max_threads_per_block") return integer(device.max_threads);
  if (name == "warp_size") return integer(1);  // OpenCL has no such thing; what schedules take for it
  if (name == "max_shared_memory_per_block") return integer(device.local_memory);
  if (name == "compute_version")
    return ir::String(text(device.id, kDeviceVersion).substr(std::string_view("OpenCL ").size(), 3));
  if (name == "device_name") return ir::String(device.name);
  if (name == "max_clock_rate")
    return integer(int64_t{1000} * number<uint32_t>(device.id, kMaxClockFrequency));
  if (name == "multi_processor_count") return integer(number<uint32_t>(device.id, kMaxComputeUnits));
  if (name == "max_thread_dimensions") {
    ir::ffi::List<ir::Any> extents;
    for (size_t extent : device.max_extents) extents.push_back(static_cast<int64_t>(extent));
    return extents;
  }
  if (name == "driver_version") return ir::String(text(device.id, kDriverVersion));
  if (name == "l2_cache_size_bytes") return integer(number<uint64_t>(device.id, kGlobalMemCacheSize));
  if (name == "total_global_memory") return integer(number<uint64_t>(device.id, kGlobalMemSize));
  if (name == "texture_spatial_limit")
    return integer(
        std::min(number<size_t>(device.id, kImage2dMaxWidth), number<size_t>(device.id, kImage2dMaxHeight)));
  return nullptr;
}

void* OpenClApi::allocate(int id, size_t bytes) {
  Device& device = ready(id);
  Status status = kSuccess;
  size_t size = std::max<size_t>(bytes, 1);
  Memory memory = library().CreateBuffer(device.context, kReadWrite, size, nullptr, &status);
  check(status, fmt::format("allocating {} bytes", bytes), device);
  return new Storage{memory, size};
}
void* OpenClApi::allocate_in(int id, std::string_view scope, std::span<const int64_t> shape,
                             ir::DataType dtype) {
  Device& device = ready(id);
  if (number<uint32_t>(device.id, kImageSupport) == 0) throw ir::refuse(refusals["no-textures"], device.name);
  size_t ndim = shape.size();
  int64_t bits = ndim == 0 ? 0 : shape.back() * dtype.bits() * dtype.lanes();
  if (ndim < 3 || (bits != 64 && bits != 128))
    throw ir::refuse(refusals["not-a-texel"], fmt::format("{}", fmt::join(shape, ", ")), dtype.str());
  ir::TextureAxes axes = ir::texture_axes(ndim, scope);
  auto extent = [&](size_t begin, size_t end) {
    size_t all = 1;
    for (size_t i = begin; i < end; ++i) all *= static_cast<size_t>(shape[i]);
    return all;
  };
  std::array<size_t, 3> image{extent(axes.rows, ndim - 1), extent(axes.planes, axes.rows),
                              extent(0, axes.planes)};
  bool is_float = dtype.is_float() && dtype.bits() * 4 == bits;
  ImageFormat format{kRgba, bits == 128 ? (is_float ? kFloat : kUnsigned32)
                            : is_float  ? kHalfFloat
                                        : kUnsigned16};
  ImageShape described{kImage2dArray, image[0], image[1], 1, image[2], 0, 0, 0, 0, nullptr};
  Status status = kSuccess;
  Memory memory = library().CreateImage(device.context, kReadWrite, &format, &described, nullptr, &status);
  check(status, fmt::format("allocating a texture of {} x {} x {}", image[0], image[1], image[2]), device);
  size_t texels = image[0] * image[1] * image[2];
  return new Storage{memory, texels * static_cast<size_t>(bits) / 8, image, std::string(scope)};
}
void OpenClApi::release(int, void* data) {
  if (data == nullptr) return;
  library().ReleaseMemObject(
      storage(data).memory);  // the driver keeps it until nothing that was launched needs it
  delete static_cast<Storage*>(data);
}

namespace {

constexpr size_t kOrigin[3] = {0, 0, 0};

// Texels lie in an image in the order of the tensor's elements.
void check_all(const Storage& image, size_t offset, size_t bytes) {
  if (offset != 0 || bytes != image.bytes) throw ir::refuse(refusals["part-of-texture"], bytes, image.bytes);
}

}  // namespace

void OpenClApi::copy_in(int id, const void* from, void* to, size_t to_offset, size_t bytes) {
  Device& device = ready(id);
  const Storage& target = storage(to);
  std::string doing = fmt::format("copying {} bytes to it", bytes);
  if (target.is_image()) {
    check_all(target, to_offset, bytes);
    check(library().EnqueueWriteImage(device.queue, target.memory, kTrue, kOrigin, target.image.data(), 0, 0,
                                      from, 0, nullptr, nullptr),
          doing, device);
    return;
  }
  check(library().EnqueueWriteBuffer(device.queue, target.memory, kTrue, to_offset, bytes, from, 0, nullptr,
                                     nullptr),
        doing, device);
}
void OpenClApi::copy_out(int id, const void* from, size_t from_offset, void* to, size_t bytes) {
  Device& device = ready(id);
  const Storage& source = storage(from);
  std::string doing = fmt::format("copying {} bytes from it", bytes);
  if (source.is_image()) {
    check_all(source, from_offset, bytes);
    check(library().EnqueueReadImage(device.queue, source.memory, kTrue, kOrigin, source.image.data(), 0, 0,
                                     to, 0, nullptr, nullptr),
          doing, device);
    return;
  }
  check(library().EnqueueReadBuffer(device.queue, source.memory, kTrue, from_offset, bytes, to, 0, nullptr,
                                    nullptr),
        doing, device);
}
void OpenClApi::copy_within(int id, const void* from, size_t from_offset, void* to, size_t to_offset,
                            size_t bytes) {
  Device& device = ready(id);
  const Storage &source = storage(from), &target = storage(to);
  if (source.is_image()) check_all(source, from_offset, bytes);
  if (target.is_image()) check_all(target, to_offset, bytes);
  if (source.is_image() && target.is_image()) {
    // Their planes may have other extents.
    std::vector<char> between(bytes);
    copy_out(id, from, 0, between.data(), bytes);
    return copy_in(id, between.data(), to, 0, bytes);
  }
  Status status =
      source.is_image()
          ? library().EnqueueCopyImageToBuffer(device.queue, source.memory, target.memory, kOrigin,
                                               source.image.data(), to_offset, 0, nullptr, nullptr)
      : target.is_image()
          ? library().EnqueueCopyBufferToImage(device.queue, source.memory, target.memory, from_offset,
                                               kOrigin, target.image.data(), 0, nullptr, nullptr)
          : library().EnqueueCopyBuffer(device.queue, source.memory, target.memory, from_offset, to_offset,
                                        bytes, 0, nullptr, nullptr);
  check(status, fmt::format("copying {} bytes", bytes), device);
}
void OpenClApi::synchronize(int id) {
  Device& device = ready(id);
  check(library().Finish(device.queue), "waiting", device);
}

}  // namespace mlc::opencl_backend
