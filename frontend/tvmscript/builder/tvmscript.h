// SPDX-License-Identifier: Apache-2.0
// AST of decorated definitions -> IR: `@T.prim_func` functions and `@I.ir_module` classes.
#pragma once

#include "frontend/script/core/evaluator.h"
#include "ir/core/module.h"

namespace mlc::tvmscript {

// Rows of T.*, I.*, tvm.script.*, tvm.IRModule, ..., and the definition hooks.
void register_api();

}  // namespace mlc::tvmscript
