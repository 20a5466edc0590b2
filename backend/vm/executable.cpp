// SPDX-License-Identifier: Apache-2.0
#include "backend/vm/executable.h"

#include "backend/vm/machine.h"
#include "ir/core/refusal.h"

namespace mlc::vm {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "not-an-executable", .message = "a module of kind `{}` is no executable of graphs"},
    }};
MLC_REFUSALS(vm_executable, refusals);

namespace {

// What can be asked of an executable.
std::optional<ffi::Function> service(ExecutableModule* self, std::string_view name) {
  ffi::ObjectPtr<ExecutableModule> keep = ffi::details::ObjectUnsafe::ObjectPtrFromUnowned<ExecutableModule>(self);
  if (name == "stats") return ffi::Function::FromTyped([keep] { return ffi::String(stats(keep->program())); });
  if (name == "as_text") return ffi::Function::FromTyped([keep] { return ffi::String(as_text(keep->program())); });
  if (name == "as_python") return ffi::Function::FromTyped([keep] { return ffi::String(as_python(keep->program())); });
  if (name == "has_function") {
    return ffi::Function::FromTyped(
        [keep](ffi::String function) { return keep->program().find(std::string(function)) != nullptr; });
  }
  if (name == "vm_load_executable") {
    return ffi::Function::FromTyped([keep] { return ffi::Module(ffi::make_object<Machine>(keep)); });
  }
  return std::nullopt;
}

}  // namespace

ffi::Optional<ffi::Function> ExecutableModule::GetFunction(const ffi::String& name) {
  if (auto found = service(this, ir::view(name))) return *found;
  return std::nullopt;
}
bool ExecutableModule::ImplementsFunction(const ffi::String& name) { return service(this, ir::view(name)).has_value(); }
ffi::Bytes ExecutableModule::SaveToBytes() const { return ffi::Bytes(save_program(program_)); }

ffi::ObjectPtr<ExecutableModule> executable_of(const ffi::Module& module) {
  auto* executable = dynamic_cast<ExecutableModule*>(const_cast<ffi::ModuleObj*>(module.operator->()));
  if (executable == nullptr) throw refuse(refusals["not-an-executable"], module->kind());
  return ffi::details::ObjectUnsafe::ObjectPtrFromUnowned<ExecutableModule>(executable);
}

}  // namespace mlc::vm
