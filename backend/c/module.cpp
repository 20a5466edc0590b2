// SPDX-License-Identifier: Apache-2.0
// Compiled C as a tvm-ffi module.
#include <dlfcn.h>
#include <tvm/ffi/function.h>
#include <unistd.h>

#include <filesystem>
#include <mutex>

#include "backend/artefact/write_file.h"
#include "backend/c/compile.h"
#include "backend/c/emitter.h"
#include "backend/runtime/tensor.h"
#include "ir/core/error.h"
#include "ir/core/refusal.h"

namespace mlc::c_backend {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "load-failed", .message = "compiled C cannot be loaded: {}"},
        {.name = "unknown-emit-kind",
         .kind = "ValueError",
         .meaning = "`mlc build --emit` knows some kinds of output; the message lists them."},
    }};
MLC_REFUSALS(c_module, refusals);

namespace ffi = ir::ffi;
namespace fs = std::filesystem;
using ir::Error;

namespace {

// A library that is loaded and has no name any more.
class Loaded {
 public:
  Loaded(const std::string& text, const ir::Target& target, bool parallel) {
    std::string path = (fs::temp_directory_path() / "mlc-c-XXXXXX.so").string();
    int file = mkstemps(path.data(), 3);
    if (file < 0) throw Error("cannot-write", "`{}` cannot be written", path).kind("OSError");
    close(file);
    try {
      compile(text, target, Output::kSharedLibrary, parallel, path);
      handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    } catch (...) {
      unlink(path.c_str());
      throw;
    }
    std::string why = handle_ == nullptr ? dlerror() : "";
    unlink(path.c_str());
    if (handle_ == nullptr) throw ir::refuse(refusals["load-failed"], why);
  }
  ~Loaded() { dlclose(handle_); }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  void* entry(const std::string& function) const { return dlsym(handle_, ("__tvm_ffi_" + function).c_str()); }

 private:
  void* handle_ = nullptr;
};

class CModule final : public ffi::ModuleObj {
 public:
  CModule(const ir::IRModule& lowered, ir::Target target) : target_(std::move(target)) {
    ModuleEmitter emitter(Convention::kPacked, nullptr);
    text_ = emitter.emit(lowered, "", "");
    functions_ = emitter.symbols();
    parallel_ = emitter.parallel();
    loaded_ = std::make_unique<Loaded>(text_, target_, parallel_);
  }

  const char* kind() const final { return "c"; }
  int GetPropertyMask() const final { return ffi::Module::kRunnable | ffi::Module::kCompilationExportable; }
  bool ImplementsFunction(const ffi::String& name) final {
    return std::ranges::find(functions_, std::string_view(name.data(), name.size())) != functions_.end();
  }
  ffi::Optional<ffi::Function> GetFunction(const ffi::String& name) final {
    std::string_view wanted(name.data(), name.size());
    bool only = functions_.size() == 1 && wanted == "main";  // the only function of a module is its entry too
    if (!only && !ImplementsFunction(name)) return answer(wanted);
    auto entry = reinterpret_cast<TVMFFISafeCallType>(loaded_->entry(std::string(name)));
    MLC_CHECK(entry != nullptr, "`{}` was compiled but is not in the code", wanted);
    ffi::Module keep(ffi::details::ObjectUnsafe::ObjectPtrFromUnowned<ffi::ModuleObj>(this));
    return ffi::Function::FromPacked(
        [entry, keep](ffi::PackedArgs args, ffi::Any* result) { runtime::call_entry(entry, args, result); });
  }
  ffi::Array<ffi::String> GetWriteFormats() const final { return {"c", "o", "so"}; }
  ffi::String InspectSource(const ffi::String& format) const final {
    std::string_view wanted(format.data(), format.size());
    if (wanted.empty() || wanted == "c") return text_;
    throw ir::refuse_as(refusals["unknown-emit-kind"], "the source of compiled C cannot be shown as `{}`",
                        wanted)
        .kind("InternalError+ValueError")
        .help("there is c");
  }
  void WriteToFile(const ffi::String& path, const ffi::String& format) const final {
    std::string file(path);
    std::string wanted(format);
    if (wanted.empty())
      wanted = fs::path(file).extension().string().substr(fs::path(file).has_extension() ? 1 : 0);
    if (wanted == "c") return backend::write_file(file, text_);
    if (wanted == "o" || wanted == "obj") return compile(text_, target_, Output::kObject, parallel_, file);
    if (wanted == "so") return compile(text_, target_, Output::kSharedLibrary, parallel_, file);
    throw ir::refuse_as(refusals["unknown-emit-kind"], "compiled C cannot be written to `{}` as `{}`", file,
                        wanted)
        .kind("InternalError")
        .help("there are c, o and so");
  }

 private:
  // What can be asked of the module itself.
  ffi::Optional<ffi::Function> answer(std::string_view name) const {
    if (name == "_get_target_string")
      return ffi::Function::FromTyped([text = ir::target_text(target_)] { return ffi::String(text); });
    if (name == "get_func_names") {
      ffi::Array<ffi::String> names;
      for (const std::string& one : functions_) names.push_back(one);
      return ffi::Function::FromTyped([names] { return names; });
    }
    if (name == "__tvm_is_system_module") return ffi::Function::FromTyped([] { return false; });
    return std::nullopt;
  }

  ir::Target target_;
  std::string text_;
  std::vector<std::string> functions_;
  bool parallel_ = false;
  std::unique_ptr<Loaded> loaded_;
};

}  // namespace

ffi::Module make_module(const ir::IRModule& lowered, const ir::Target& target) {
  return ffi::Module(ffi::make_object<CModule>(lowered, target));
}

}  // namespace mlc::c_backend
