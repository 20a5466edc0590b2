// SPDX-License-Identifier: Apache-2.0
// Shared libraries that programs load. What tvm-ffi's loader does with one that holds weights takes three
// times their memory: it copies an executable twice before the executable copies its constants.
#pragma once

#include <tvm/ffi/extra/module.h>

#include <string>

#include "ir/core/object.h"

namespace mlc::backend {

// The module that a library holds. Executables of graphs are read where the file is mapped, and its pages are
// given back once they are read. ffi::Error as tvm-ffi's; Error: vm-file-damaged, library-damaged.
ir::ffi::Module load_library(const std::string& path);

}  // namespace mlc::backend
