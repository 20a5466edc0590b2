// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

namespace mlc::cuda_backend {
namespace {

std::string text_of(const Driver& driver, Result result) {
  const char* name = nullptr;
  const char* meaning = nullptr;
  if (driver.GetErrorName != nullptr) driver.GetErrorName(result, &name);
  if (driver.GetErrorString != nullptr) driver.GetErrorString(result, &meaning);
  if (name == nullptr) return fmt::format("result {}", result);
  return meaning == nullptr ? fmt::format("{} ({})", name, result)
                            : fmt::format("{} ({}): {}", name, result, meaning);
}

Driver load() {
  Driver made;
  const char* named = std::getenv("MLC_CUDA_LIBRARY");
  void* handle = dlopen(named != nullptr ? named : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = dlerror();
    made.why_not =
        fmt::format("CUDA's driver cannot be loaded: {}", reason == nullptr ? "no reason given" : reason);
    return made;
  }
  auto find = [&]<class F>(F*& function, const char* symbol) {
    function = reinterpret_cast<F*>(dlsym(handle, symbol));
    return function != nullptr;
  };
#define MLC_FIND(name, symbol, arguments)               \
  if (!find(made.name, symbol) && made.why_not.empty()) \
    made.why_not = fmt::format("CUDA's driver has no `{}`", symbol);
  MLC_CUDA_FUNCTIONS(MLC_FIND)
#undef MLC_FIND
  find(made.LaunchKernelEx, "cuLaunchKernelEx");
  find(made.TensorMapEncodeTiled, "cuTensorMapEncodeTiled");
  if (!made.why_not.empty()) return made;
  if (Result result = made.Init(0); result != kSuccess)
    made.why_not = fmt::format("CUDA's driver does not start: {}", text_of(made, result));
  return made;
}

}  // namespace

const Driver& driver() {
  static const Driver loaded = load();
  return loaded;
}

std::string result_text(Result result) { return text_of(driver(), result); }

}  // namespace mlc::cuda_backend
