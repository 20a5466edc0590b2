// SPDX-License-Identifier: Apache-2.0
#include "backend/device/kernels.h"

#include <algorithm>
#include <cstring>
#include <exception>

#include "backend/artefact/byte_stream.h"
#include "ir/core/refusal.h"
#include "ir/registry/context.h"
#include "ir/target/tables.h"
#include "ir/tir/calling_convention.h"
#include "ir/tir/stmt.h"
#include "ir/tir/tensor_map.h"

namespace mlc::device {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "clusters-not-in-grid",
         .message = "kernel `{}` cannot be launched: a grid of {} blocks is no multiple of clusters of {}",
         .help = "launch a whole number of clusters along each axis"},
        {.name = "mixed-targets",
         .kind = "ValueError",
         .message = "kernel `{}` is for the target `{}`, and the module is compiled for `{}`",
         .help = "compile kernels for different devices as modules of their own"},
        {.name = "not-a-module",
         .kind = "ValueError",
         .message = "the bytes are no module of kernels: {} at byte {}"},
        {.name = "wrong-launch", .kind = "TypeError", .message = "launch of kernel `{}`: {}"},
        {.name = "launch-too-large",
         .message = "kernel `{}` cannot be launched: it asks for {}, and {} has {}",
         .help = "bind loops with smaller extents to its threads, or cache less in shared memory",
         .meaning = "A device runs blocks of threads up to a size of its own, and gives each block so much "
                    "shared memory. "
                    "A schedule that wants more has to be made for the limits of the device, which "
                    "`tvm.opencl(0)` and "
                    "`tvm.cuda(0)` know."},
    }};
MLC_REFUSALS(device_kernels, refusals);

namespace {

using ir::Error;

std::string text(const ir::String& value) { return {value.data(), value.size()}; }

bool is_kernel(const ir::PrimFunc& fn) { return ir::calling_convention(fn) == ir::kKernelLaunch; }
std::optional<ir::Target> target_of(const ir::PrimFunc& fn) {
  auto value = ir::attr(fn, "target");
  auto target = value ? value->as<ir::Target>() : std::nullopt;
  return target && *target ? target : std::nullopt;
}
// A target without a host is that of what runs on the device itself.
bool is_on_device(const ir::PrimFunc& fn) {
  if (is_kernel(fn)) return true;
  auto target = target_of(fn);
  return target && !(*target)->host && ir::target_kind_row(text((*target)->kind)).device != kDLCPU;
}

// The driver's descriptor of a tensor, which kernels take by value: 16 words.
constexpr DLDataType kTensorMap{kDLOpaqueHandle, 64, ir::kTensorMapBytes / 8};

DLDataType param_type(const ir::Var& param) {
  bool is_pointer = param->ty->kind == ir::TypeKind::kPointer;
  const ir::TypeNode* type = param->ty.get();
  if (is_pointer) type = static_cast<const ir::PointerTypeNode*>(type)->element_type.get();
  if (type->kind == ir::TypeKind::kTensorMap) return kTensorMap;
  if (param->buffer() != nullptr || is_pointer) return {kDLOpaqueHandle, 64, 1};
  return param->dtype();
}

template <class... Args>
[[noreturn]] void wrong_launch(const KernelInfo& kernel, fmt::format_string<Args...> message,
                               Args&&... args) {
  throw ir::refuse(refusals["wrong-launch"], kernel.name, fmt::format(message, std::forward<Args>(args)...));
}

}  // namespace

Split split(const ir::IRModule& lowered, const ir::Target& target) {
  ir::Map<ir::GlobalVar, ir::BaseFunc> host, kernels;
  for (const auto& [name, base] : lowered->functions) {
    auto fn = ir::Any(base).as<ir::PrimFunc>();
    if (!fn || !is_on_device(*fn)) {
      host.Set(name, base);
      continue;
    }
    auto own = target_of(*fn);
    if (own && (*own)->kind != target->kind)
      throw ir::refuse(refusals["mixed-targets"], text(name->name_hint), text((*own)->kind),
                       text(target->kind))
          .at((*fn)->span);
    kernels.Set(name, base);
  }
  auto module_with = [&](const ir::Map<ir::GlobalVar, ir::BaseFunc>& functions) {
    return ir::with(lowered, [&](ir::IRModuleNode& n) { n.functions = functions; });
  };
  return {module_with(host), module_with(kernels)};
}

