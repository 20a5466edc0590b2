// SPDX-License-Identifier: Apache-2.0
// LLVM IR to optimised code.
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/raw_ostream.h>

#include <mutex>

#include "backend/llvm/code.h"
#include "backend/llvm/emitter.h"
#include "backend/llvm/optimize.h"

namespace mlc::llvm_backend {
namespace {

std::string write(llvm::Module& module, const Machine& machine, llvm::CodeGenFileType kind) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.machine->addPassesToEmitFile(passes, stream, nullptr, kind, true)) {
    throw ir::Error("codegen-unsupported", "the target {} cannot write this kind of file",
                    module.getTargetTriple());
  }
  passes.run(module);
  return {bytes.begin(), bytes.end()};
}

// A target machine is used by one compilation at a time.
std::mutex& compile_lock() {
  static std::mutex lock;
  return lock;
}

constexpr std::string_view kEntryPrefix = "__tvm_ffi_";
bool is_entry(const llvm::Function& function) {
  return !function.isDeclaration() && !function.hasLocalLinkage() &&
         std::string_view(function.getName()).starts_with(kEntryPrefix);
}

// The only function of a module answers to `main` as well.
void name_entry(llvm::Module& module) {
  llvm::Function* only = nullptr;
  for (llvm::Function& function : module) {
    if (!is_entry(function)) continue;
    if (only != nullptr) return;
    only = &function;
  }
  std::string main = std::string(kEntryPrefix) + "main";
  if (only != nullptr && only->getName() != main)
    llvm::GlobalAlias::create(llvm::GlobalValue::ExternalLinkage, main, only);
}

template <class F>
auto with_module(const ir::IRModule& lowered, const ir::Target& target, std::string_view program, F&& use) {
  const Machine& machine = machine_for(target);
  llvm::LLVMContext context;
  ModuleEmitter emitter(context, machine, "mlc");
  std::unique_ptr<llvm::Module> module = emitter.emit(lowered, program);
#ifndef NDEBUG
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  MLC_CHECK(!llvm::verifyModule(*module, &stream), "generated LLVM IR is malformed: {}", problems);
#endif
  name_entry(*module);
  optimize(*module, machine);
  return use(*module, machine, emitter);
}

}  // namespace

Code compile(const ir::IRModule& lowered, const ir::Target& target, std::string_view program) {
  std::lock_guard hold(compile_lock());
  return with_module(
      lowered, target, program, [&](llvm::Module& module, const Machine& machine, ModuleEmitter& emitter) {
        Code code;
        code.parallel = emitter.parallel;
        code.host = machine.is_host;
        for (const llvm::Function& function : module) {
          if (is_entry(function))
            code.functions.emplace_back(std::string_view(function.getName()).substr(kEntryPrefix.size()));
        }
        code.object = write(module, machine, llvm::CodeGenFileType::ObjectFile);
        return code;
      });
}

std::string compile_to_text(const ir::IRModule& lowered, const ir::Target& target, bool assembly) {
  std::lock_guard hold(compile_lock());
  return with_module(lowered, target, "", [&](llvm::Module& module, const Machine& machine, ModuleEmitter&) {
    if (assembly) return write(module, machine, llvm::CodeGenFileType::AssemblyFile);
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream, nullptr);
    return text;
  });
}

}  // namespace mlc::llvm_backend
