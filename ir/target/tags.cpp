// SPDX-License-Identifier: Apache-2.0
// Tags: short names for full specifications of targets.
#include <fmt/format.h>

#include "ir/core/split_words.h"
#include "ir/registry/context.h"
#include "ir/target/tables.h"

namespace mlc::ir {
namespace {

// Tags of one specification: `names` are separated by blanks; what stands behind `=`, or else the name,
// takes the place of `$`.
struct TagRow {
  std::string_view names;
  std::string_view json;
};
// clang-format off
constexpr TagRow tag_rows[] = {
    {"x86-64 x86-64-v2 x86-64-v3 x86-64-v4",
     R"({"kind":"llvm","mtriple":"x86_64-unknown-linux-gnu","mcpu":"$"})"},
    {"aarch64",
     R"({"kind":"llvm","keys":["arm_cpu","cpu"],"mtriple":"aarch64-linux-gnu","mattr":["+neon"]})"},
    {"apple-m1",
     R"({"kind":"llvm","keys":["arm_cpu","cpu"],"mtriple":"arm64-apple-macos","mcpu":"apple-m1"})"},
    {"cortex-a53 cortex-a72 cortex-a76",
     R"({"kind":"llvm","keys":["arm_cpu","cpu"],"mtriple":"aarch64-linux-gnu","mcpu":"$","mattr":["+neon"]})"},
    {"neoverse-n1",
     R"({"kind":"llvm","keys":["arm_cpu","cpu"],"mtriple":"aarch64-linux-gnu","mcpu":"neoverse-n1"})"},
    {"riscv64",
     R"({"kind":"llvm","mtriple":"riscv64-unknown-linux-gnu","mattr":["+m","+a","+f","+d","+c"],"mabi":"lp64d"})"},
    {"riscv64-rvv",
     R"({"kind":"llvm","mtriple":"riscv64-unknown-linux-gnu","mattr":["+m","+a","+f","+d","+c","+v"],"mabi":"lp64d"})"},
    {"wasm32", R"({"kind":"llvm","mtriple":"wasm32-unknown-unknown","mattr":["+simd128"]})"},
    {"apple/m1-gpu=apple-m1 apple/m2-gpu=apple-m2",
     R"({"kind":"metal","host":{"kind":"llvm","keys":["arm_cpu","cpu"],"mtriple":"arm64-apple-macos","mcpu":"$"},"thread_warp_size":32,"max_threads_per_block":1024})"},
    {"apple/m1-gpu-restricted",
     R"({"kind":"metal","host":{"kind":"llvm","keys":["arm_cpu","cpu"],"mtriple":"arm64-apple-macos","mcpu":"apple-m1"},"thread_warp_size":32})"},
    {"arm/beagleai",
     R"({"kind":"llvm","keys":["arm_cpu","cpu"],"mcpu":"cortex-a15","mtriple":"armv7a-linux-gnueabihf","mattr":["+neon","+vfp4","+thumb2"],"model":"beagleai","device":"arm_cpu"})"},
    {"arm/stm32mp1",
     R"({"kind":"llvm","keys":["arm_cpu","cpu"],"mcpu":"cortex-a7","mtriple":"armv7a-linux-gnueabihf","mattr":["+neon","+vfp4","+thumb2"],"model":"stm32mp1","device":"arm_cpu"})"},
    {"arm/mate10=kirin970 arm/pixel2=snapdragon835",
     R"({"kind":"llvm","keys":["arm_cpu","cpu"],"mtriple":"arm64-linux-android","mattr":["+neon"],"model":"$","device":"arm_cpu"})"},
    {"arm/pynq",
     R"({"kind":"llvm","keys":["arm_cpu","cpu"],"mtriple":"armv7a-linux-eabi","mattr":["+neon"],"model":"pynq","device":"arm_cpu"})"},
    {"arm/rasp3b",
     R"({"kind":"llvm","keys":["arm_cpu","cpu"],"mtriple":"armv7l-linux-gnueabihf","mattr":["+neon"],"model":"bcm2837","device":"arm_cpu"})"},
    {"arm/rasp4b=armv8l-linux-gnueabihf arm/rasp4b64=aarch64-linux-gnu",
     R"({"kind":"llvm","keys":["arm_cpu","cpu"],"mcpu":"cortex-a72","mtriple":"$","mattr":["+neon"],"model":"bcm2711","device":"arm_cpu"})"},
    {"arm/rk3399=rk3399 arm/ultra96=ultra96",
     R"({"kind":"llvm","keys":["arm_cpu","cpu"],"mtriple":"aarch64-linux-gnu","mattr":["+neon"],"model":"$","device":"arm_cpu"})"},
    {"arm/thunderx",
     R"({"kind":"llvm","keys":["arm_cpu","cpu"],"mcpu":"thunderxt88","mtriple":"aarch64-linux-gnu","mattr":["+neon","+crc","+lse"],"model":"thunderx","device":"arm_cpu"})"},
    {"aws/cpu/c5.12xlarge=24 aws/cpu/c5.24xlarge=48",
     R"({"kind":"llvm","keys":["x86","cpu"],"num-cores":$,"mcpu":"cascadelake"})"},
    {"aws/cpu/c5.18xlarge=36 aws/cpu/c5.2xlarge=4 aws/cpu/c5.4xlarge=8 aws/cpu/c5.9xlarge=18 "
     "aws/cpu/c5.large=1 aws/cpu/c5.xlarge=2",
     R"({"kind":"llvm","keys":["x86","cpu"],"num-cores":$,"mcpu":"skylake-avx512"})"},
    {"aws/trn1/trn1.2xlarge=2 aws/trn1/trn1.32xlarge=32",
     R"({"kind":"trn","num-cores":$,"max_psum_size_per_partition":16384,"max_sbuf_size_per_partition":196608,"partition_size":128})"},
    {"nvidia/jetson-agx-orin-32gb=8 nvidia/jetson-agx-orin-64gb=12",
     R"({"kind":"cuda","host":{"kind":"llvm","keys":["arm_cpu","cpu"],"num-cores":$,"mtriple":"aarch64-linux-gnu","mcpu":"cortex-a78"},"registers_per_block":65536,"max_shared_memory_per_block":49152,"max_threads_per_block":1024,"arch":"sm_87"})"},
    {"nvidia/jetson-agx-thor",
     R"({"kind":"cuda","host":{"kind":"llvm","keys":["arm_cpu","cpu"],"num-cores":14,"mtriple":"aarch64-linux-gnu","mcpu":"neoverse-v3ae"},"registers_per_block":65536,"max_shared_memory_per_block":232448,"l2_cache_size_bytes":33554432,"max_threads_per_block":1024,"arch":"sm_110a"})"},
    {"nvidia/jetson-agx-xavier",
     R"({"kind":"cuda","host":{"kind":"llvm","keys":["arm_cpu","cpu"],"num-cores":8,"mtriple":"aarch64-linux-gnu","mcpu":"carmel"},"registers_per_block":65536,"max_shared_memory_per_block":49152,"max_threads_per_block":1024,"arch":"sm_72"})"},
    {"nvidia/jetson-orin-nano",
     R"({"kind":"cuda","host":{"kind":"llvm","keys":["arm_cpu","cpu"],"num-cores":6,"mtriple":"aarch64-linux-gnu","mcpu":"carmel"},"registers_per_block":65536,"max_shared_memory_per_block":49152,"max_threads_per_block":1024,"arch":"sm_87"})"},
    {"qcom/adreno-opencl", R"({"kind":"opencl","keys":["adreno","opencl","gpu"],"device":"adreno"})"},
    {"qcom/adreno-opencl-clml=clml qcom/adreno-opencl-texture=texture",
     R"({"kind":"opencl","keys":["adreno","opencl","gpu","$"],"device":"adreno"})"},
    {"qcom/adreno-vulkan", R"({"kind":"vulkan","keys":["adreno","vulkan","gpu"],"device":"adreno"})"},
    {"qcom/adreno-vulkan-texture",
     R"({"kind":"vulkan","keys":["adreno","vulkan","gpu","texture"],"device":"adreno"})"},
    {"qcom/hexagon-v65=v65 qcom/hexagon-v66=v66",
     R"({"kind":"hexagon","vtcm-capacity":262144,"num-cores":4,"mcpu":"hexagon$","mtriple":"hexagon","mattr":["+hvx$","+hvx-length128b"]})"},
    {"qcom/hexagon-v68",
     R"({"kind":"hexagon","vtcm-capacity":4194304,"num-cores":4,"llvm-options":["-force-hvx-float"],"mcpu":"hexagonv68","mtriple":"hexagon","mattr":["+hvxv68","+hvx-length128b","+hvx-qfloat","-hvx-ieee-fp"]})"},
    {"qcom/hexagon-v69=v69 qcom/hexagon-v73=v73 qcom/hexagon-v75=v75",
     R"({"kind":"hexagon","vtcm-capacity":8388608,"num-cores":4,"mcpu":"hexagon$","mtriple":"hexagon","mattr":["+hvx$","+hvx-length128b","+hvx-qfloat","-hvx-ieee-fp"]})"},
    {"raspberry-pi/4b-aarch64",
     R"({"kind":"llvm","keys":["arm_cpu","cpu"],"host":{"kind":"llvm","keys":["arm_cpu","cpu"],"num-cores":4,"mcpu":"cortex-a72","mtriple":"aarch64-linux-gnu","mattr":["+neon"]},"num-cores":4,"mcpu":"cortex-a72","mtriple":"aarch64-linux-gnu","mattr":["+neon"]})"},
    {"riscv/licheepi3a=spacemit-x60 riscv/spacemit-k3=spacemit-x100",
     R"({"kind":"llvm","keys":["riscv_cpu","cpu"],"num-cores":8,"mabi":"lp64d","mfloat-abi":"hard","mtriple":"riscv64-unknown-linux-gnu","mcpu":"$","device":"riscv_cpu"})"},
    {"riscv/sifive-e31=sifive-e31 riscv/sifive-e76=sifive-e76",
     R"({"kind":"llvm","keys":["riscv_cpu","cpu"],"mabi":"ilp32","mtriple":"riscv32-unknown-linux-gnu","mcpu":"$","model":"$","device":"riscv_cpu"})"},
    {"riscv/sifive-u54=sifive-u54 riscv/sifive-u74=sifive-u74",
     R"({"kind":"llvm","keys":["riscv_cpu","cpu"],"mabi":"lp64d","mtriple":"riscv64-unknown-linux-gnu","mcpu":"$","model":"$","device":"riscv_cpu"})"},
};
// clang-format on

// Graphics cards differ in little: `names` below `nvidia/`, those of one architecture in a row.
struct CardRow {
  std::string_view arch;
  int registers;    // per block
  int cache_bytes;  // of the second level; 0 where TVM has none
  std::string_view names;
};
// clang-format off
constexpr CardRow card_rows[] = {
    {"sm_20", 32768, 0,
     "geforce-gtx-465 geforce-gtx-470 geforce-gtx-480 geforce-gtx-480m geforce-gtx-570 geforce-gtx-580 "
     "geforce-gtx-590 quadro-plex-7000 tesla-c2050 tesla-c2070 tesla-c2075"},
    {"sm_21", 32768, 0,
     "geforce-410m geforce-610m geforce-705m geforce-710m geforce-800m geforce-820m geforce-gt-415m "
     "geforce-gt-420m geforce-gt-430 geforce-gt-435m geforce-gt-440 geforce-gt-445m geforce-gt-520 "
     "geforce-gt-520m geforce-gt-520mx geforce-gt-525m geforce-gt-540m geforce-gt-550m geforce-gt-555m "
     "geforce-gt-610 geforce-gt-620 geforce-gt-620m geforce-gt-625m geforce-gt-630 geforce-gt-630m "
     "geforce-gt-635m geforce-gt-640-gddr3 geforce-gt-720m geforce-gt-730-ddr3,128bit geforce-gts-450 "
     "geforce-gtx-460 geforce-gtx-460m geforce-gtx-470m geforce-gtx-485m geforce-gtx-550-ti "
     "geforce-gtx-560-ti geforce-gtx-560m geforce-gtx-570m geforce-gtx-580m geforce-gtx-670m "
     "geforce-gtx-675m nvidia-nvs-310 nvidia-nvs-315 nvs-4200m nvs-5200m nvs-5400m"},
    {"sm_30", 65536, 0,
     "geforce-gt-640m geforce-gt-640m-le geforce-gt-645m geforce-gt-650m geforce-gt-730m geforce-gt-735m "
     "geforce-gt-740 geforce-gt-740m geforce-gt-745m geforce-gt-750m geforce-gt-755m geforce-gtx-650 "
     "geforce-gtx-650-ti geforce-gtx-650-ti-boost geforce-gtx-660 geforce-gtx-660-ti geforce-gtx-660m "
     "geforce-gtx-670 geforce-gtx-670mx geforce-gtx-675mx geforce-gtx-680 geforce-gtx-680m "
     "geforce-gtx-680mx geforce-gtx-690 geforce-gtx-760 geforce-gtx-760m geforce-gtx-765m "
     "geforce-gtx-770 geforce-gtx-770m geforce-gtx-780m geforce-gtx-860m-sm-30 geforce-gtx-870m "
     "geforce-gtx-880m nvidia-nvs-510 quadro-410 quadro-k1100m quadro-k2000 quadro-k2000d quadro-k2100m "
     "quadro-k2200m quadro-k3100m quadro-k4000 quadro-k4100m quadro-k420 quadro-k4200 quadro-k4200m "
     "quadro-k5000 quadro-k500m quadro-k5100m quadro-k5200m quadro-k600 quadro-k6000m tesla-k10"},
    {"sm_35", 65536, 0,
     "geforce-920m geforce-gt-640-gddr5 geforce-gt-705 geforce-gt-720 geforce-gt-730 geforce-gtx-780 "
     "geforce-gtx-780-ti geforce-gtx-titan geforce-gtx-titan-black geforce-gtx-titan-z quadro-k510m "
     "quadro-k5200 quadro-k6000 quadro-k610m tesla-k20 tesla-k40"},
    {"sm_37", 65536, 0, "tesla-k80"},
    {"sm_50", 65536, 0,
     "geforce-830m geforce-840m geforce-930m geforce-940m geforce-gtx-750 geforce-gtx-750-ti "
     "geforce-gtx-850m geforce-gtx-860m-sm-50 geforce-gtx-950m geforce-gtx-960m nvidia-nvs-810 "
     "quadro-k1200 quadro-k2200 quadro-k620 quadro-k620m quadro-m1000m quadro-m1200 quadro-m2000m "
     "quadro-m3000m quadro-m4000m quadro-m5000m quadro-m500m quadro-m520 quadro-m600m"},
    {"sm_52", 65536, 0,
     "geforce-910m geforce-gtx-950 geforce-gtx-960 geforce-gtx-965m geforce-gtx-970 geforce-gtx-970m "
     "geforce-gtx-980 geforce-gtx-980-ti geforce-gtx-980m geforce-gtx-titan-x quadro-m2000 quadro-m2200 "
     "quadro-m4000 quadro-m5000 quadro-m5500m quadro-m6000 quadro-m6000-24gb quadro-m620 tesla-m40 "
     "tesla-m60"},
    {"sm_53", 32768, 0, "jetson-nano jetson-tx1 tegra-x1"},
    {"sm_60", 65536, 0, "quadro-gp100 tesla-p100"},
    {"sm_61", 65536, 0,
     "geforce-gtx-1050 geforce-gtx-1060 geforce-gtx-1070 geforce-gtx-1070-ti geforce-gtx-1080 "
     "geforce-gtx-1080-ti nvidia-titan-x nvidia-titan-xp p520 p620 quadro-p1000 quadro-p2000 "
     "quadro-p2200 quadro-p3000 quadro-p3200 quadro-p400 quadro-p4000 quadro-p4200 quadro-p500 "
     "quadro-p5000 quadro-p5200 quadro-p600 quadro-p6000 quadro-p620 tesla-p4 tesla-p40"},
    {"sm_62", 32768, 0, "jetson-tx2"},
    {"sm_70", 65536, 0, "nvidia-titan-v nvidia-v100 quadro-gv100"},
    {"sm_75", 65536, 0,
     "geforce-rtx-2060 geforce-rtx-2070 geforce-rtx-2080 geforce-rtx-2080-ti nvidia-t4 nvidia-titan-rtx "
     "quadro-rtx-4000 quadro-rtx-5000 quadro-rtx-6000 quadro-rtx-8000 rtx-3000 rtx-4000 rtx-5000 t1000 "
     "t2000"},
    {"sm_80", 65536, 0, "nvidia-a30"},
    {"sm_80", 65536, 41943040, "nvidia-a100"},
    {"sm_86", 65536, 0,
     "geforce-rtx-3060 geforce-rtx-3070 geforce-rtx-3070-ti geforce-rtx-3080 geforce-rtx-3080-ti "
     "geforce-rtx-3090 geforce-rtx-3090-ti nvidia-a10 nvidia-a10g nvidia-a16 nvidia-a2 nvidia-a40 "
     "rtx-a6000"},
    {"sm_89", 65536, 75497472, "geforce-rtx-4090"},
    {"sm_90a", 65536, 52428800, "nvidia-h100"},
    {"sm_100a", 65536, 52428800, "nvidia-b100"},
    {"sm_120", 65536, 33554432, "geforce-rtx-5060-ti"},
};
// clang-format on

template <class F>
void each_tag(F visit) {
  for (const TagRow& row : tag_rows) {
    each_word(row.names, [&](std::string_view word) {
      std::string_view name = word.substr(0, word.find('='));
      visit(name, name.size() == word.size() ? name : word.substr(name.size() + 1), row.json);
    });
  }
}

// Tags that programs register.
std::map<std::string, std::string, std::less<>>& own_tags() { return Context::current().target_tags; }

}  // namespace

void set_target_tag(std::string tag, std::string json) { own_tags()[std::move(tag)] = std::move(json); }

std::string target_of_tag(std::string_view tag) {
  if (auto found = own_tags().find(tag); found != own_tags().end()) return found->second;
  std::string found;
  each_tag([&](std::string_view name, std::string_view argument, std::string_view json) {
    if (name != tag) return;
    for (char c : json) c == '$' ? found += argument : found += c;
  });
  if (!found.empty()) return found;
  for (const CardRow& row : card_rows) {
    if (!tag.starts_with("nvidia/") || !has_word(row.names, tag.substr(7))) continue;
    std::string cache = row.cache_bytes ? fmt::format(",\"l2_cache_size_bytes\":{}", row.cache_bytes) : "";
    return fmt::format(
        "{{\"kind\":\"cuda\",\"arch\":\"{}\",\"max_threads_per_block\":1024,\"max_shared_memory_per_block\":"
        "49152,"
        "\"registers_per_block\":{},\"thread_warp_size\":32{}}}",
        row.arch, row.registers, cache);
  }
  return {};
}

std::vector<std::string> target_tags() {
  std::vector<std::string> names;
  for (const auto& [tag, json] : own_tags()) names.push_back(tag);
  each_tag([&](std::string_view name, std::string_view, std::string_view) { names.emplace_back(name); });
  for (const CardRow& row : card_rows)
    each_word(row.names, [&](std::string_view name) { names.push_back(fmt::format("nvidia/{}", name)); });
  return names;
}

}  // namespace mlc::ir
