// SPDX-License-Identifier: Apache-2.0
// What a target's specification implies of Arm processors: `feature.*` next to its options.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "ir/target/tables.h"
#include "ir/target/target.h"

namespace mlc::ir {
namespace {

ProcessorHas processor_has = nullptr;

// A copy: a String of few letters holds them itself.
std::string text_of(const Map<String, Any>& attrs, const char* name) {
  auto found = attrs.find(String(name));
  if (found == attrs.end()) return "";
  auto text = (*found).second.try_cast<String>();
  return text ? std::string(text->data(), text->size()) : "";
}

// Microcontrollers: "cortex-m55+nomve" is the processor without its vectors.
bool microcontroller(Map<String, Any>& attrs) {
  static constexpr std::array<std::string_view, 8> known = {"cortex-m0",  "cortex-m3",  "cortex-m4",
                                                            "cortex-m7",  "cortex-m33", "cortex-m35p",
                                                            "cortex-m55", "cortex-m85"};
  std::string mcpu = text_of(attrs, "mcpu");
  std::string_view base = std::string_view(mcpu).substr(0, mcpu.find('+'));
  if (std::ranges::find(known, base) == known.end()) return false;
  bool vectors = base == "cortex-m55" || base == "cortex-m85";
  bool dsp = vectors || (base != "cortex-m0" && base != "cortex-m3");
  bool no_dsp = mcpu.find("+nodsp") != std::string::npos;
  bool no_vectors = no_dsp || mcpu.find("+nomve") != std::string::npos;
  attrs.Set(String("feature.has_dsp"), dsp && !no_dsp);
  attrs.Set(String("feature.has_mve"), vectors && !no_vectors);
  return true;
}

}  // namespace

void ask_processors(ProcessorHas has) { processor_has = has; }

bool add_arm_features(std::string_view kind, Map<String, Any>& attrs) {
  if (kind != "llvm" && kind != "c") return false;
  if (microcontroller(attrs)) return true;
  std::string triple = text_of(attrs, "mtriple");
  if (kind != "llvm" || !(triple.starts_with("arm") || triple.starts_with("aarch64"))) return false;
  static constexpr std::array<std::pair<const char*, std::string_view>, 6> features = {{
      {"feature.has_asimd", "neon"},
      {"feature.has_dotprod", "dotprod"},
      {"feature.has_fp16_simd", "fullfp16"},
      {"feature.has_matmul_i8", "i8mm"},
      {"feature.has_sme", "sme"},
      {"feature.has_sve", "sve"},
  }};
  Target asked = make<TargetNode>(String(std::string(kind)), attrs, Array<String>());
  for (const auto& [name, feature] : features)
    attrs.Set(String(name), processor_has != nullptr && processor_has(asked, feature));
  attrs.Set(String("feature.is_aarch64"), triple.starts_with("aarch64"));
  return true;
}

}  // namespace mlc::ir
