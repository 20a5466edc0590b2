// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/llvm/target_machine.h"

namespace llvm {
class Module;
}

namespace mlc::llvm_backend {

// Runs the passes of the machine's opt level over the module.
void optimize(llvm::Module& module, const Machine& machine);

}  // namespace mlc::llvm_backend
