// SPDX-License-Identifier: Apache-2.0
// Pipelines and code generators put together: `tvm.build`, and what the commands and checks of the shell run.
// The rooms of both know nothing of each other.
#pragma once

#include <tvm/ffi/extra/module.h>

#include <string>
#include <vector>

#include "ir/core/module.h"
#include "ir/registry/host.h"

namespace mlc::repl {

// Compiled for this machine, lowered by the default pipeline of the library that `host` runs.
ir::ffi::Module build_for_this_machine(const ir::IRModule& mod, ir::Host& host);
// What compiled code of this machine leaves in copies of `args`: lowered by the default pipeline of the
// library that `host` runs. Error: no-such-function.
std::vector<ir::Any> run_compiled(const ir::IRModule& mod, const std::string& function,
                                  const std::vector<ir::Any>& args, ir::Host& host);

void register_build_api();  // tvm.build, tvm.compile

}  // namespace mlc::repl
