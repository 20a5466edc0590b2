// SPDX-License-Identifier: Apache-2.0
// Compiled C as a tvm-ffi module.
#include <dlfcn.h>

#include "backend/artefact/compiled_module.h"
#include "backend/artefact/temporary_folder.h"
#include "backend/artefact/write_file.h"
#include "backend/c/compile.h"
#include "backend/c/emitter.h"
#include "ir/core/refusal.h"

namespace mlc::c_backend {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "load-failed", .message = "compiled C cannot be loaded: {}"},
        {.name = "unknown-emit-kind",
         .kind = "InternalError+ValueError",
         .meaning = "`mlc build --emit` knows some kinds of output; the message lists them."},
    }};
MLC_REFUSALS(c_module, refusals);

namespace ffi = ir::ffi;

namespace {

// A library that is loaded and has no name any more.
class Loaded {
 public:
  Loaded(const std::string& text, const ir::Target& target, bool parallel) {
    backend::TemporaryFolder folder("mlc-c");
    std::string path = folder / "code.so";
    compile(text, target, Output::kSharedLibrary, parallel, path);
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) throw ir::refuse(refusals["load-failed"], dlerror());
  }
  ~Loaded() { dlclose(handle_); }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  void* entry(const std::string& function) const { return dlsym(handle_, ("__tvm_ffi_" + function).c_str()); }

 private:
  void* handle_ = nullptr;
};

class CModule final : public backend::CompiledModule {
 public:
  CModule(const ir::IRModule& lowered, ir::Target target) : CompiledModule(std::move(target)) {
    ModuleEmitter emitter(Convention::kPacked, nullptr);
    text_ = emitter.emit(lowered, "", "");
    functions_ = emitter.symbols();
    parallel_ = emitter.parallel();
    loaded_ = std::make_unique<Loaded>(text_, target_, parallel_);
  }

  const char* kind() const final { return "c"; }
  ffi::Array<ffi::String> GetWriteFormats() const final { return {"c", "o", "so"}; }
  ffi::String InspectSource(const ffi::String& format) const final {
    std::string_view wanted(format.data(), format.size());
    if (wanted.empty() || wanted == "c") return text_;
    throw ir::refuse_as(refusals["unknown-emit-kind"], "the source of compiled C cannot be shown as `{}`",
                        wanted)
        .help("there is c");
  }
  void WriteToFile(const ffi::String& path, const ffi::String& format) const final {
    std::string file(path);
    std::string wanted = format_of(file, format);
    if (wanted == "c") return backend::write_file(file, text_);
    if (wanted == "o" || wanted == "obj") return compile(text_, target_, Output::kObject, parallel_, file);
    if (wanted == "so") return compile(text_, target_, Output::kSharedLibrary, parallel_, file);
    throw ir::refuse_as(refusals["unknown-emit-kind"], "compiled C cannot be written to `{}` as `{}`", file,
                        wanted)
        .kind("InternalError")
        .help("there are c, o and so");
  }

 private:
  void* entry(const std::string& function) final { return loaded_->entry(function); }

  std::string text_;
  bool parallel_ = false;
  std::unique_ptr<Loaded> loaded_;
};

}  // namespace

std::string c_source(const ir::IRModule& lowered, const ir::Target&) {
  return ModuleEmitter(Convention::kPacked, nullptr).emit(lowered, "", "");
}

ffi::Module make_module(const ir::IRModule& lowered, const ir::Target& target) {
  return ffi::Module(ffi::make_object<CModule>(lowered, target));
}

}  // namespace mlc::c_backend
