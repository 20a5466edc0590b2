// SPDX-License-Identifier: Apache-2.0
// Instructions of the graphs of a module that the lowering passes have taken down to calls.
#pragma once

#include "backend/vm/exec_builder.h"
#include "ir/core/module.h"

namespace mlc::vm {

// Emits every graph of the module, in its order. What is left: the module without them.
// Errors: vm-no-symbol, vm-not-lowered.
ir::IRModule generate_code(const ir::IRModule& mod, ExecBuilder& builder);

// Every graph as a tensor function `__vmtir__NAME(context, registers, constants, functions)`, which calls what the
// instructions would call; the executable names them. The module with these functions in place of the graphs.
ir::IRModule generate_tensor_code(const ir::IRModule& mod, ExecBuilder& builder);

}  // namespace mlc::vm
