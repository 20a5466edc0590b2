// SPDX-License-Identifier: Apache-2.0
// Running compiled code in this process with LLVM's ORC.
#include <dlfcn.h>
#include <llvm/ExecutionEngine/Orc/DebugObjectManagerPlugin.h>
#include <llvm/ExecutionEngine/Orc/EPCDebugObjectRegistrar.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/ExecutionEngine/Orc/TargetProcess/JITLoaderGDB.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/module.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "backend/llvm/code.h"
#include "backend/llvm/loaded_code.h"
#include "backend/llvm/pch.h"
#include "backend/llvm/start.h"
#include "backend/llvm/target_machine.h"
#include "backend/perf.h"
#include "backend/runtime/context_symbols.h"
#include "backend/runtime/onednn.h"
#include "backend/runtime/openblas.h"
#include "backend/runtime/parallel.h"
#include "ir/core/inputs.h"
#include "ir/core/refusal.h"

namespace mlc::llvm_backend {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "load-failed",
         .message = "compiled code cannot be loaded: {}",
         .meaning = "The library cannot be loaded; the message is the system's."},
        {.name = "not-runnable",
         .message = "code for another machine cannot run here",
         .help = "export it instead",
         .meaning = "Code for another machine is exported, not run."},
    }};
MLC_REFUSALS(llvm_jit, refusals);

}  // namespace mlc::llvm_backend

namespace mlc::backend {
namespace {
std::atomic<Perf> perf = Perf::kNothing;
}
void tell_perf(Perf what) { perf = what; }
}  // namespace mlc::backend

namespace mlc::llvm_backend {

using backend::Perf, backend::perf;

struct Loaded::State {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  const Code* code = nullptr;
  void* module = nullptr;
  std::optional<LoadedCode> known;  // once a function has been asked for
};

namespace {

template <class T>
T checked(llvm::Expected<T> value) {
  if (value) return std::move(*value);
  throw ir::refuse(llvm_backend::refusals["load-failed"], llvm::toString(value.takeError()));
}
void checked(llvm::Error error) {
  if (error) throw ir::refuse(llvm_backend::refusals["load-failed"], llvm::toString(std::move(error)));
}

template <class F>
llvm::orc::ExecutorAddr address_of(F* function) {
  return llvm::orc::ExecutorAddr::fromPtr(function);
}

// Functions outside of the code whose results depend on their arguments alone, and which change nothing but
// memory passed to them: those of mathematics, and what compiled code calls implicitly. Any
// other, which the program has named itself, may read the clock or write a file.
bool is_closed(const std::string& symbol) {
  constexpr std::string_view kNames[] = {"aligned_alloc", "free",   "memcmp",  "memcpy",
                                         "memmove",       "memset", "snprintf"};
  if (symbol.starts_with("TVMFFI") || symbol.starts_with("__")) return true;
  if (std::ranges::find(kNames, symbol) != std::end(kNames)) return true;
  Dl_info place{};
  void* address = dlsym(RTLD_DEFAULT, symbol.c_str());
  if (address == nullptr || dladdr(address, &place) == 0 || place.dli_fname == nullptr) return false;
  return std::string_view(place.dli_fname).find("/libm.so") != std::string_view::npos;
}

// Debuggers learn of the code through the interface that gdb has for it, which copies the object; nothing
// more happens when none is attached.
void tell_debuggers(llvm::orc::LLJIT& jit, llvm::orc::ObjectLinkingLayer& linker) {
  llvm::orc::ExecutionSession& session = jit.getExecutionSession();
  linker.addPlugin(std::make_unique<llvm::orc::DebugObjectManagerPlugin>(
      session,
      std::make_unique<llvm::orc::EPCDebugObjectRegistrar>(session,
                                                           address_of(&llvm_orc_registerJITLoaderGDBWrapper)),
      true, true));
}

}  // namespace

Loaded::Loaded(const Code& code, void* module) : state_(std::make_unique<State>()) {
  start_llvm();
  if (!code.host) {
    throw ir::refuse(llvm_backend::refusals["not-runnable"]);
  }
  llvm::orc::JITTargetMachineBuilder builder((llvm::Triple(host_triple())));
  builder.setRelocationModel(llvm::Reloc::PIC_);
  state_->jit = checked(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(builder)).create());
  state_->code = &code;
  llvm::orc::LLJIT& jit = *state_->jit;
  if (auto* linker = llvm::dyn_cast<llvm::orc::ObjectLinkingLayer>(&jit.getObjLinkingLayer())) {
    tell_debuggers(jit, *linker);
  }
  llvm::orc::JITDylib& library = jit.getMainJITDylib();
  // mlc's own runtime by address, as the program exports no symbols; libc, libm and tvm-ffi by name.
  llvm::orc::SymbolMap own;
  auto bring = [&](const char* name, auto* function) {
    own[jit.mangleAndIntern(name)] = llvm::orc::ExecutorSymbolDef(llvm::orc::ExecutorAddr::fromPtr(function),
                                                                  llvm::JITSymbolFlags::Exported);
  };
  bring("mlc_parallel_launch", &mlc_parallel_launch);
  bring("mlc_parallel_launch_on", &mlc_parallel_launch_on);
  bring("mlc_openblas_matmul", &mlc_openblas_matmul);
  bring("mlc_onednn_matmul", &mlc_onednn_matmul);
  bring("mlc_onednn_conv2d", &mlc_onednn_conv2d);
  bring("mlc_onednn_pack_matmul", &mlc_onednn_pack_matmul);
  bring("mlc_onednn_pack_conv2d", &mlc_onednn_pack_conv2d);
  // What tvm-ffi would write into a library when it loads it. The code's own symbols are weak and give way to
  // these.
  state_->module = module;
  auto place = [&](const char* name, void** slot) {
    own[jit.mangleAndIntern(name)] =
        llvm::orc::ExecutorSymbolDef(llvm::orc::ExecutorAddr::fromPtr(slot), llvm::JITSymbolFlags::Exported);
  };
  place(ir::ffi::symbol::tvm_ffi_library_ctx, &state_->module);
  for (runtime::ContextSymbol& one : runtime::workspace_symbols()) place(one.name, &one.function);
  checked(library.define(llvm::orc::absoluteSymbols(std::move(own))));
  auto found = [](const llvm::orc::SymbolStringPtr& name) {
    if (!is_closed((*name).str())) ir::Inputs::global().beyond();
    return true;
  };
  library.addGenerator(checked(llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      jit.getDataLayout().getGlobalPrefix(), found)));
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
    throw ir::refuse(llvm_backend::refusals["load-failed"], problem);
  }
  auto* entry = found->toPtr<void*>();
  if (!state_->known) {
    state_->known.emplace(*state_->code, "__tvm_ffi_" + function, reinterpret_cast<uintptr_t>(entry));
    if (perf == Perf::kMap) state_->known->write_perf_map();
    if (perf == Perf::kJitdump) state_->known->write_jitdump();
  }
  return entry;
}

}  // namespace mlc::llvm_backend
