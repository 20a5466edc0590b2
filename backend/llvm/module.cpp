// SPDX-License-Identifier: Apache-2.0
#include "backend/llvm/module.h"

#include <tvm/ffi/function.h>

#include <mutex>

#include "backend/artefact/write_file.h"
#include "backend/llvm/code.h"
#include "backend/runtime/tensor.h"
#include "ir/core/inputs.h"
#include "ir/core/refusal.h"

namespace mlc::llvm_backend {

static constexpr ir::Refusals refusals{"ValueError",
                                       {
                                           {.name = "unknown-emit-kind"},
                                       }};
MLC_REFUSALS(llvm_module, refusals);

namespace {

namespace ffi = ir::ffi;

class CompiledModule final : public ffi::ModuleObj {
 public:
  CompiledModule(ir::IRModule lowered, ir::Target target)
      : lowered_(std::move(lowered)), target_(std::move(target)), code_(compile(lowered_, target_)) {}

  const char* kind() const final { return "llvm"; }
  int GetPropertyMask() const final { return ffi::Module::kRunnable | ffi::Module::kCompilationExportable; }
  bool ImplementsFunction(const ffi::String& name) final {
    std::string_view wanted(name.data(), name.size());
    for (const std::string& one : code_.functions) {
      if (one == wanted) return true;
    }
    return false;
  }
  ffi::Optional<ffi::Function> GetFunction(const ffi::String& name) final {
    // The only function of a module is its entry too.
    bool only = code_.functions.size() == 1 && std::string_view(name.data(), name.size()) == "main";
    if (!only && !ImplementsFunction(name)) return answer({name.data(), name.size()});
    {
      std::lock_guard hold(lock_);
      if (!loaded_) loaded_ = std::make_unique<Loaded>(code_);
    }
    auto entry = reinterpret_cast<TVMFFISafeCallType>(loaded_->entry(std::string(name)));
    MLC_CHECK(entry != nullptr, "`{}` was compiled but is not in the code", std::string(name));
    ffi::Module keep(ffi::details::ObjectUnsafe::ObjectPtrFromUnowned<ffi::ModuleObj>(
        this));  // the code lives as long as its functions
    return ffi::Function::FromPacked(
        [entry, keep](ffi::PackedArgs args, ffi::Any* result) { runtime::call_entry(entry, args, result); });
  }
  // What can be asked of the module itself.
  ffi::Optional<ffi::Function> answer(std::string_view name) const {
    if (name == "_get_target_string") {
      return ffi::Function::FromTyped([text = ir::target_text(target_)] { return ffi::String(text); });
    }
    if (name == "get_func_names") {
      ffi::Array<ffi::String> names;
      for (const std::string& one : code_.functions) names.push_back(one);
      return ffi::Function::FromTyped([names] { return names; });
    }
    if (name == "__tvm_is_system_module") return ffi::Function::FromTyped([] { return false; });
    return std::nullopt;
  }
  ffi::Array<ffi::String> GetWriteFormats() const final { return {"so", "o", "bc", "ll", "asm"}; }
  ffi::String InspectSource(const ffi::String& format) const final {
    std::string_view wanted(format.data(), format.size());
    if (wanted.empty() || wanted == "ll" || wanted == "llvm")
      return compile_to_text(lowered_, target_, false);
    if (wanted == "asm" || wanted == "s") return compile_to_text(lowered_, target_, true);
    throw ir::refuse_as(refusals["unknown-emit-kind"], "the source of compiled code cannot be shown as `{}`",
                        wanted)
        .kind("InternalError+ValueError")
        .help("there are ll and asm");
  }
  void WriteToFile(const ffi::String& path, const ffi::String& format) const final {
    std::string file(path);
    std::string_view given(format.data(), format.size());
    std::string_view wanted = given;
    if (wanted.empty()) {
      size_t slash = file.rfind('/'), dot = file.rfind('.');
      if (dot != std::string::npos && (slash == std::string::npos || slash < dot))
        wanted = std::string_view(file).substr(dot + 1);
    }
    ir::Inputs::global().beyond();
    auto write = [&file](std::string_view bytes) { backend::write_file(file, bytes); };
    if (wanted == "o" || wanted == "obj")
      return write(std::string_view(code_.object.data(), code_.object.size()));
    if (wanted == "bc") return write(compile_to_bitcode(lowered_, target_));
    if (wanted == "so") return link_shared_library(code_, target_, file);
    if (wanted == "ll" || wanted == "s" || wanted == "asm")
      return write(compile_to_text(lowered_, target_, wanted != "ll"));
    throw ir::refuse_as(refusals["unknown-emit-kind"], "compiled code cannot be written to `{}` as `{}`",
                        file, wanted)
        .kind("InternalError")
        .help("there are o, so, bc, ll and asm");
  }

 private:
  ir::IRModule lowered_;
  ir::Target target_;
  Code code_;
  std::mutex lock_;
  std::unique_ptr<Loaded> loaded_;
};

}  // namespace

ffi::Module make_module(ir::IRModule lowered, ir::Target target) {
  return ffi::Module(ffi::make_object<CompiledModule>(std::move(lowered), std::move(target)));
}

}  // namespace mlc::llvm_backend
