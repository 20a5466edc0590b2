// SPDX-License-Identifier: Apache-2.0
// Libraries that are loaded at the first call. libc only: what includes it is linked into artefacts, each
// part for itself.
#pragma once

#include <dlfcn.h>
#include <stdlib.h>

namespace mlc::runtime {

// The library that the environment variable names, else the usual one; null where it cannot be loaded.
static inline void* open_library(const char* variable, const char* usual) {
  const char* name = getenv(variable);
  return dlopen(name != nullptr ? name : usual, RTLD_NOW | RTLD_LOCAL);
}

// Sets a pointer to a function of the library; false where it has none of that name.
template <class F>
static bool find(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace mlc::runtime
