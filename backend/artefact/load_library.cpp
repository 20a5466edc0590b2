// SPDX-License-Identifier: Apache-2.0
#include "backend/artefact/load_library.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string_view>
#include <vector>

#include "backend/artefact/byte_stream.h"
#include "backend/vm/executable.h"
#include "ir/core/refusal.h"

namespace mlc::backend {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "library-damaged",
         .message = "the library does not hold the modules that it says: {} at byte {}"},
    }};
MLC_REFUSALS(artefact_load_library, refusals);

namespace {

namespace ffi = ir::ffi;

ir::Error damaged(std::string_view what, size_t at) { return refuse(refusals["library-damaged"], what, at); }

// The code of a library, by name, as a module of tvm-ffi of the same kind.
class LibraryModule final : public ffi::ModuleObj {
 public:
  explicit LibraryModule(void* handle) : handle_(handle) {}
  ~LibraryModule() { dlclose(handle_); }
  LibraryModule(const LibraryModule&) = delete;
  LibraryModule& operator=(const LibraryModule&) = delete;

  const char* kind() const final { return "library"; }
  int GetPropertyMask() const final { return ffi::Module::kBinarySerializable | ffi::Module::kRunnable; }
  ffi::Optional<ffi::Function> GetFunction(const ffi::String& name) final {
    auto code = find<TVMFFISafeCallType>(ffi::symbol::tvm_ffi_symbol_prefix, name);
    if (code == nullptr) return std::nullopt;
    return ffi::Function::FromPacked(  // which keeps the code
        [code, self = ffi::GetRef<ffi::Module>(this)](ffi::PackedArgs args, ffi::Any* result) {
          auto* values = reinterpret_cast<const TVMFFIAny*>(args.data());
          TVM_FFI_CHECK_SAFE_CALL(code(nullptr, values, args.size(), reinterpret_cast<TVMFFIAny*>(result)));
        });
  }
  ffi::Optional<ffi::String> GetFunctionMetadata(const ffi::String& name) final {
    return text(ffi::symbol::tvm_ffi_metadata_prefix, name);
  }
  ffi::Optional<ffi::String> GetFunctionDoc(const ffi::String& name) final {
    return text(ffi::symbol::tvm_ffi_doc_prefix, name);
  }

 private:
  template <class F>
  F find(const char* prefix, const ffi::String& name) const {
    return reinterpret_cast<F>(dlsym(handle_, (prefix + std::string(name)).c_str()));
  }
  ffi::Optional<ffi::String> text(const char* prefix, const ffi::String& name) const {
    auto getter = find<TVMFFISafeCallType>(prefix, name);
    if (getter == nullptr) return std::nullopt;
    return ffi::Function::InvokeExternC(nullptr, getter).cast<ffi::String>();
  }

  void* handle_;
};

// What has been read is in the file, and need not stay in memory.
void give_back(const char* data, size_t size) {
  auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  uintptr_t begin = (reinterpret_cast<uintptr_t>(data) + page - 1) / page * page;
  uintptr_t end = (reinterpret_cast<uintptr_t>(data) + size) / page * page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

ffi::Module module_of_bytes(const std::string& kind, std::string_view bytes) {
  if (kind == vm::ExecutableModule::kKind)
    return ffi::Module(ffi::make_object<vm::ExecutableModule>(vm::load_program(bytes, give_back)));
  auto load = ffi::Function::GetGlobal("ffi.Module.load_from_bytes." + kind);
  if (!load) TVM_FFI_THROW(RuntimeError) << "modules of the kind `" << kind << "` cannot be loaded here";
  return (*load)(ffi::Bytes(bytes.data(), bytes.size())).cast<ffi::Module>();
}

// `held`: who imports whom, the first one is the root, and modules as bytes (backend/artefact/module_tree.h).
ffi::Module tree_of(std::string_view held, const ffi::Module& library) {
  ByteReader in(held, damaged);
  std::vector<int64_t> starts = in.numbers("the imports"), children = in.numbers("the imports");
  std::vector<ffi::Module> modules;
  for (size_t i = 0; i + 1 < starts.size(); ++i) {
    std::string kind = in.text("the kind of a module");
    if (kind == "_lib") {
      modules.push_back(library);
      continue;
    }
    size_t size = in.count(1, "a module");
    modules.push_back(module_of_bytes(kind, {in.raw(size, "a module"), size}));
  }
  if (modules.empty()) in.damaged("no module");
  for (size_t i = 0; i < modules.size(); ++i) {
    for (int64_t at = starts[i]; at < starts[i + 1]; ++at) {
      if (at < 0 || at >= static_cast<int64_t>(children.size())) in.damaged("an import");
      int64_t child = children[static_cast<size_t>(at)];
      if (child < 0 || child >= static_cast<int64_t>(modules.size())) in.damaged("an import");
      modules[i]->ImportModule(modules[static_cast<size_t>(child)]);
    }
  }
  return modules[0];
}

}  // namespace

ffi::Module load_library(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  auto* held =
      handle == nullptr ? nullptr : static_cast<const char*>(dlsym(handle, ffi::symbol::tvm_ffi_library_bin));
  if (held == nullptr) {
    if (handle != nullptr) dlclose(handle);
    return ffi::Module::LoadFromFile(path);
  }
  auto library = ffi::make_object<LibraryModule>(handle);
  ffi::Module::VisitContextSymbols([&](const ffi::String& name, void* value) {
    if (auto* at = static_cast<void**>(dlsym(handle, name.c_str()))) *at = value;
  });
  if (auto* context = static_cast<void**>(dlsym(handle, ffi::symbol::tvm_ffi_library_ctx)))
    *context = library.get();
  auto bytes =
      static_cast<size_t>(ByteReader({held, sizeof(uint64_t)}, damaged).number<uint64_t>("the size"));
  return tree_of({held + sizeof(uint64_t), bytes}, ffi::Module(library));
}

}  // namespace mlc::backend
