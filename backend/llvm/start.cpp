// SPDX-License-Identifier: Apache-2.0
#include "backend/llvm/start.h"

#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>

#include <mutex>
#include <new>
#include <span>

using Constructor = void (*)();
// The first of the section `llvm_constructors` and the one after its last: the linker knows them by these
// names.
extern "C" Constructor __start_llvm_constructors[];  // NOLINT(bugprone-reserved-identifier)
extern "C" Constructor __stop_llvm_constructors[];   // NOLINT(bugprone-reserved-identifier)

namespace mlc::llvm_backend {

void start_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    for (Constructor construct : std::span(__start_llvm_constructors, __stop_llvm_constructors)) construct();
#define MLC_ARCHITECTURE(name)        \
  LLVMInitialize##name##TargetInfo(); \
  LLVMInitialize##name##Target();     \
  LLVMInitialize##name##TargetMC();   \
  LLVMInitialize##name##AsmPrinter();
    MLC_ARCHITECTURE(X86)
    MLC_ARCHITECTURE(AArch64)
    MLC_ARCHITECTURE(ARM)
    MLC_ARCHITECTURE(RISCV)
    MLC_ARCHITECTURE(WebAssembly)
#undef MLC_ARCHITECTURE
    // It would end the process, and with it a session; `new` inside of LLVM throws the same.
    llvm::install_bad_alloc_error_handler([](void*, const char*, bool) { throw std::bad_alloc(); });
  });
}

}  // namespace mlc::llvm_backend
