// SPDX-License-Identifier: Apache-2.0
// The kinds of targets, with TVM's attributes, keys and defaults.
#include <algorithm>
#include <unordered_map>

#include "ir/target/tables.h"

namespace mlc::ir {
namespace {

constexpr TargetAttrRow attr_rows[] = {
    {"*", "device", AttrType::kString},
    {"*", "model", AttrType::kString},
    {"*", "libs", AttrType::kStrings},
    {"*", "from_device", AttrType::kInt},
    {"*", "target_device_type", AttrType::kInt},
    {"llvm", "mattr", AttrType::kStrings},
    {"llvm", "mcpu", AttrType::kString},
    {"llvm", "mtriple", AttrType::kString},
    {"llvm", "mfloat-abi", AttrType::kString},
    {"llvm", "mabi", AttrType::kString},
    {"llvm", "num-cores", AttrType::kInt},
    {"llvm", "fast-math", AttrType::kBool},
    {"llvm", "fast-math-nnan", AttrType::kBool},
    {"llvm", "fast-math-ninf", AttrType::kBool},
    {"llvm", "fast-math-nsz", AttrType::kBool},
    {"llvm", "fast-math-arcp", AttrType::kBool},
    {"llvm", "fast-math-contract", AttrType::kBool},
    {"llvm", "fast-math-reassoc", AttrType::kBool},
    {"llvm", "opt-level", AttrType::kInt},
    {"llvm", "cl-opt", AttrType::kStrings},
    {"llvm", "jit", AttrType::kString},
    {"llvm", "vector-width", AttrType::kInt},
    {"c", "mcpu", AttrType::kString},
    {"c", "march", AttrType::kString},
    {"c", "workspace-byte-alignment", AttrType::kInt},
    {"c", "constants-byte-alignment", AttrType::kInt},
    {"cuda", "mcpu", AttrType::kString},
    {"cuda", "arch", AttrType::kString},
    {"cuda", "max_shared_memory_per_block", AttrType::kInt},
    {"cuda", "max_threads_per_block", AttrType::kInt},
    {"cuda", "thread_warp_size", AttrType::kInt},
    {"cuda", "registers_per_block", AttrType::kInt},
    {"cuda", "l2_cache_size_bytes", AttrType::kInt},
    {"cuda", "max_num_threads", AttrType::kInt},
    {"nvptx", "mcpu", AttrType::kString},
    {"nvptx", "mtriple", AttrType::kString},
    {"nvptx", "max_num_threads", AttrType::kInt},
    {"nvptx", "thread_warp_size", AttrType::kInt},
    {"rocm", "mcpu", AttrType::kString},
    {"rocm", "mtriple", AttrType::kString},
    {"rocm", "mattr", AttrType::kStrings},
    {"rocm", "max_num_threads", AttrType::kInt},
    {"rocm", "max_threads_per_block", AttrType::kInt},
    {"rocm", "max_shared_memory_per_block", AttrType::kInt},
    {"rocm", "thread_warp_size", AttrType::kInt},
    {"opencl", "max_threads_per_block", AttrType::kInt},
    {"opencl", "max_shared_memory_per_block", AttrType::kInt},
    {"opencl", "max_num_threads", AttrType::kInt},
    {"opencl", "thread_warp_size", AttrType::kInt},
    {"opencl", "texture_spatial_limit", AttrType::kInt},
    {"opencl", "texture_depth_limit", AttrType::kInt},
    {"opencl", "max_function_args", AttrType::kInt},
    {"opencl", "image_base_address_alignment", AttrType::kInt},
    {"metal", "max_num_threads", AttrType::kInt},
    {"metal", "max_threads_per_block", AttrType::kInt},
    {"metal", "max_shared_memory_per_block", AttrType::kInt},
    {"metal", "thread_warp_size", AttrType::kInt},
    {"metal", "max_function_args", AttrType::kInt},
    {"vulkan", "mattr", AttrType::kStrings},
    {"vulkan", "supports_float16", AttrType::kBool},
    {"vulkan", "supports_float32", AttrType::kBool},
    {"vulkan", "supports_float64", AttrType::kBool},
    {"vulkan", "supports_int8", AttrType::kBool},
    {"vulkan", "supports_int16", AttrType::kBool},
    {"vulkan", "supports_int32", AttrType::kBool},
    {"vulkan", "supports_int64", AttrType::kBool},
    {"vulkan", "supports_8bit_buffer", AttrType::kBool},
    {"vulkan", "supports_16bit_buffer", AttrType::kBool},
    {"vulkan", "supports_storage_buffer_storage_class", AttrType::kBool},
    {"vulkan", "supports_push_descriptor", AttrType::kBool},
    {"vulkan", "supports_dedicated_allocation", AttrType::kBool},
    {"vulkan", "supports_integer_dot_product", AttrType::kBool},
    {"vulkan", "supports_cooperative_matrix", AttrType::kBool},
    {"vulkan", "supported_subgroup_operations", AttrType::kInt},
    {"vulkan", "max_num_threads", AttrType::kInt},
    {"vulkan", "max_threads_per_block", AttrType::kInt},
    {"vulkan", "thread_warp_size", AttrType::kInt},
    {"vulkan", "max_block_size_x", AttrType::kInt},
    {"vulkan", "max_block_size_y", AttrType::kInt},
    {"vulkan", "max_block_size_z", AttrType::kInt},
    {"vulkan", "max_push_constants_size", AttrType::kInt},
    {"vulkan", "max_uniform_buffer_range", AttrType::kInt},
    {"vulkan", "max_storage_buffer_range", AttrType::kInt},
    {"vulkan", "max_per_stage_descriptor_storage_buffer", AttrType::kInt},
    {"vulkan", "max_shared_memory_per_block", AttrType::kInt},
    {"vulkan", "device_type", AttrType::kString},
    {"vulkan", "device_name", AttrType::kString},
    {"vulkan", "driver_name", AttrType::kString},
    {"vulkan", "driver_version", AttrType::kInt},
    {"vulkan", "vulkan_api_version", AttrType::kInt},
    {"vulkan", "max_spirv_version", AttrType::kInt},
    {"webgpu", "max_num_threads", AttrType::kInt},
    {"webgpu", "max_shared_memory_per_block", AttrType::kInt},
    {"webgpu", "supports_subgroups", AttrType::kBool},
    {"webgpu", "thread_warp_size", AttrType::kInt},
    {"hexagon", "mattr", AttrType::kStrings},
    {"hexagon", "mcpu", AttrType::kString},
    {"hexagon", "mtriple", AttrType::kString},
    {"hexagon", "llvm-options", AttrType::kStrings},
    {"hexagon", "num-cores", AttrType::kInt},
    {"hexagon", "vtcm-capacity", AttrType::kInt},
    {"composite", "devices", AttrType::kTargets},
    {"trn", "partition_size", AttrType::kInt},
    {"trn", "max_sbuf_size_per_partition", AttrType::kInt},
    {"trn", "max_psum_size_per_partition", AttrType::kInt},
    {"trn", "num-cores", AttrType::kInt},
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
  for (std::string_view owner : {std::string_view("*"), kind}) {
    for (const TargetAttrRow& row : attr_rows) {
      if (row.kind != owner) continue;
      options.emplace_back(row.name, row.type);
      if (row.name == "libs") options.emplace_back("host", AttrType::kTarget);
    }
  }
  return options;
}

// TVM puts the options of a kind, in their order, into a hash table of strings, then what it found out of the
// processor, and shows the table from its front. The same table, filled in the same order, gives the same.
Map<String, Any> in_shown_order(std::string_view kind, const Map<String, Any>& given,
                                const Map<String, Any>& all) {
  // Found out, not defaults.
  static constexpr std::string_view found[] = {"mtriple",
                                               "mcpu",
                                               "arch",
                                               "feature.has_dsp",
                                               "feature.has_mve",
                                               "feature.is_aarch64",
                                               "feature.has_asimd",
                                               "feature.has_sve",
                                               "feature.has_dotprod",
                                               "feature.has_matmul_i8",
                                               "feature.has_fp16_simd",
                                               "feature.has_sme"};
  std::unordered_map<String, Any> table;
  auto put = [&table](const String& name, const Map<String, Any>& from) {
    if (auto entry = from.find(name); entry != from.end()) table.emplace(name, (*entry).second);
  };
  for (const auto& [option, type] : target_options(kind)) {
    String name{std::string(option)};
    put(name, std::ranges::find(found, option) == std::end(found) ? all : given);
  }
  for (std::string_view name : found) put(String(std::string(name)), all);
  for (const auto& [name, value] : all) table.emplace(name, value);
  Map<String, Any> shown;
  for (const auto& [name, value] : table) shown.Set(name, value);
  return shown;
}

std::span<const TargetKindRow> target_kind_rows() { return kind_rows; }

}  // namespace mlc::ir
