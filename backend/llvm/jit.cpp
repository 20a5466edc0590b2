// SPDX-License-Identifier: Apache-2.0
// Running compiled code in this process with LLVM's ORC.
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <tvm/ffi/c_api.h>

#include <cstdlib>
#include <cstring>

#include "backend/llvm/code.h"
#include "backend/llvm/pch.h"
#include "backend/llvm/target_machine.h"
#include "backend/runtime/parallel.h"

namespace mlc::llvm_backend {

struct Loaded::State {
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

namespace {

template <class T>
T checked(llvm::Expected<T> value) {
  if (value) return std::move(*value);
  throw ir::Error("load-failed", "compiled code cannot be loaded: {}", llvm::toString(value.takeError()));
}
void checked(llvm::Error error) {
  if (error)
    throw ir::Error("load-failed", "compiled code cannot be loaded: {}", llvm::toString(std::move(error)));
}

}  // namespace

Loaded::Loaded(const Code& code) : state_(std::make_unique<State>()) {
  if (!code.host) {
    throw ir::Error("not-runnable", "code for another machine cannot run here").help("export it instead");
  }
  llvm::orc::JITTargetMachineBuilder builder((llvm::Triple(host_triple())));
  builder.setRelocationModel(llvm::Reloc::PIC_);
  state_->jit = checked(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(builder)).create());
  llvm::orc::LLJIT& jit = *state_->jit;
  llvm::orc::JITDylib& library = jit.getMainJITDylib();
  // mlc's own runtime by address, as the program exports no symbols; libc, libm and tvm-ffi by name.
  llvm::orc::SymbolMap own;
  own[jit.mangleAndIntern("mlc_parallel_launch")] = llvm::orc::ExecutorSymbolDef(
      llvm::orc::ExecutorAddr::fromPtr(&mlc_parallel_launch), llvm::JITSymbolFlags::Exported);
  checked(library.define(llvm::orc::absoluteSymbols(std::move(own))));
  library.addGenerator(checked(
      llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(jit.getDataLayout().getGlobalPrefix())));
  checked(jit.addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(code.object, "mlc.o")));
}

Loaded::~Loaded() = default;

void* Loaded::entry(const std::string& function) const {
  auto found = state_->jit->lookup("__tvm_ffi_" + function);
  if (!found) {
    std::string problem = llvm::toString(found.takeError());
    if (problem.find("__tvm_ffi_" + function) != std::string::npos &&
        problem.find("Symbols not found: [ __tvm_ffi_") != std::string::npos) {
      return nullptr;
    }
    throw ir::Error("load-failed", "compiled code cannot be loaded: {}", problem);
  }
  return found->toPtr<void*>();
}

}  // namespace mlc::llvm_backend
