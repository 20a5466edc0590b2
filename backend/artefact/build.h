// SPDX-License-Identifier: Apache-2.0
// From a lowered module to something that runs: code generation by the backend of the target, loading. Lowering belongs
// to who has a pipeline for it.
#pragma once

#include <tvm/ffi/extra/module.h>

#include "backend/backend.h"
#include "ir/core/module.h"
#include "ir/registry/api.h"
#include "ir/target/target.h"

namespace mlc::backend {

// Compiles and loads; the result's functions are compiled code. For a target other than this machine the module can be
// exported but not run. Error: no-backend.
ir::ffi::Module build_lowered(const ir::IRModule& lowered, const ir::Target& target);

// What a function leaves in copies of `args`. Error: no-such-function.
std::vector<ir::Any> run_built(const ir::ffi::Module& built, const std::string& function,
                               const std::vector<ir::Any>& args);
// What code that the default backend compiles for this machine leaves in copies of `args` (interp/compare.h
// does so in the interpreter). Error: no-such-function.
std::vector<ir::Any> run_compiled(const ir::IRModule& lowered, const std::string& function,
                                  const std::vector<ir::Any>& args);

}  // namespace mlc::backend
