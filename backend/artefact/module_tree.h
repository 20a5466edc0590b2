// SPDX-License-Identifier: Apache-2.0
// A module with all that it imports, as a library of tvm-ffi holds it: compiled code in one place, the rest as bytes.
#pragma once

#include <tvm/ffi/extra/module.h>

#include <string>
#include <vector>

#include "ir/core/object.h"

namespace mlc::backend {

struct ModuleTree {
  std::vector<ir::ffi::Module> compiled;  // their code becomes the code of the library
  // What stands under the symbol ffi::symbol::tvm_ffi_library_bin: who imports whom, and modules as bytes. Empty where
  // there is nothing but compiled code.
  std::string bytes;
};

// Error: not-exportable.
ModuleTree module_tree(const ir::ffi::Module& root);

}  // namespace mlc::backend
