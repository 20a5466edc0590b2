// SPDX-License-Identifier: Apache-2.0
#include "backend/llvm/target_machine.h"

#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

#include <map>
#include <mutex>

#include "backend/llvm/start.h"
#include "ir/core/refusal.h"

namespace mlc::llvm_backend {

static constexpr ir::Refusals refusals{"ValueError",
                                       {
                                           {.name = "unknown-target"},
                                           {.name = "unknown-target-attribute"},
                                           {.name = "unsupported-target",
                                            .message = "there is no code generator for target kind `{}`",
                                            .help = "this version compiles for `llvm`",
                                            .meaning = "There is no code generator for this kind of target."},
                                       }};
MLC_REFUSALS(llvm_target_machine, refusals);

namespace {

using ir::Error;

std::string text(const ir::Target& target, std::string_view key) {
  return std::string(ir::target_attr<ir::String>(target, key, ir::String("")));
}

std::string host_features() {
  std::string features;
  for (const auto& entry : llvm::sys::getHostCPUFeatures()) {
    if (!features.empty()) features += ',';
    features += (entry.second ? "+" : "-") + entry.first().str();
  }
  return features;
}

void check_features(const llvm::MCSubtargetInfo& info, const ir::Target& target, const std::string& cpu) {
  if (!cpu.empty() && !info.isCPUStringValid(cpu)) {
    std::vector<std::string> known;
    for (const auto& one : info.getAllProcessorDescriptions()) known.emplace_back(one.Key);
    throw ir::refuse_as(refusals["unknown-target"], "`{}` is no CPU of {}", cpu,
                        info.getTargetTriple().getArchName().str())
        .help(ir::did_you_mean(cpu, known));
  }
  for (const auto& feature : ir::target_attr<ir::Array<ir::String>>(target, "mattr", {})) {
    std::string_view name(feature.data(), feature.size());
    std::vector<std::string> known;
    bool found = false;
    for (const auto& one : info.getAllProcessorFeatures()) {
      found = found || (name.size() > 1 && name.substr(1) == one.Key);
      known.emplace_back(one.Key);
    }
    if (found && (name[0] == '+' || name[0] == '-')) continue;
    throw ir::refuse_as(refusals["unknown-target-attribute"], "`{}` in `mattr` is no feature of {}", name,
                        info.getTargetTriple().getArchName().str())
        .help(
            "features are written `+name` or `-name`" +
            ir::did_you_mean(name.starts_with('+') || name.starts_with('-') ? name.substr(1) : name, known));
  }
}

unsigned fast_math_of(const ir::Target& target) {
  unsigned flags = 0;
  auto add = [&](std::string_view key, unsigned bits) {
    if (ir::target_attr<bool>(target, key, false)) flags |= bits;
  };
  add("fast-math", 127U);
  add("fast-math-nnan", Machine::kNoNans);
  add("fast-math-ninf", Machine::kNoInfs);
  add("fast-math-nsz", Machine::kNoSignedZeros);
  add("fast-math-arcp", Machine::kReciprocal);
  add("fast-math-contract", Machine::kContract);
  add("fast-math-reassoc", Machine::kReassociate);
  return flags;
}

bool converts_half(const llvm::Triple& triple, const llvm::MCSubtargetInfo& info) {
  if (triple.isX86()) return info.checkFeatures("+f16c");
  if (triple.isAArch64()) return true;
  if (triple.isRISCV()) return info.checkFeatures("+zfhmin");
  return false;
}

bool has_scalable_vectors(const llvm::Triple& triple, const llvm::MCSubtargetInfo& info) {
  if (triple.isAArch64()) return info.checkFeatures("+sve");
  if (triple.isRISCV()) return info.checkFeatures("+v");
  return false;
}

}  // namespace

std::unique_ptr<Machine> new_machine(const ir::Target& target) {
  std::string_view kind(target->kind.data(), target->kind.size());
  if (kind != "llvm") {
    throw ir::refuse(refusals["unsupported-target"], kind);
  }
  std::string triple_text = text(target, "mtriple");
  std::string cpu = text(target, "mcpu");
  llvm::Triple host(host_triple());
  llvm::Triple triple(triple_text.empty() ? host_triple() : llvm::Triple::normalize(triple_text));
  bool host_like = triple.getArch() == host.getArch() && triple.getOS() == host.getOS();

  std::string features;
  if (cpu == "native" || (cpu.empty() && triple_text.empty())) {
    if (!host_like) {
      throw ir::refuse_as(refusals["unknown-target"],
                          "`mcpu` is `native`, but the target {} is not this machine", triple.str());
    }
    cpu = host_cpu();
    features = host_features();
  }
  for (const auto& feature : ir::target_attr<ir::Array<ir::String>>(target, "mattr", {})) {
    if (!features.empty()) features += ',';
    features += std::string_view(feature.data(), feature.size());
  }

  std::string problem;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(triple.str(), problem);
  if (found == nullptr) {
    throw ir::refuse_as(refusals["unknown-target"], "there is no code generator for the triple `{}`",
                        triple.str())
        .help("architectures: x86_64, aarch64, arm, riscv64, wasm32");
  }
  std::unique_ptr<llvm::MCSubtargetInfo> plain(found->createMCSubtargetInfo(triple.str(), "", ""));
  check_features(*plain, target, cpu);
  std::unique_ptr<llvm::MCSubtargetInfo> info(found->createMCSubtargetInfo(triple.str(), cpu, features));
  // ARMv7-A has NEON unless the target excludes it; Debian's LLVM takes it away, for its oldest machines.
  if (triple.isARM() && info->checkFeatures("+armv7-a") && features.find("neon") == std::string::npos) {
    features = features.empty() ? "+neon" : "+neon," + features;
    info.reset(found->createMCSubtargetInfo(triple.str(), cpu, features));
  }

  auto made = std::make_unique<Machine>();
  made->opt_level = static_cast<int>(ir::target_attr<int64_t>(target, "opt-level", 3));
  if (made->opt_level < 0 || made->opt_level > 3) {
    throw ir::refuse_as(refusals["unknown-target-attribute"], "`opt-level` is {}, expected 0 to 3",
                        made->opt_level);
  }
  made->cores = ir::target_attr<int64_t>(target, "num-cores", 0);
  if (target->attrs.count("num-cores") != 0 && (made->cores < 1 || made->cores > INT32_MAX)) {
    throw ir::refuse_as(refusals["unknown-target-attribute"], "`num-cores` is {}, expected 1 or more",
                        made->cores);
  }
  made->is_named =
      !(text(target, "mcpu") == "native" || (text(target, "mcpu").empty() && triple_text.empty()));
  made->fast_math = fast_math_of(target);
  made->is_host = host_like;
  made->has_half = converts_half(triple, *info);
  made->scales_by_powers = triple.isX86() && info->checkFeatures("+avx512f,+avx512vl");
  made->has_scalable = has_scalable_vectors(triple, *info);
  // x86 has such an instruction too, but it takes subnormal numbers for 0; of scalable vectors LLVM 19 cannot
  // select it.
  made->rounds_bfloat = triple.isAArch64() && info->checkFeatures("+bf16") && !made->has_scalable;
  // Vectors of 512 bits in a program use the machine's: a product's tile fills the 32
  // registers of them. LLVM's own loops take 256: their tails are shorter, and older cores slow down for a
  // few wide ones.
  constexpr int64_t kX86Width = 256;
  constexpr int64_t kWidest = 512;
  made->vector_bits =
      static_cast<unsigned>(ir::target_attr<int64_t>(target, "vector-width", triple.isX86() ? kX86Width : 0));
  bool is_given = target->attrs.count("vector-width") != 0;
  made->legal_bits = !is_given && triple.isX86() && info->checkFeatures("+avx512f")
                         ? static_cast<unsigned>(kWidest)
                         : made->vector_bits;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;  // as the instructions say: accumulations.h
  options.MCOptions.ABIName = text(target, "mabi");
  if (std::string floats = text(target, "mfloat-abi"); floats == "soft")
    options.FloatABIType = llvm::FloatABI::Soft;
  else if (floats == "hard")
    options.FloatABIType = llvm::FloatABI::Hard;
  constexpr llvm::CodeGenOptLevel levels[] = {llvm::CodeGenOptLevel::None, llvm::CodeGenOptLevel::Less,
                                              llvm::CodeGenOptLevel::Default,
                                              llvm::CodeGenOptLevel::Aggressive};
  made->machine.reset(found->createTargetMachine(triple.str(), cpu, features, options, llvm::Reloc::PIC_,
                                                 std::nullopt, levels[made->opt_level]));
  MLC_CHECK(made->machine, "no target machine for {}", triple.str());
  return made;
}

std::string host_triple() {
  start_llvm();
  return llvm::sys::getProcessTriple();
}

std::string host_cpu() {
  start_llvm();
  return llvm::sys::getHostCPUName().str();
}

const Machine& machine_for(const ir::Target& target) {
  start_llvm();
  static std::mutex lock;
  static std::map<std::string, std::unique_ptr<Machine>> made;
  std::lock_guard hold(lock);
  std::unique_ptr<Machine>& machine = made[ir::target_text(target)];
  if (!machine) machine = new_machine(target);
  return *machine;
}

}  // namespace mlc::llvm_backend
