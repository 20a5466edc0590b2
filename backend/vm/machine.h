// SPDX-License-Identifier: Apache-2.0
// The virtual machine: runs the graphs of an executable.
#pragma once

#include <tvm/ffi/extra/module.h>

#include <memory>
#include <unordered_map>
#include <vector>

#include "backend/vm/executable.h"
#include "backend/vm/memory.h"

namespace mlc::vm {

// A function as a value: a graph of the executable, or one with its last arguments bound. `impl` takes the machine
// first.
struct ClosureNode final : ffi::Object {
  ffi::String name;
  ffi::Function impl;

  ClosureNode(ffi::String name, ffi::Function impl) : name(std::move(name)), impl(std::move(impl)) {}
  MLC_NODE("mlc.vm.Closure", ClosureNode, ffi::Object);
};
using Closure = ir::Ref<ClosureNode>;
Closure bind_last(const Closure& closure, std::vector<Any> last);

// As a module of tvm-ffi, `relax.VirtualMachine`. Its functions are those of the executable, and vm_initialization,
// invoke_closure, save_function, set_input, invoke_stateful, get_output, get_output_arity, get_function_arity,
// get_function_param_name, set_instrument.
class Machine final : public ffi::ModuleObj {
 public:
  static constexpr const char* kKind = "relax.VirtualMachine";

  explicit Machine(ffi::ObjectPtr<ExecutableModule> executable) : executable_(std::move(executable)) {}

  const char* kind() const final { return kKind; }
  int GetPropertyMask() const final { return ffi::Module::kRunnable; }
  ffi::Optional<ffi::Function> GetFunction(const ffi::String& name) final;
  bool ImplementsFunction(const ffi::String& name) final;

  // Finds the functions that are called, and brings the constants to the first device. A naive pool keeps no memory.
  // Errors: vm-function-missing.
  void initialize(std::vector<std::shared_ptr<Pool>> pools);

  // Calls a function, or a closure of this machine. Errors: vm-argument-count, vm-recursion-too-deep, and those of
  // the functions that it calls.
  void call(int64_t function, ffi::PackedArgs args, Any* result);
  void call_value(const Any& callee, ffi::PackedArgs args, Any* result);

  // On the device with that number among the machine's; -1 is the CPU, which is the last.
  Storage allocate(size_t bytes, int64_t device) { return ir::make<StorageNode>(pools_[index_of_device(device)], bytes); }
  // Error: vm-no-device.
  size_t index_of_device(int64_t device) const;
  const Pool& pool() const { return *pools_[0]; }
  const Program& program() const { return executable_->program(); }

  // The machine of a builtin's first argument.
  static Machine& of(ffi::AnyView pointer) { return *static_cast<Machine*>(pointer.cast<void*>()); }

 private:
  using Registers = std::vector<Any>;
  struct Frame;

  int64_t index_of(const std::string& name) const;
  Any closure_of(int64_t function);
  Any compiled_closure_of(int64_t function);
  ffi::Function outside_function(const std::string& name) const;
  void run(const FunctionInfo& fn, Registers& registers, Any* result);
  void call_instruction(const Instruction& call, int64_t at, Registers& registers, std::vector<ffi::AnyView>& args);
  // Where the instruction comes from, for an error that says nothing else.
  void locate(ir::Error& error, int64_t at) const;
  void invoke(int64_t function, ffi::PackedArgs args, Any* result);
  void invoke_compiled(const ffi::Function& code, int64_t function, ffi::PackedArgs args, Any* result);
  // Errors: vm-not-initialized, vm-argument-count, vm-recursion-too-deep.
  void check_call(const FunctionInfo& fn, ffi::PackedArgs args) const;
  ffi::AnyView operand(Operand operand, const Registers& registers) const;
  // What of the machine itself can be called, by name.
  std::optional<ffi::Function> service(std::string_view name);
  void save_function(const ffi::PackedArgs& args);
  const Any& output(const ffi::PackedArgs& args) const;

  ffi::ObjectPtr<ExecutableModule> executable_;
  std::vector<std::shared_ptr<Pool>> pools_;  // of the devices
  std::vector<Any> functions_;  // an ffi::Function, or a Closure where it is a graph
  struct Callee {               // the same, ready to be called
    ffi::Function code;
    bool takes_machine;  // first
  };
  std::vector<Callee> callees_;
  std::vector<Any> constants_;
  std::vector<Registers> spare_;  // register files that are not in use
  size_t depth_ = 0;
  std::optional<ffi::Function> instrument_;
  std::unordered_map<std::string, std::vector<Any>> inputs_;
  std::unordered_map<std::string, Any> outputs_;
  struct Saved {  // a call under a name of its own
    std::string function;
    std::vector<Any> args;
    bool with_result;
  };
  std::unordered_map<std::string, Saved> saved_;
};

// Of a machine. Error: not-a-machine.
const Program& program_of(const ffi::Module& machine);

// vm.builtin.*, as global functions.
void register_builtins();

}  // namespace mlc::vm
