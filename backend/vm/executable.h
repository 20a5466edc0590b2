// SPDX-License-Identifier: Apache-2.0
// What a module with graphs is compiled to: the instructions of its graphs, their constants, and as imports the
// compiled tensor functions that they call.
#pragma once

#include <tvm/ffi/extra/module.h>

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "backend/vm/bytecode.h"
#include "ir/core/object.h"
#include "ir/core/span.h"

namespace mlc::vm {

namespace ffi = ir::ffi;
using ir::Any;

struct Program {
  std::vector<FunctionInfo> functions;
  std::unordered_map<std::string, int64_t> index;  // of functions, by name
  std::vector<Any> constants;                      // tensors, shapes, strings, numbers, data types
  std::vector<int64_t> offsets;                    // where each instruction starts in `words`
  std::vector<Word> words;
  std::map<int64_t, std::string> memory_scopes;  // of constants that do not lie in plain memory
  // Where in the program the instructions come from; empty for a program that was loaded.
  std::vector<ir::Span> spans;

  Instruction instruction(int64_t at) const { return {words.data() + offsets[static_cast<size_t>(at)]}; }
  const FunctionInfo* find(const std::string& name) const {
    auto found = index.find(name);
    return found == index.end() ? nullptr : &functions[static_cast<size_t>(found->second)];
  }
};

// As a module of tvm-ffi, `relax.VMExecutable`: `vm_load_executable()` makes a machine of it.
class ExecutableModule final : public ffi::ModuleObj {
 public:
  static constexpr const char* kKind = "relax.VMExecutable";

  explicit ExecutableModule(Program program) : program_(std::move(program)) {}
  const Program& program() const { return program_; }

  const char* kind() const final { return kKind; }
  int GetPropertyMask() const final { return ffi::Module::kBinarySerializable; }
  ffi::Optional<ffi::Function> GetFunction(const ffi::String& name) final;
  bool ImplementsFunction(const ffi::String& name) final;
  ffi::Bytes SaveToBytes() const final;

 private:
  Program program_;
};

// The instructions as text, as TVM prints them; as a program that emits them with an ExecBuilder; a summary.
std::string as_text(const Program& program);
std::string as_python(const Program& program);
std::string stats(const Program& program);

// Can each instruction run? Errors: vm-instruction-damaged, vm-register-undefined, vm-operand-out-of-range,
// vm-jump-out-of-function.
void check_program(const Program& program);

// TVM 0.27's file format. `copied` is told of the numbers of each tensor when they are no longer needed in `bytes`. Errors
// of `load_program`: vm-file-damaged.
std::string save_program(const Program& program);
Program load_program(std::string_view bytes, void (*copied)(const char* data, size_t size) = nullptr);

// The executable that a module is. Error: not-an-executable.
ffi::ObjectPtr<ExecutableModule> executable_of(const ffi::Module& module);

}  // namespace mlc::vm
