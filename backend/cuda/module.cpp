// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/module.h"

#include <tvm/ffi/reflection/registry.h>

#include <map>
#include <mutex>

#include "backend/cuda/compiler.h"
#include "backend/cuda/device.h"
#include "backend/cuda/source.h"
#include "backend/device/module.h"
#include "ir/core/refusal.h"

namespace mlc::cuda_backend {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "too-many-registers",
         .message = "kernel `{}` cannot be launched with {} threads in a block: with the {} registers that a "
                    "thread of it needs, "
                    "{} can run at most {}",
         .help = "bind loops with smaller extents to its threads, or keep less in registers",
         .meaning = "The registers of a GPU are shared by all threads of a block: the more a thread needs, "
                    "the fewer can be."},
        {.name = "no-such-launch",
         .message = "kernel `{}` asks for {}, which the driver of `{}` does not know",
         .help = "a driver for CUDA 12 or later has it"},
        {.name = "code-only",
         .kind = "ValueError",
         .message = "these kernels were loaded as `{}`: they cannot be had as `{}`"},
    }};
MLC_REFUSALS(cuda_module, refusals);

namespace {

namespace ffi = ir::ffi;
using device::KernelInfo;

// What was made of kernels: their text, or only machine code, where a library was loaded.
struct Content {
  std::string text;
  ir::Target target;  // of the text; null: that of the device where it is launched
  std::string format, code;
};

// A module's code on one device.
struct Loaded {
  ModuleHandle module = nullptr;
  std::map<std::string, FunctionHandle> functions;
};

class CudaModule final : public device::KernelModule {
 public:
  CudaModule(device::Kernels kernels, Content content)
      : KernelModule(std::move(kernels)), content_(std::move(content)) {}
  ~CudaModule() {
    for (auto& [id, loaded] : loaded_) {
      try {
        cuda_api().ready(id);
        driver().ModuleUnload(loaded.module);
      } catch (const ir::Error&) {  // the driver has gone, and the code with it
      }
    }
  }
  const char* kind() const final { return "cuda"; }

 private:
  bool has_text() const { return content_.format.empty(); }
  std::vector<std::string> formats() const final {
    if (has_text()) return {"cu", "ptx", "cubin", "fatbin"};
    return {content_.format};
  }
  std::string stored_format() const final { return has_text() ? "cubin" : content_.format; }
  std::string code_as(const std::string& format) const final {
    if (format == content_.format) return content_.code;
    if (!has_text()) throw ir::refuse(refusals["code-only"], content_.format, format);
    return format == "cu" ? content_.text : compile(content_.text, target_of(CudaApi::current()), format);
  }
  ir::Target target_of(int id) const {
    if (content_.target) return content_.target;
    std::string version(cuda_api().attribute(id, "compute_version").cast<ir::String>());
    std::erase(version, '.');
    return ir::parse_target(ir::Any(ir::String(fmt::format(R"({{"kind":"cuda","arch":"sm_{}"}})", version))));
  }

  void launch(const KernelInfo& info, ffi::PackedArgs args) final {
    int id = CudaApi::current();
    Device& gpu = cuda_api().ready(id);
    device::Launch launch = device::launch_of(info, args);
    if (launch.is_empty()) return;
    FunctionHandle function = function_on(gpu, id, info);
    auto of_function = [&](FunctionAttribute what) {
      int value = 0;
      driver().FuncGetAttribute(&value, what, function);
      return static_cast<size_t>(value);
    };
    device::check_limits(info, launch, of_function(kSharedSize), gpu.limits);
    if (size_t most = of_function(kFunctionMaxThreads); most != 0 && launch.threads() > most)
      throw ir::refuse(refusals["too-many-registers"], info.name, launch.threads(), of_function(kRegisters),
                       gpu.limits.device, most);
    if (launch.dynamic_shared > of_function(kMaxDynamicSharedSize)) {
      check(
          driver().FuncSetAttribute(function, kMaxDynamicSharedSize, static_cast<int>(launch.dynamic_shared)),
          fmt::format("allowing `{}` {} bytes of shared memory", info.name, launch.dynamic_shared), gpu);
    }
    // Every GPU with clusters runs 8 blocks side by side; more has to be asked for.
    if (launch.cluster_size() > device::kPortableCluster) {
      check(driver().FuncSetAttribute(function, kNonPortableClusterSize, 1),
            fmt::format("allowing `{}` clusters of {} blocks", info.name, launch.cluster_size()), gpu);
    }
    std::vector<device::ParamValue> values;
    for (size_t i = 0; i < info.params.size(); ++i)
      values.push_back(device::param_value(info, i, args[static_cast<int>(i)]));
    std::vector<void*> addresses;
    for (device::ParamValue& value : values) addresses.push_back(value.bytes.data());
    check(start(gpu, id, info, launch, function, addresses.data()),
          fmt::format("launching `{}` with {} blocks of {} threads and {} bytes of dynamic shared memory",
                      info.name, fmt::join(launch.grid, " x "), fmt::join(launch.block, " x "),
                      launch.dynamic_shared),
          gpu);
  }

