// SPDX-License-Identifier: Apache-2.0
#include "backend/opencl/module.h"

#include <tvm/ffi/reflection/registry.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

#include "backend/device/module.h"
#include "backend/opencl/device.h"
#include "backend/opencl/source.h"
#include "ir/core/refusal.h"

namespace mlc::opencl_backend {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "opencl-build-failed",
         .message = "the compiler of `{}` refuses the kernels of this module: {}",
         .meaning = "Kernels are OpenCL C, compiled by the driver of the device; "
                    "`lib.imports[0].inspect_source()` shows them. "
                    "Some types and functions are extensions that not every device has."},
        {.name = "no-dynamic-memory",
         .message =
             "kernel `{}` asks for {} bytes of shared memory at its launch, which OpenCL does not give",
         .help = "use the scope \"shared\" with a constant size"},
        {.name = "texture-and-memory",
         .message = "argument {} of `{}` is {}, but the tensor is {}",
         .help = "tvm.runtime.empty(shape, dtype, device, mem_scope=\"global.texture\") is in a texture"},
    }};
MLC_REFUSALS(opencl_module, refusals);

namespace {

namespace ffi = ir::ffi;
using device::KernelInfo;

// A module's code on one device.
struct Built {
  Program program = nullptr;
  std::map<std::string, Kernel> kernels;
};

class OpenClModule final : public device::KernelModule {
 public:
  OpenClModule(device::Kernels kernels, std::string text)
      : KernelModule(std::move(kernels)), text_(std::move(text)) {}
  ~OpenClModule() {
    for (auto& [id, built] : built_) {
      for (auto& [name, kernel] : built.kernels) library().ReleaseKernel(kernel);
      library().ReleaseProgram(built.program);
    }
  }
  const char* kind() const final { return "opencl"; }

 private:
  std::vector<std::string> formats() const final { return {"cl"}; }
  std::string code_as(const std::string&) const final { return text_; }
  std::string stored_format() const final { return "cl"; }

  void launch(const KernelInfo& info, ffi::PackedArgs args) final {
    const Library& cl = library();
    Device& device = opencl_api().ready(OpenClApi::current());
    device::Launch launch = device::launch_of(info, args);
    if (launch.is_empty()) return;
    if (launch.dynamic_shared != 0)
      throw ir::refuse(refusals["no-dynamic-memory"], info.name, launch.dynamic_shared);
    std::lock_guard hold(lock_);  // a kernel's arguments are a part of its state
    Kernel kernel = kernel_on(device, info);
    size_t threads = 0;
    uint64_t local = 0;
    cl.GetKernelWorkGroupInfo(kernel, device.id, kKernelWorkGroupSize, sizeof threads, &threads, nullptr);
    cl.GetKernelWorkGroupInfo(kernel, device.id, kKernelLocalMemSize, sizeof local, &local, nullptr);
    device::Limits limits{fmt::format("`{}`", device.name),
                          threads == 0 ? device.max_threads : threads,
                          {device.max_extents[0], device.max_extents[1], device.max_extents[2]},
                          {},
                          device.local_memory};
    device::check_limits(info, launch, local, limits);
    for (size_t i = 0; i < info.params.size(); ++i) {
      device::ParamValue value = device::param_value(info, i, args[static_cast<int>(i)]);
      if (info.params[i].code == kDLOpaqueHandle) {
        Storage* storage = nullptr;
        std::memcpy(&storage, value.bytes.data(), sizeof storage);
        const Memory memory = storage == nullptr ? nullptr : storage->memory;
        if (has_textures_ && storage != nullptr) check_texture(info, kernel, i, *storage);
        set(device, info, kernel, i, sizeof memory, &memory);
      } else {
        set(device, info, kernel, i, value.size, value.bytes.data());
      }
    }
    std::array<size_t, 3> all{};
    for (size_t axis = 0; axis < 3; ++axis) all[axis] = launch.grid[axis] * launch.block[axis];
    check(cl.EnqueueNDRangeKernel(device.queue, kernel, 3, nullptr, all.data(), launch.block.data(), 0,
                                  nullptr, nullptr),
          fmt::format("launching `{}` with {} blocks of {} threads", info.name, fmt::join(launch.grid, " x "),
                      fmt::join(launch.block, " x ")),
          device);
  }

  // A driver need not notice.
  static void check_texture(const KernelInfo& info, Kernel kernel, size_t index, const Storage& storage) {
    uint32_t access = kAccessNone;
    library().GetKernelArgInfo(kernel, static_cast<uint32_t>(index), kKernelArgAccess, sizeof access, &access,
                               nullptr);
    bool wants_image = access != kAccessNone;
    if (wants_image == storage.is_image()) return;
    auto name = [](bool image) { return image ? "a texture" : "in plain memory"; };
    throw ir::refuse(refusals["texture-and-memory"], index, info.name, name(wants_image), name(!wants_image));
  }

  void set(const Device& device, const KernelInfo& info, Kernel kernel, size_t index, size_t bytes,
           const void* value) {
    check(library().SetKernelArg(kernel, static_cast<uint32_t>(index), bytes, value),
          fmt::format("passing argument {} of `{}`", index, info.name), device);
  }

  Kernel kernel_on(Device& device, const KernelInfo& info) {
    Built& built = built_[device.id];
    if (built.program == nullptr) built.program = build(device);
    Kernel& kernel = built.kernels[info.name];
    if (kernel != nullptr) return kernel;
    Status status = kSuccess;
    kernel = library().CreateKernel(built.program, info.name.c_str(), &status);
    check(status, fmt::format("looking for kernel `{}`", info.name), device);
    return kernel;
  }

  Program build(Device& device) {
    const Library& cl = library();
    const char* text = text_.c_str();
    size_t size = text_.size();
    Status status = kSuccess;
    Program program = cl.CreateProgramWithSource(device.context, 1, &text, &size, &status);
    check(status, "taking the text of kernels", device);
    status =
        cl.BuildProgram(program, 1, &device.id, has_textures_ ? "-cl-kernel-arg-info" : "", nullptr, nullptr);
    if (status == kSuccess) return program;
    size_t length = 0;
    cl.GetProgramBuildInfo(program, device.id, kBuildLog, 0, nullptr, &length);
    std::string log(length, '\0');
    if (length > 0) cl.GetProgramBuildInfo(program, device.id, kBuildLog, length, log.data(), nullptr);
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    cl.ReleaseProgram(program);
    throw ir::refuse(refusals["opencl-build-failed"], device.name,
                     status_text(status) + (log.empty() ? "" : "\n" + log));
  }

  const std::string text_;
  const bool has_textures_ = text_.find("image2d_array_t") != std::string::npos;
  std::mutex lock_;
  std::map<DeviceId, Built> built_;
};

}  // namespace

ffi::Module make_kernels(const ir::IRModule& kernels, const ir::Target& target) {
  return ffi::Module(
      ffi::make_object<OpenClModule>(device::kernels_of(kernels), opencl_source(kernels, target)));
}

void register_loader() {
  ffi::reflection::GlobalDef().def("ffi.Module.load_from_bytes.opencl", [](const ffi::Bytes& bytes) {
    device::FromBytes read = device::from_bytes({bytes.data(), bytes.size()});
    return ffi::Module(ffi::make_object<OpenClModule>(read.kernels, read.code));
  });
}

}  // namespace mlc::opencl_backend
