// SPDX-License-Identifier: Apache-2.0
// The kinds of targets, with TVM's attributes, keys and defaults.
#include <algorithm>
#include <ranges>
#include <unordered_map>

#include "ir/core/split_words.h"
#include "ir/target/tables.h"

namespace mlc::ir {
namespace {

// The attributes of each kind, of all kinds first, in TVM's order; a text where no other type is said.
constexpr std::pair<std::string_view, std::string_view> attrs_of_kinds[] = {
    {"*", "device model libs:strings from_device:int target_device_type:int"},
    {"llvm",
     "mattr:strings mcpu mtriple mfloat-abi mabi num-cores:int fast-math:bool fast-math-nnan:bool "
     "fast-math-ninf:bool fast-math-nsz:bool fast-math-arcp:bool fast-math-contract:bool "
     "fast-math-reassoc:bool opt-level:int cl-opt:strings jit vector-width:int"},
    {"c", "mcpu march workspace-byte-alignment:int constants-byte-alignment:int"},
    {"cuda",
     "mcpu arch max_shared_memory_per_block:int max_threads_per_block:int thread_warp_size:int "
     "registers_per_block:int l2_cache_size_bytes:int max_num_threads:int"},
    {"nvptx", "mcpu mtriple max_num_threads:int thread_warp_size:int"},
    {"rocm",
     "mcpu mtriple mattr:strings max_num_threads:int max_threads_per_block:int "
     "max_shared_memory_per_block:int thread_warp_size:int"},
    {"opencl",
     "max_threads_per_block:int max_shared_memory_per_block:int max_num_threads:int thread_warp_size:int "
     "texture_spatial_limit:int texture_depth_limit:int max_function_args:int "
     "image_base_address_alignment:int"},
    {"metal",
     "max_num_threads:int max_threads_per_block:int max_shared_memory_per_block:int thread_warp_size:int "
     "max_function_args:int"},
    {"vulkan",
     "mattr:strings supports_float16:bool supports_float32:bool supports_float64:bool supports_int8:bool "
     "supports_int16:bool supports_int32:bool supports_int64:bool supports_8bit_buffer:bool "
     "supports_16bit_buffer:bool supports_storage_buffer_storage_class:bool supports_push_descriptor:bool "
     "supports_dedicated_allocation:bool supports_integer_dot_product:bool "
     "supports_cooperative_matrix:bool supported_subgroup_operations:int max_num_threads:int "
     "max_threads_per_block:int thread_warp_size:int max_block_size_x:int max_block_size_y:int "
     "max_block_size_z:int max_push_constants_size:int max_uniform_buffer_range:int "
     "max_storage_buffer_range:int max_per_stage_descriptor_storage_buffer:int "
     "max_shared_memory_per_block:int device_type device_name driver_name driver_version:int "
     "vulkan_api_version:int max_spirv_version:int"},
    {"webgpu",
     "max_num_threads:int max_shared_memory_per_block:int supports_subgroups:bool thread_warp_size:int"},
    {"hexagon", "mattr:strings mcpu mtriple llvm-options:strings num-cores:int vtcm-capacity:int"},
    {"composite", "devices:targets"},
    {"trn",
     "partition_size:int max_sbuf_size_per_partition:int max_psum_size_per_partition:int num-cores:int"},
};

const TargetKindRow kind_rows[] = {
    {"llvm", kDLCPU, {"cpu"}},
    {"c", kDLCPU, {"cpu"}},
    {"cuda", kDLCUDA, {"cuda", "gpu"}, R"({"arch":"sm_50","max_num_threads":1024,"thread_warp_size":32})"},
    {"nvptx",
     kDLCUDA,
     {"cuda", "gpu"},
     R"({"mcpu":"sm_50","mtriple":"nvptx64-nvidia-cuda","thread_warp_size":32,"max_num_threads":1024})"},
    {"opencl",
     kDLOpenCL,
     {"opencl", "gpu"},
     R"({"image_base_address_alignment":64,"max_function_args":128,"texture_depth_limit":2048,"texture_spatial_limit":16384,"thread_warp_size":1,"max_num_threads":256,"max_shared_memory_per_block":16384,"max_threads_per_block":256})"},
    {"rocm",
     kDLROCM,
     {"rocm", "gpu"},
     R"({"mcpu":"gfx900","mtriple":"amdgcn-amd-amdhsa-hcc","thread_warp_size":64,"max_shared_memory_per_block":65536,"max_threads_per_block":256,"max_num_threads":256})"},
    {"metal",
     kDLMetal,
     {"metal", "gpu"},
     R"({"max_function_args":31,"thread_warp_size":16,"max_shared_memory_per_block":32768,"max_threads_per_block":256,"max_num_threads":256})"},
    {"vulkan",
     kDLVulkan,
     {"vulkan", "gpu"},
     R"({"thread_warp_size":1,"max_threads_per_block":256,"max_num_threads":256,"supports_int32":true,"supports_float32":true})"},
    {"webgpu",
     kDLWebGPU,
     {"webgpu", "gpu"},
     R"({"thread_warp_size":1,"supports_subgroups":false,"max_shared_memory_per_block":32768,"max_num_threads":256})"},
    {"hexagon", kDLHexagon, {"hexagon", "cpu"}},
    {"cuda_host", kDLCPU, {"cpu"}},
    {"trn", kDLTrn, {}},
    {"ext_dev", kDLExtDev, {}},
    {"composite", kDLCPU, {}},
    {"test", kDLCPU, {}, R"({"feature.is_test":true})"},
};

}  // namespace

std::vector<std::pair<std::string_view, AttrType>> target_options(std::string_view kind) {
  std::vector<std::pair<std::string_view, AttrType>> options{
      {"kind", AttrType::kString}, {"keys", AttrType::kStrings}, {"tag", AttrType::kString}};
  static constexpr std::pair<std::string_view, AttrType> types[] = {{"int", AttrType::kInt},
                                                                    {"bool", AttrType::kBool},
                                                                    {"strings", AttrType::kStrings},
                                                                    {"targets", AttrType::kTargets}};
  for (std::string_view owner : {std::string_view("*"), kind}) {
    auto attrs = std::ranges::find(attrs_of_kinds, owner, [](const auto& row) { return row.first; });
    if (attrs == std::end(attrs_of_kinds)) continue;
    for (auto part : std::views::split(attrs->second, ' ')) {
      std::string_view word(part.begin(), part.end());
      size_t colon = std::min(word.find(':'), word.size());
      AttrType type = AttrType::kString;
      for (const auto& [name, one] : types)
        if (word.substr(colon).ends_with(name)) type = one;
      options.emplace_back(word.substr(0, colon), type);
      if (word.starts_with("libs:")) options.emplace_back("host", AttrType::kTarget);
    }
  }
  return options;
}

// TVM puts the options of a kind, in their order, into a hash table of strings, then what it found out of the
// processor, and shows the table from its front. The same table, filled in the same order, gives the same.
Map<String, Any> in_shown_order(std::string_view kind, const Map<String, Any>& given,
                                const Map<String, Any>& all) {
  // Found out, not defaults.
  static constexpr std::string_view found =
      "mtriple mcpu arch feature.has_dsp feature.has_mve feature.is_aarch64 feature.has_asimd feature.has_sve "
      "feature.has_dotprod feature.has_matmul_i8 feature.has_fp16_simd feature.has_sme";
  std::unordered_map<String, Any> table;
  auto put = [&table](const String& name, const Map<String, Any>& from) {
    if (auto entry = from.find(name); entry != from.end()) table.emplace(name, (*entry).second);
  };
  for (const auto& [option, type] : target_options(kind)) {
    String name{std::string(option)};
    put(name, has_word(found, option) ? given : all);
  }
  each_word(found, [&](std::string_view name) { put(String(std::string(name)), all); });
  for (const auto& [name, value] : all) table.emplace(name, value);
  Map<String, Any> shown;
  for (const auto& [name, value] : table) shown.Set(name, value);
  return shown;
}

std::span<const TargetKindRow> target_kind_rows() { return kind_rows; }

}  // namespace mlc::ir