Kernels kernels_of(const ir::IRModule& module) {
  Kernels all;
  for (const auto& [global, base] : module->functions) {
    auto fn = ir::Any(base).as<ir::PrimFunc>();
    if (!fn || !is_kernel(*fn)) continue;
    auto symbol = ir::attr(*fn, "global_symbol");
    KernelInfo info{symbol ? text(symbol->cast<ir::String>()) : text(global->name_hint), {}, {}};
    for (const ir::Var& param : (*fn)->params) info.params.push_back(param_type(param));
    if (auto tags = ir::attr(*fn, "tirx.kernel_launch_params")) {
      for (const ir::Any& tag : tags->cast<ir::Array<ir::Any>>())
        info.launch.push_back(text(tag.cast<ir::String>()));
    }
    all.emplace(info.name, info);
  }
  return all;
}

namespace {

void write(backend::ByteWriter& out, const Kernels& kernels) {
  out.number<uint64_t>(kernels.size());
  for (const auto& [name, kernel] : kernels) {
    out.text(name);
    out.text(kernel.name);
    out.number<uint64_t>(kernel.params.size());
    for (DLDataType type : kernel.params) out.number(type);
    out.number<uint64_t>(kernel.launch.size());
    for (const std::string& tag : kernel.launch) out.text(tag);
    // Of each parameter whether it is a tensor map, which none is.
    out.number<uint64_t>(kernel.params.size());
    for (size_t i = 0; i < kernel.params.size(); ++i) out.number<int32_t>(0);
  }
}

backend::ByteReader reader_of(std::string_view bytes) {
  return backend::ByteReader(
      bytes, [](std::string_view what, size_t at) { return ir::refuse(refusals["not-a-module"], what, at); });
}

Kernels read_kernels(backend::ByteReader& in) {
  Kernels all;
  for (size_t left = in.count(32, "the kernels"); left > 0; --left) {
    std::string name = in.text("the name of a kernel");
    KernelInfo kernel{in.text("the name of a kernel"), {}, {}};
    for (size_t params = in.count(sizeof(DLDataType), "the parameters of a kernel"); params > 0; --params)
      kernel.params.push_back(in.number<DLDataType>("a parameter"));
    for (size_t tags = in.count(8, "the extents of a launch"); tags > 0; --tags)
      kernel.launch.push_back(in.text("an extent of a launch"));
    constexpr std::string_view kMaps = "which parameters are tensor maps";
    in.raw(sizeof(int32_t) * in.count(sizeof(int32_t), kMaps), kMaps);
    all.emplace(name, kernel);
  }
  return all;
}

}  // namespace

std::string to_bytes(std::string_view format, const Kernels& kernels, std::string_view code) {
  backend::ByteWriter out;
  out.text(format);
  write(out, kernels);
  out.text(code);
  return out.take();
}

FromBytes from_bytes(std::string_view bytes) {
  backend::ByteReader in = reader_of(bytes);
  FromBytes made;
  made.format = in.text("the format");
  made.kernels = read_kernels(in);
  made.code = in.text("the code");
  if (in.left() != 0) in.damaged("more bytes than code");
  return made;
}

std::string to_bytes(std::string_view format, const Kernels& kernels, const Texts& texts) {
  backend::ByteWriter out;
  if (!format.empty()) out.text(format);
  write(out, kernels);
  out.number<uint64_t>(texts.size());
  for (const auto& [name, text] : texts) {
    out.text(name);
    out.text(text);
  }
  return out.take();
}

std::pair<Kernels, Texts> texts_from_bytes(std::string_view bytes, bool has_format) {
  backend::ByteReader in = reader_of(bytes);
  if (has_format) in.text("the format");
  Kernels kernels = read_kernels(in);
  Texts texts;
  for (size_t left = in.count(16, "the texts"); left > 0; --left) {
    std::string name = in.text("the name of a kernel");
    texts[name] = in.text("a text");
  }
  if (in.left() != 0) in.damaged("more bytes than texts");
  return {kernels, texts};
}

Launch launch_of(const KernelInfo& kernel, ir::ffi::PackedArgs args) {
  Launch launch;
  size_t at = kernel.params.size();
  auto next = [&] {
    if (at >= static_cast<size_t>(args.size()))
      wrong_launch(kernel, "it takes {} values, {} of them extents, and gets {}",
                   kernel.params.size() + kernel.launch.size(), kernel.launch.size(), args.size());
    auto value = args[static_cast<int>(at++)].try_cast<int64_t>();
    if (!value || *value < 0) wrong_launch(kernel, "extent {} is no number of threads or bytes", at - 1);
    return static_cast<size_t>(*value);
  };
  for (const std::string& tag : kernel.launch) {
    if (tag == "tirx.use_cooperative_launch") {
      launch.cooperative = true;
      continue;
    }
    if (tag == "tirx.use_programtic_dependent_launch") {  // TVM's spelling
      launch.dependent = true;
      continue;
    }
    if (tag == "tirx.use_dyn_shared_memory") {
      launch.dynamic_shared = next();
      continue;
    }
    size_t axis = tag.empty() ? 3 : static_cast<size_t>(tag.back() - 'x');
    std::array<size_t, 3>* extents = tag.starts_with("blockIdx.")        ? &launch.grid
                                     : tag.starts_with("threadIdx.")     ? &launch.block
                                     : tag.starts_with("clusterCtaIdx.") ? &launch.cluster
                                                                         : nullptr;
    if (extents == nullptr || axis > 2) wrong_launch(kernel, "nobody knows the thread `{}`", tag);
    (*extents)[axis] = next();
  }
  return launch;
}