  static Result start(const Device& gpu, int id, const KernelInfo& info, const device::Launch& launch,
                      FunctionHandle function, void** values) {
    auto narrow = [](size_t value) { return static_cast<unsigned int>(value); };
    std::vector<LaunchAttribute> attributes;
    if (launch.cooperative) attributes.push_back({.id = kCooperative, .number = 1});
    if (launch.dependent) attributes.push_back({.id = kProgrammaticSerialization, .number = 1});
    const auto& cluster = launch.cluster;
    if (cluster[0] * cluster[1] * cluster[2] != 1) {
      LaunchAttribute extents{};
      extents.id = kClusterDimension;
      for (size_t axis = 0; axis < 3; ++axis) extents.extents[axis] = narrow(cluster[axis]);
      attributes.push_back(extents);
    }
    const auto& [grid, block] = std::tie(launch.grid, launch.block);
    if (attributes.empty())
      return driver().LaunchKernel(function, narrow(grid[0]), narrow(grid[1]), narrow(grid[2]),
                                   narrow(block[0]), narrow(block[1]), narrow(block[2]),
                                   narrow(launch.dynamic_shared), stream_of(id), values, nullptr);
    if (driver().LaunchKernelEx == nullptr)
      throw ir::refuse(refusals["no-such-launch"], info.name, "a cluster or a cooperative launch", gpu.name);
    LaunchConfig config{{narrow(grid[0]), narrow(grid[1]), narrow(grid[2])},
                        {narrow(block[0]), narrow(block[1]), narrow(block[2])},
                        narrow(launch.dynamic_shared),
                        stream_of(id),
                        attributes.data(),
                        narrow(attributes.size())};
    return driver().LaunchKernelEx(&config, function, values, nullptr);
  }

  FunctionHandle function_on(const Device& gpu, int id, const KernelInfo& info) {
    std::lock_guard hold(lock_);
    Loaded& loaded = loaded_[id];
    if (loaded.module == nullptr) {
      std::string code = code_as(stored_format());
      check(driver().ModuleLoadData(&loaded.module, code.data()),
            fmt::format("loading kernels for {}",
                        std::string(ir::target_attr<ir::String>(target_of(id), "arch", ir::String("")))),
            gpu);
    }
    FunctionHandle& function = loaded.functions[info.name];
    if (function == nullptr)
      check(driver().ModuleGetFunction(&function, loaded.module, info.name.c_str()),
            fmt::format("looking for kernel `{}`", info.name), gpu);
    return function;
  }

  const Content content_;
  std::mutex lock_;
  std::map<int, Loaded> loaded_;
};

}  // namespace

ffi::Module make_kernels(const ir::IRModule& kernels, const ir::Target& target) {
  return ffi::Module(ffi::make_object<CudaModule>(device::kernels_of(kernels),
                                                  Content{cuda_source(kernels, target), target, "", ""}));
}

void register_loader() {
  ffi::reflection::GlobalDef().def("ffi.Module.load_from_bytes.cuda", [](const ffi::Bytes& bytes) {
    device::FromBytes read = device::from_bytes({bytes.data(), bytes.size()});
    Content content;
    // Libraries of TVM where it had no compiler hold the text.
    if (read.format == "cuda" || read.format == "cu")
      content.text = read.code;
    else
      content.format = read.format, content.code = read.code;
    return ffi::Module(ffi::make_object<CudaModule>(read.kernels, content));
  });
}

}  // namespace mlc::cuda_backend
