// SPDX-License-Identifier: Apache-2.0
// tvm.target.codegen: LLVM's data for scripts.
#include "backend/llvm/codegen_api.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>

#include "backend/llvm/partition.h"
#include "backend/llvm/reuse.h"
#include "backend/llvm/start.h"
#include "backend/llvm/target_machine.h"
#include "backend/runtime/onednn.h"
#include "backend/runtime/openblas.h"
#include "backend/target_api.h"
#include "ir/core/refusal.h"
#include "ir/registry/api.h"
#include "ir/target/tables.h"

extern "C" const char mlc_parallel_object_begin[];
extern "C" const char mlc_parallel_object_end[];

namespace mlc::llvm_backend {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "unknown-intrinsic", .message = "no intrinsic of LLVM has the number {}"},
    }};
MLC_REFUSALS(llvm_codegen_api, refusals);

namespace {

namespace ffi = ir::ffi;

using ir::Any;
using ir::ApiKind;
using ir::ApiRow;
using ir::Array;
using ir::Error;
using ir::native;
using ir::String;

const llvm::MCSubtargetInfo& subtarget(const Any& target) {
  return *machine_for(backend::target_argument(target)).machine->getMCSubtargetInfo();
}

std::vector<std::string> as_texts(ir::ApiCall& call, size_t i) {
  if (auto one = call.args[i].as<String>()) return {std::string(*one)};
  std::vector<std::string> all;
  auto many = call.args[i].try_cast<Array<String>>();
  if (!many) ir::wrong_argument(call, i, "str");
  for (const String& one : *many) all.emplace_back(one);
  return all;
}

Any has_features(ir::ApiCall& call) {
  const llvm::MCSubtargetInfo& info = subtarget(call.args[1]);
  for (const std::string& feature : as_texts(call, 0)) {
    bool known = false;
    for (const auto& row : info.getAllProcessorFeatures()) known = known || feature == row.Key;
    if (!known || !info.checkFeatures("+" + feature)) return false;
  }
  return true;
}

bool processor_has(const ir::Target& target, std::string_view feature) {
  try {
    const llvm::MCSubtargetInfo& info = *machine_for(target).machine->getMCSubtargetInfo();
    auto known = std::ranges::any_of(info.getAllProcessorFeatures(),
                                     [&](const auto& row) { return feature == row.Key; });
    return known && info.checkFeatures("+" + std::string(feature));
  } catch (const Error&) {
    return false;  // a processor that LLVM does not know; compiling for it is refused
  }
}

Any cpu_features(ir::ApiCall& call) {
  const llvm::MCSubtargetInfo& info = subtarget(call.args[0]);
  Array<Any> features;
  for (const auto& row : info.getAllProcessorFeatures()) {
    if (info.checkFeatures(std::string("+") + row.Key)) features.push_back(String(row.Key));
  }
  return features;
}

Any cpus(ir::ApiCall& call) {
  Array<Any> names;
  for (const auto& row : subtarget(call.args[0]).getAllProcessorDescriptions())
    names.push_back(String(row.Key));
  return names;
}

Any intrinsic_id(ir::ApiCall& call) {
  auto name = ir::detail::argument<std::string>(call, 0);
  return static_cast<int64_t>(llvm::Function::lookupIntrinsicID(name));
}

// Bits of the widest vectors that TVM counts on.
Any vector_width(ir::ApiCall& call) {
  ir::Target target =
      call.args[0] == nullptr ? backend::current_target() : backend::target_argument(call.args[0]);
  if (int64_t said = ir::target_attr<int64_t>(target, "vector-width", 0); said != 0) return said;
  const llvm::Triple& triple = machine_for(target).machine->getTargetTriple();
  // RISC-V says it in a feature, of which those for shorter vectors follow.
  if (triple.isRISCV() && processor_has(target, "v")) {
    for (int64_t bits = 65536; bits > 128; bits /= 2)
      if (processor_has(target, fmt::format("zvl{}b", bits))) return bits;
  }
  return int64_t{triple.isX86() ? 512 : 128};
}

Any targets(ir::ApiCall&) {
  start_llvm();
  Array<Any> names;
  for (int arch = llvm::Triple::UnknownArch + 1; arch <= llvm::Triple::LastArchType; ++arch) {
    std::string name = llvm::Triple::getArchTypeName(static_cast<llvm::Triple::ArchType>(arch)).str();
    std::string why;
    if (llvm::TargetRegistry::lookupTarget(name, why) != nullptr) names.push_back(String(name));
  }
  return names;
}

Any is_cpu(ir::ApiCall& call) {
  auto cpu = ir::detail::argument<String>(call, 0);
  ir::Map<String, Any> config{{"kind", String("llvm")}, {"mtriple", ir::detail::argument<String>(call, 1)}};
  for (const auto& row : subtarget(ir::parse_target(config)).getAllProcessorDescriptions())
    if (std::string_view(cpu.data(), cpu.size()) == row.Key) return true;
  return false;
}

// Who made the processor of this machine: "intel", "amd" or "unknown".
String x86_vendor() {
  using llvm::sys::detail::x86::VendorSignatures;
  VendorSignatures vendor = llvm::sys::detail::x86::getVendorSignature();
  return vendor == VendorSignatures::GENUINE_INTEL   ? "intel"
         : vendor == VendorSignatures::AUTHENTIC_AMD ? "amd"
                                                     : "unknown";
}

constexpr std::string_view kCodegen = "tvm.target.codegen";
const ApiRow codegen_api_table[] = {
    {ApiKind::kFunction, "mlc", "parallel_runtime()", "What parallel loops call, as an object.", native([] {
       return ffi::Bytes(mlc_parallel_object_begin,
                         static_cast<size_t>(mlc_parallel_object_end - mlc_parallel_object_begin));
     })},
    {ApiKind::kFunction, "mlc", "library_text(name)",
     "Version and kernels of the library `openblas` or `onednn`, which is loaded for it; \"\" where it cannot be loaded.",
     native([](const String& name) {
       char text[256] = "";
       if (name == "openblas") mlc_openblas_text(text, sizeof text);
       if (name == "onednn") mlc_onednn_text(text, sizeof text);
       return String(text);
     })},
    {ApiKind::kFunction, "mlc", "function_groups(mod)",
     "The functions of a module that refer to each other, in lists.", native([](const ir::IRModule& mod) {
       Array<Any> groups;
       for (const FunctionGroup& group : function_groups(mod)) {
         Array<ir::GlobalVar> names;
         for (const auto& [var, fn] : group.functions) names.push_back(var);
         groups.push_back(names);
       }
       return groups;
     })},
    {ApiKind::kFunction, "mlc", "code_key(mod, text, settings, target)",
     "The key under which the code of these functions is kept: of them, as they are and as a text, of what "
     "else passes "
     "depend on, of the target and of this program.",
     native([](const ir::IRModule& mod, const String& text, const String& settings,
               const ir::Target& target) {
       return String(code_key(mod, {text.data(), text.size()}, {settings.data(), settings.size()}, target));
     })},
    {ApiKind::kFunction, "mlc", "has_code(key)", "Is there code under this key?",
     native([](const String& key) { return find_code(std::string(key)); })},
    {ApiKind::kFunction, kCodegen, "llvm_version_major(allow_none=False)",
     "The version of LLVM that generates code.", native([](bool) { return int64_t{LLVM_VERSION_MAJOR}; })},
    {ApiKind::kFunction, kCodegen, "llvm_get_system_cpu()", "The CPU of this machine.",
     native([] { return String(host_cpu()); })},
    {ApiKind::kFunction, kCodegen, "llvm_get_system_triple()", "The triple of this machine.",
     native([] { return String(host_triple()); })},
    {ApiKind::kFunction, kCodegen, "llvm_get_system_x86_vendor()", "Who made the processor of this machine.",
     native([] { return x86_vendor(); })},
    {ApiKind::kFunction, kCodegen, "llvm_get_targets()", "The architectures that LLVM knows here.", targets},
    {ApiKind::kFunction, kCodegen, "llvm_is_valid_cpu(cpu, triple)", "Has the architecture this CPU?",
     is_cpu},
    {ApiKind::kFunction, kCodegen, "llvm_get_vector_width(target=None)",
     "Bits of the vectors that a target has.", vector_width},
    {ApiKind::kFunction, kCodegen, "llvm_get_cpu_archlist(target=None)", "The CPUs of an architecture.",
     cpus},
    {ApiKind::kFunction, kCodegen, "llvm_get_cpu_features(target=None)", "What the CPU of a target has.",
     cpu_features},
    {ApiKind::kFunction, kCodegen, "target_has_features(cpu_features, target=None)",
     "Has the CPU of a target these features?", has_features},
    {ApiKind::kFunction, kCodegen, "llvm_cpu_has_features(cpu_features, target=None)",
     "Has the CPU of a target these features?", has_features},
    {ApiKind::kFunction, kCodegen, "llvm_lookup_intrinsic_id(name)",
     "The number of an LLVM intrinsic, 0 where there is none of that name.", intrinsic_id},
    {ApiKind::kFunction, kCodegen, "llvm_get_intrinsic_name(intrin_id)", "The name of an LLVM intrinsic.",
     native([](int64_t id) { return String(intrinsic_name(id)); })},
};

}  // namespace

std::string intrinsic_name(int64_t number) {
  start_llvm();
  if (number <= 0 || number >= llvm::Intrinsic::num_intrinsics)
    throw ir::refuse(refusals["unknown-intrinsic"], number);
  return llvm::Intrinsic::getBaseName(static_cast<llvm::Intrinsic::ID>(number)).str();
}

void register_codegen_api() {
  ir::ApiRegistry& registry = ir::ApiRegistry::global();
  registry.add(codegen_api_table);
  ir::ask_processors(processor_has);
  registry.alias("tvm.script.tirx.llvm_lookup_intrinsic_id", "tvm.target.codegen.llvm_lookup_intrinsic_id");
  registry.alias("tvm.tirx.op.llvm_lookup_intrinsic_id", "tvm.target.codegen.llvm_lookup_intrinsic_id");
}

}  // namespace mlc::llvm_backend