ParamValue param_value(const KernelInfo& kernel, size_t index, ir::ffi::AnyView given) {
  ir::DataType type(kernel.params[index]);
  ParamValue made;
  auto set = [&](const auto& value) {
    std::memcpy(made.bytes.data(), &value, sizeof value);
    made.size = sizeof value;
  };
  auto integer = given.try_cast<int64_t>();
  auto real = given.try_cast<double>();
  if (type == ir::DataType(kTensorMap)) {
    auto pointer = given.try_cast<void*>();
    if (!pointer || *pointer == nullptr) wrong_launch(kernel, "argument {} is no tensor map", index);
    std::memcpy(made.bytes.data(), *pointer, made.size = ir::kTensorMapBytes);
  } else if (type.is_handle()) {
    auto pointer = given.try_cast<void*>();
    if (!pointer && given.type_index() != kTVMFFINone)
      wrong_launch(kernel, "argument {} is no memory of a device", index);
    set(pointer ? *pointer : nullptr);
  } else if (type.is_float() && type.bits() == 64 && real) {
    set(*real);
  } else if (type.is_float() && type.bits() == 32 && real) {
    set(static_cast<float>(*real));
  } else if (type.is_float() && type.bits() == 16 && real) {
    set(static_cast<_Float16>(*real));
  } else if (type.is_bool() && integer) {
    set(static_cast<uint8_t>(*integer != 0));
  } else if (type.is_integral() && type.is_scalar() && integer) {
    set(*integer);  // the low bytes come first
    made.size = static_cast<size_t>(type.bytes());
  } else {
    wrong_launch(kernel, "argument {} of type {} cannot be passed", index, type.str());
  }
  return made;
}

void check_limits(const KernelInfo& kernel, const Launch& launch, size_t shared, const Limits& limits) {
  auto refuse = [&](const std::string& wants, const std::string& has) {
    throw ir::refuse(refusals["launch-too-large"], kernel.name, wants, limits.device, has);
  };
  if (limits.threads != 0 && launch.threads() > limits.threads) {
    refuse(fmt::format("{} threads in a block ({})", launch.threads(), fmt::join(launch.block, " x ")),
           fmt::format("at most {}", limits.threads));
  }
  for (size_t axis = 0; axis < 3; ++axis) {
    auto name = static_cast<char>('x' + axis);
    if (limits.block[axis] != 0 && launch.block[axis] > limits.block[axis])
      refuse(fmt::format("{} threads along threadIdx.{}", launch.block[axis], name),
             fmt::format("at most {}", limits.block[axis]));
    if (limits.grid[axis] != 0 && launch.grid[axis] > limits.grid[axis])
      refuse(fmt::format("{} blocks along blockIdx.{}", launch.grid[axis], name),
             fmt::format("at most {}", limits.grid[axis]));
  }
  if (launch.cluster_size() > kLargestCluster)
    refuse(fmt::format("clusters of {} blocks ({})", launch.cluster_size(), fmt::join(launch.cluster, " x ")),
           fmt::format("at most {}", kLargestCluster));
  for (size_t axis = 0; axis < 3; ++axis)
    if (launch.cluster[axis] == 0 || launch.grid[axis] % launch.cluster[axis] != 0)
      throw ir::refuse(refusals["clusters-not-in-grid"], kernel.name,
                       fmt::format("{}", fmt::join(launch.grid, " x ")),
                       fmt::format("{}", fmt::join(launch.cluster, " x ")));
  if (size_t bytes = shared + launch.dynamic_shared; limits.shared != 0 && bytes > limits.shared)
    refuse(fmt::format("{} bytes of shared memory in a block", bytes),
           fmt::format("at most {}", limits.shared));
}

ir::ffi::Function for_host(std::function<void(ir::ffi::PackedArgs)> body) {
  return ir::ffi::Function::FromPacked([body = std::move(body)](ir::ffi::PackedArgs args, ir::ffi::Any*) {
    try {
      body(args);
    } catch (const Error& error) {
      ir::Context::current().error_below = std::current_exception();
      const ir::Diagnostic& first = error.first();
      throw ir::ffi::Error(first.kind.substr(0, first.kind.find('+')), first.message, "");
    }
  });
}

}  // namespace mlc::device
