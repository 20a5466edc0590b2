// SPDX-License-Identifier: Apache-2.0
#include "backend/vm/api.h"

#include <tvm/ffi/reflection/registry.h>

#include "backend/artefact/executable.h"
#include "backend/vm/codegen.h"
#include "backend/vm/machine.h"
#include "ir/registry/api.h"

namespace mlc::vm {

namespace {

using ir::ApiKind;
using ir::ApiRow;
using ir::Array;
using ir::IRModule;
using ir::native;
using ir::String;

// Instructions as scripts emit them; the class that they see stands in stdlib/tvm/relax/exec_builder.mlc.
struct ExecBuilderNode final : ffi::Object {
  std::shared_ptr<ExecBuilder> builder = std::make_shared<ExecBuilder>();
  ExecBuilderNode() = default;
  static constexpr bool _type_mutable = true;
  MLC_NODE("mlc.relax.ExecBuilder", ExecBuilderNode, ffi::Object);
};
using Builder = ir::Ref<ExecBuilderNode>;

struct VMExecutableNode final : backend::ExecutableNode {
  explicit VMExecutableNode(ffi::Module mod) : ExecutableNode(std::move(mod)) {}
  static constexpr int _type_child_slots [[maybe_unused]] = 0;
  static constexpr bool _type_final [[maybe_unused]] = true;
  MLC_NODE_BASE("mlc.relax.VMExecutable", VMExecutableNode, backend::ExecutableNode);
};
using VMExecutable = ir::Ref<VMExecutableNode>;

constexpr std::string_view kNatives = "tvm.relax._ffi_api";
constexpr std::string_view kExecutable = "mlc.relax.VMExecutable";

std::vector<Operand> operands(const Array<Any>& words) {
  std::vector<Operand> all;
  for (const Any& word : words) all.push_back(Operand::of_word(word.cast<int64_t>()));
  return all;
}
Word word(Operand::Kind kind, int64_t value) { return Operand(kind, value).word(); }

const ApiRow rows[] = {
    {ApiKind::kFunction, kNatives, "ExecBuilderCreate()", "A builder of an executable.",
     native([] { return ir::make<ExecBuilderNode>(); })},
    {ApiKind::kFunction, kNatives, "ExecBuilderR(builder, index)", "A register as an operand.",
     native([](Builder, int64_t index) { return word(Operand::Kind::kRegister, index); })},
    {ApiKind::kFunction, kNatives, "ExecBuilderImm(builder, value)", "A number as an operand.",
     native([](Builder, int64_t value) { return word(Operand::Kind::kImmediate, value); })},
    {ApiKind::kFunction, kNatives, "ExecBuilderC(builder, index)", "A constant as an operand.",
     native([](Builder, int64_t index) { return word(Operand::Kind::kConstant, index); })},
    {ApiKind::kFunction, kNatives, "ExecBuilderF(builder, name)", "A function as an operand.",
     native([](Builder builder, String name) { return builder->builder->function(std::string(name)).word(); })},
    {ApiKind::kFunction, kNatives, "ExecBuilderConvertConstant(builder, value)", "A constant as an operand.",
     native([](Builder builder, Any value) { return builder->builder->constant(value).word(); })},
    {ApiKind::kFunction, kNatives, "ExecBuilderDeclareFunction(builder, name, kind)", "Names a function.",
     native([](Builder builder, String name, int64_t kind) {
       builder->builder->declare(std::string(name), static_cast<FunctionKind>(kind));
     })},
    {ApiKind::kFunction, kNatives, "ExecBuilderEmitFunction(builder, name, num_inputs, param_names=None)",
     "Begins a function.",
     native([](Builder builder, String name, int64_t num_inputs, std::optional<Array<String>> param_names) {
       std::optional<std::vector<std::string>> names;
       if (param_names) names.emplace(param_names->begin(), param_names->end());
       builder->builder->begin(std::string(name), num_inputs, names);
     })},
    {ApiKind::kFunction, kNatives, "ExecBuilderEndFunction(builder, name)", "Ends a function.",
     native([](Builder builder, String name) { builder->builder->end(std::string(name)); })},
    {ApiKind::kFunction, kNatives, "ExecBuilderEmitCall(builder, name, args, dst)", "Emits a call.",
     native([](Builder builder, String name, Array<Any> args, int64_t dst) {
       builder->builder->call(std::string(name), operands(args), Operand::of_word(dst).value());
     })},
    {ApiKind::kFunction, kNatives, "ExecBuilderEmitRet(builder, result)", "Emits a return.",
     native([](Builder builder, int64_t result) { builder->builder->ret(Operand::of_word(result)); })},
    {ApiKind::kFunction, kNatives, "ExecBuilderEmitGoto(builder, offset)", "Emits a jump.",
     native([](Builder builder, int64_t offset) { builder->builder->go(offset); })},
    {ApiKind::kFunction, kNatives, "ExecBuilderEmitIf(builder, cond, false_offset)", "Emits a branch.",
     native([](Builder builder, int64_t cond, int64_t offset) {
       builder->builder->branch(Operand::of_word(cond), offset);
     })},
    {ApiKind::kFunction, kNatives, "ExecBuilderGet(builder)", "The executable, as a module.",
     native([](Builder builder) {
       return ffi::Module(ffi::make_object<ExecutableModule>(builder->builder->finish()));
     })},
    {ApiKind::kFunction, kNatives, "VMCodeGen(builder, mod)",
     "Emits the graphs of a module whose passes have taken them down to calls; returns what is left of it.",
     native([](Builder builder, IRModule mod) { return generate_code(mod, *builder->builder); })},

    {ApiKind::kFunction, kNatives, "VMTIRCodeGen(builder, mod)",
     "The same as tensor functions over lists of registers, constants and functions; they stand in the module returned.",
     native([](Builder builder, IRModule mod) { return generate_tensor_code(mod, *builder->builder); })},
    {ApiKind::kFunction, kNatives, "ExecutableCalls(machine)", "The names of the functions that the graphs call.",
     native([](ffi::Module machine) {
       Array<String> names;
       for (const FunctionInfo& fn : program_of(machine).functions) {
         if (fn.kind == FunctionKind::kPacked) names.push_back(fn.name);
       }
       return names;
     })},

    {ApiKind::kClass, "tvm.relax", "VMExecutable(mod)", "Compiled graphs and the functions that they call.",
     native([](ffi::Module mod) {
       executable_of(mod);
       return ir::make<VMExecutableNode>(mod);
     }),
     kExecutable, "tvm.relax.vm_build.VMExecutable"},
    {ApiKind::kMethod, kExecutable, "stats()", "What the executable holds.",
     native([](VMExecutable self) { return String(stats(executable_of(self->mod)->program())); })},
    {ApiKind::kMethod, kExecutable, "as_text()", "The instructions as text.",
     native([](VMExecutable self) { return String(as_text(executable_of(self->mod)->program())); })},
    {ApiKind::kMethod, kExecutable, "as_python()", "The instructions as calls of an ExecBuilder.",
     native([](VMExecutable self) { return String(as_python(executable_of(self->mod)->program())); })},
};

}  // namespace

void register_api() {
  register_builtins();
  ffi::reflection::GlobalDef().def("ffi.Module.load_from_bytes.relax.VMExecutable", [](ffi::Bytes bytes) {
    return ffi::Module(ffi::make_object<ExecutableModule>(load_program({bytes.data(), bytes.size()})));
  });
  ir::ApiRegistry& registry = ir::ApiRegistry::global();
  registry.add(rows);
  registry.alias("tvm.relax.vm_build.VMExecutable", "tvm.relax.VMExecutable");
}

}  // namespace mlc::vm
