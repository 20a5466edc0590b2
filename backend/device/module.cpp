// SPDX-License-Identifier: Apache-2.0
#include "backend/device/module.h"

#include <algorithm>
#include <filesystem>

#include "backend/artefact/module_tree.h"
#include "backend/artefact/write_file.h"
#include "ir/core/inputs.h"
#include "ir/core/refusal.h"
#include "ir/target/tables.h"

namespace mlc::device {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "unknown-emit-kind"},
        {.name = "no-host-function",
         .message = "the module has kernels and no function that launches them",
         .help = "compile functions with a global_symbol"},
        {.name = "host-not-cpu",
         .message = "the host of target `{}` is `{}`, which is no CPU",
         .help = "use `host=\"llvm\"`"},
    }};
MLC_REFUSALS(device_module, refusals);

namespace ffi = ir::ffi;

namespace {
std::string_view view(const ffi::String& text) { return {text.data(), text.size()}; }
}  // namespace

ffi::Optional<ffi::Function> KernelModule::GetFunction(const ffi::String& name) {
  auto found = kernels_.find(std::string(name));
  if (found == kernels_.end()) return std::nullopt;
  // The module lives as long as its functions.
  ffi::Module keep(ffi::details::ObjectUnsafe::ObjectPtrFromUnowned<ffi::ModuleObj>(this));
  return for_host([this, keep, kernel = &found->second](ffi::PackedArgs args) {
    ir::Inputs::global().beyond();
    launch(*kernel, args);
  });
}

ffi::Bytes KernelModule::SaveToBytes() const {
  return ffi::Bytes(to_bytes(stored_format(), kernels_, code_as(stored_format())));
}
ffi::Array<ffi::String> KernelModule::GetWriteFormats() const {
  ffi::Array<ffi::String> known;
  for (const std::string& format : formats()) known.push_back(format);
  return known;
}

ffi::String KernelModule::InspectSource(const ffi::String& format) const {
  std::vector<std::string> known = formats();
  bool is_own = format.empty() || std::string(format) == kind();
  std::string wanted = is_own ? known.front() : std::string(format);
  if (std::ranges::find(known, wanted) == known.end()) {
    throw ir::refuse_as(refusals["unknown-emit-kind"], "the source of kernels cannot be shown as `{}`",
                        wanted)
        .help(fmt::format("it can be had as {}", fmt::join(known, ", ")));
  }
  return code_as(wanted);
}

void KernelModule::WriteToFile(const ffi::String& path, const ffi::String& format) const {
  std::vector<std::string> known = formats();
  std::string file(path), ending = std::filesystem::path(file).extension().string();
  std::string wanted = !format.empty() ? std::string(format) : ending.substr(ending.empty() ? 0 : 1);
  if (std::ranges::find(known, wanted) == known.end()) {
    throw ir::refuse_as(refusals["unknown-emit-kind"], "kernels cannot be written to `{}` as `{}`", file,
                        wanted)
        .kind("InternalError")
        .help(fmt::format("they can be had as {}", fmt::join(known, ", ")));
  }
  ir::Inputs::global().beyond();
  backend::write_file(file, code_as(wanted));
}

ffi::Module make_module(
    const ir::IRModule& lowered, const ir::Target& target,
    const std::function<ffi::Module(const ir::IRModule&, const ir::Target&)>& make_kernels) {
  Split parts = split(lowered, target);
  ir::Target host =
      target->host ? target->host : ir::parse_target(ir::Any(ir::String(backend::default_target_kind())));
  if (ir::target_kind_row(view(host->kind)).device != kDLCPU)
    throw ir::refuse(refusals["host-not-cpu"], view(target->kind), view(host->kind));
  if (parts.host->functions.empty()) throw ir::refuse(refusals["no-host-function"]);
  ffi::Module made = backend::backend_of(host).make_module(parts.host, host);
  if (!parts.kernels->functions.empty()) made->ImportModule(make_kernels(parts.kernels, target));
  return made;
}

void write_library(const ffi::Module& module, const std::string& path) {
  backend::ModuleTree tree = backend::module_tree(module);
  ir::Inputs::global().beyond();
  if (tree.bytes.empty()) return module->WriteToFile(path, "so");
  backend::default_backend().write_library(tree.compiled, ffi::symbol::tvm_ffi_library_bin, tree.bytes, path);
}

}  // namespace mlc::device
