// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "backend/llvm/target_machine.h"

namespace llvm {
class Module;
}

namespace mlc::llvm_backend {

// Runs the passes of the machine's opt level over the module. `heed` is called after each function, and may
// throw. Where `asked` says that somebody has asked to stop, the passes that are left are skipped.
void optimize(llvm::Module& module, const Machine& machine, const std::function<void()>& heed,
              const std::function<bool()>& asked);

}  // namespace mlc::llvm_backend
