// SPDX-License-Identifier: Apache-2.0
// What tvm.compile returns: a compiled module and what can be done with it.
#pragma once

#include <tvm/ffi/extra/module.h>

#include "ir/core/object.h"

namespace mlc::backend {

namespace ffi = ir::ffi;

struct ExecutableNode : ffi::Object {
  ffi::Module mod;

  explicit ExecutableNode(ffi::Module mod) : mod(std::move(mod)) {}
  MLC_NODE_BASE("mlc.runtime.Executable", ExecutableNode, ffi::Object);
};
using Executable = ir::Ref<ExecutableNode>;

}  // namespace mlc::backend
