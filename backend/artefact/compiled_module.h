// SPDX-License-Identifier: Apache-2.0
// Compiled code as a module of tvm-ffi: what is the same whoever has compiled it.
#pragma once

#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>

#include <algorithm>
#include <filesystem>

#include "backend/runtime/tensor.h"
#include "ir/core/error.h"
#include "ir/target/target.h"

namespace mlc::backend {

namespace ffi = ir::ffi;

class CompiledModule : public ffi::ModuleObj {
 public:
  int GetPropertyMask() const final { return ffi::Module::kRunnable | ffi::Module::kCompilationExportable; }
  bool ImplementsFunction(const ffi::String& name) final {
    return std::ranges::find(functions_, std::string_view(name.data(), name.size())) != functions_.end();
  }
  ffi::Optional<ffi::Function> GetFunction(const ffi::String& name) final {
    std::string_view wanted(name.data(), name.size());
    if (!ImplementsFunction(name)) {
      bool only = functions_.size() == 1 && wanted == "main";  // the only function of a module is its entry too
      if (!only) return answer(wanted);
      wanted = functions_.front();
    }
    auto code = reinterpret_cast<TVMFFISafeCallType>(entry(std::string(wanted)));
    MLC_CHECK(code != nullptr, "`{}` was compiled but is not in the code", wanted);
    // The code lives as long as its functions.
    ffi::Module keep(ffi::details::ObjectUnsafe::ObjectPtrFromUnowned<ffi::ModuleObj>(this));
    return ffi::Function::FromPacked(
        [code, keep](ffi::PackedArgs args, ffi::Any* result) { runtime::call_entry(code, args, result); });
  }

 protected:
  explicit CompiledModule(ir::Target target, std::vector<std::string> functions = {})
      : target_(std::move(target)), functions_(std::move(functions)) {}
  // The entry of one of the functions, loaded by then.
  virtual void* entry(const std::string& function) = 0;
  // As asked for, else what the name of the file ends in.
  static std::string format_of(const std::string& file, const ffi::String& format) {
    std::string ending = std::filesystem::path(file).extension().string();
    return !format.empty() ? std::string(format) : ending.substr(ending.empty() ? 0 : 1);
  }

  const ir::Target target_;
  std::vector<std::string> functions_;

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
};

}  // namespace mlc::backend
