// SPDX-License-Identifier: Apache-2.0
#include "backend/device/text_module.h"

#include <tvm/ffi/reflection/registry.h>

#include "backend/artefact/write_file.h"
#include "ir/core/refusal.h"
#include "ir/tir/calling_convention.h"

namespace mlc::device {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "no-kernel-text",
         .message = "the module has no kernel, so there is nothing to write in {}",
         .help = "bind loops to threads, or call operations of the device"},
        {.name = "no-runtime",
         .message = "kernel `{}` cannot be launched: mlc writes {} and has no runtime that runs it",
         .help = "its text can be had by `inspect_source()` or `mlc build --emit`",
         .meaning =
             "For some devices kernels are written as text only. What they compute can be seen here with "
             "`mlc run --simulate`, or with `opencl` as target where an OpenCL device is."},
    }};
MLC_REFUSALS(device_text_module, refusals);

namespace {

namespace ffi = ir::ffi;

// The texts one after the other: each under a comment that names its kernel, or, where they begin with such a
// comment, in the order of the module.
std::string joined(const TextKind& kind, const Texts& texts, const ir::IRModule& kernels) {
  if (texts.size() == 1) return texts.begin()->second;
  std::string all;
  if (kind.names_kernels && kernels) {
    for (const auto& [global, base] : kernels->functions) {
      auto symbol = ir::attr(base, "global_symbol");
      auto found =
          texts.find(symbol ? std::string(symbol->cast<ir::String>()) : std::string(global->name_hint));
      if (found != texts.end()) all += found->second;
    }
    return all;
  }
  for (const auto& [name, text] : texts)
    all +=
        kind.names_kernels ? text : fmt::format("{}// Kernel: {}\n{}", all.empty() ? "" : "\n", name, text);
  return all;
}

class TextModule final : public KernelModule {
 public:
  TextModule(const TextKind& kind, Kernels kernels, Texts texts, const ir::IRModule& order = {})
      : KernelModule(kernels),
        kind_(kind),
        kernels_(std::move(kernels)),
        texts_(std::move(texts)),
        whole_(joined(kind_, texts_, order)) {}
  const char* kind() const final { return kind_.kind.data(); }
  ffi::Bytes SaveToBytes() const final {
    std::string bytes = to_bytes(kind_.stores_format ? kind_.format : "", kernels_, texts_);
    return ffi::Bytes(bytes);
  }

 private:
  std::vector<std::string> formats() const final { return {std::string(kind_.format)}; }
  std::string code_as(const std::string&) const final { return whole_; }
  std::string stored_format() const final { return std::string(kind_.format); }
  void launch(const KernelInfo& kernel, ffi::PackedArgs) final {
    throw ir::refuse(refusals["no-runtime"], kernel.name, kind_.language);
  }

  const TextKind kind_;
  const Kernels kernels_;
  const Texts texts_;
  const std::string whole_;
};

}  // namespace

Texts texts_by_kernel(const ir::IRModule& kernels, const ir::Target& target,
                      std::string (*source)(const ir::IRModule& kernels, const ir::Target& target)) {
  Texts texts;
  for (const auto& [name, kernel] : kernels_of(kernels)) {
    ir::Map<ir::GlobalVar, ir::BaseFunc> functions;
    for (const auto& [global, base] : kernels->functions) {
      auto symbol = ir::attr(base, "global_symbol");
      std::string own = symbol ? std::string(symbol->cast<ir::String>()) : std::string(global->name_hint);
      auto fn = ir::Any(base).as<ir::PrimFunc>();
      bool is_kernel = fn && ir::calling_convention(*fn) == ir::kKernelLaunch;
      if (!is_kernel || own == name) functions.Set(global, base);
    }
    texts[name] = source(ir::with(kernels, [&](ir::IRModuleNode& n) { n.functions = functions; }), target);
  }
  return texts;
}

ffi::Module make_text_module(const TextKind& kind, const ir::IRModule& lowered, const ir::Target& target) {
  return make_module(lowered, target, [&](const ir::IRModule& kernels, const ir::Target& target) {
    return ffi::Module(
        ffi::make_object<TextModule>(kind, kind.kernels(kernels), kind.texts(kernels, target), kernels));
  });
}

backend::CInterface emit_texts(const TextKind& kind, const backend::Artefact& artefact,
                               const backend::Order& order) {
  if (artefact.name == "so") {
    write_library(make_text_module(kind, order.lowered, order.target), order.path);
  } else {
    ir::IRModule kernels = split(order.lowered, order.target).kernels;
    if (kernels->functions.empty()) throw ir::refuse(refusals["no-kernel-text"], kind.language);
    backend::write_file(order.path, joined(kind, kind.texts(kernels, order.target), kernels));
  }
  return {};
}

void register_text_loader(const TextKind& kind) {
  std::string name = fmt::format("ffi.Module.load_from_bytes.{}", kind.kind);
  ffi::reflection::GlobalDef().def(name.c_str(), [kind](const ffi::Bytes& bytes) {
    auto [kernels, texts] = texts_from_bytes({bytes.data(), bytes.size()}, kind.stores_format);
    return ffi::Module(ffi::make_object<TextModule>(kind, kernels, texts));
  });
}

}  // namespace mlc::device
