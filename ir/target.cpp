// SPDX-License-Identifier: Apache-2.0
#include "ir/target.h"

#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/extra/json.h>

#include <algorithm>
#include <cctype>

namespace mlc::ir {
namespace {

enum class AttrType : uint8_t { kString, kInt, kBool, kStrings, kAny };

struct AttrRow {
  std::string_view kind;  // "*": any kind
  std::string_view name;
  AttrType type;
};
constexpr AttrRow attr_rows[] = {
    {"*", "model", AttrType::kString},
    {"*", "device", AttrType::kString},
    {"*", "libs", AttrType::kStrings},
    {"*", "from_device", AttrType::kInt},
    {"*", "target_device_type", AttrType::kInt},
    {"*", "max_num_threads", AttrType::kInt},
    {"*", "thread_warp_size", AttrType::kInt},
    {"llvm", "mtriple", AttrType::kString},
    {"llvm", "mcpu", AttrType::kString},
    {"llvm", "mattr", AttrType::kStrings},
    {"llvm", "mabi", AttrType::kString},
    {"llvm", "mfloat-abi", AttrType::kString},
    {"llvm", "num-cores", AttrType::kInt},
    {"llvm", "opt-level", AttrType::kInt},
    {"llvm", "vector-width", AttrType::kInt},
    {"llvm", "jit", AttrType::kString},
    {"llvm", "cl-opt", AttrType::kStrings},
    {"llvm", "fast-math", AttrType::kBool},
    {"llvm", "fast-math-nnan", AttrType::kBool},
    {"llvm", "fast-math-ninf", AttrType::kBool},
    {"llvm", "fast-math-nsz", AttrType::kBool},
    {"llvm", "fast-math-arcp", AttrType::kBool},
    {"llvm", "fast-math-contract", AttrType::kBool},
    {"llvm", "fast-math-reassoc", AttrType::kBool},
    {"c", "mcpu", AttrType::kString},
    {"c", "march", AttrType::kString},
    {"c", "num-cores", AttrType::kInt},
    {"c", "workspace-byte-alignment", AttrType::kInt},
    {"c", "constants-byte-alignment", AttrType::kInt},
    {"cuda", "mcpu", AttrType::kString},
    {"cuda", "arch", AttrType::kString},
    {"cuda", "max_threads_per_block", AttrType::kInt},
    {"cuda", "max_shared_memory_per_block", AttrType::kInt},
    {"cuda", "registers_per_block", AttrType::kInt},
    {"cuda", "l2_cache_size_bytes", AttrType::kInt},
    {"nvptx", "mcpu", AttrType::kString},
    {"nvptx", "mtriple", AttrType::kString},
    {"rocm", "mcpu", AttrType::kString},
    {"rocm", "mtriple", AttrType::kString},
    {"rocm", "mattr", AttrType::kStrings},
    {"rocm", "max_threads_per_block", AttrType::kInt},
    {"rocm", "max_shared_memory_per_block", AttrType::kInt},
    {"opencl", "max_threads_per_block", AttrType::kInt},
    {"opencl", "max_shared_memory_per_block", AttrType::kInt},
    {"opencl", "max_local_memory_per_block", AttrType::kInt},
    {"opencl", "texture_spatial_limit", AttrType::kInt},
    {"opencl", "texture_depth_limit", AttrType::kInt},
    {"opencl", "max_function_args", AttrType::kInt},
    {"opencl", "image_base_address_alignment", AttrType::kInt},
    {"metal", "max_threads_per_block", AttrType::kInt},
    {"metal", "max_shared_memory_per_block", AttrType::kInt},
    {"metal", "max_function_args", AttrType::kInt},
    {"webgpu", "max_shared_memory_per_block", AttrType::kInt},
    {"webgpu", "supports_subgroups", AttrType::kBool},
    {"hexagon", "mtriple", AttrType::kString},
    {"hexagon", "mcpu", AttrType::kString},
    {"hexagon", "mattr", AttrType::kStrings},
    {"hexagon", "llvm-options", AttrType::kStrings},
    {"hexagon", "num-cores", AttrType::kInt},
    {"hexagon", "vtcm-capacity", AttrType::kInt},
    {"trn", "partition_size", AttrType::kInt},
    {"trn", "max_sbuf_size_per_partition", AttrType::kInt},
    {"trn", "max_psum_size_per_partition", AttrType::kInt},
    {"trn", "num-cores", AttrType::kInt},
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
    {"vulkan", "max_threads_per_block", AttrType::kInt},
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
};

struct KindRow {
  std::string_view name;
  std::initializer_list<std::string_view> keys;
  std::string_view defaults = "";  // what a specification leaves out, in JSON
};
const KindRow kind_rows[] = {
    {"llvm", {"cpu"}},
    {"c", {"cpu"}},
    {"cuda", {"cuda", "gpu"}},
    {"nvptx",
     {"cuda", "gpu"},
     R"({"mcpu":"sm_50","mtriple":"nvptx64-nvidia-cuda","thread_warp_size":32,"max_num_threads":1024})"},
    {"opencl", {"opencl", "gpu"}},
    {"rocm",
     {"rocm", "gpu"},
     R"({"mcpu":"gfx900","mtriple":"amdgcn-amd-amdhsa-hcc","thread_warp_size":64,"max_shared_memory_per_block":65536,"max_threads_per_block":256,"max_num_threads":256})"},
    {"metal",
     {"metal", "gpu"},
     R"({"max_function_args":31,"thread_warp_size":16,"max_shared_memory_per_block":32768,"max_threads_per_block":256,"max_num_threads":256})"},
    {"vulkan",
     {"vulkan", "gpu"},
     R"({"thread_warp_size":1,"max_threads_per_block":256,"max_num_threads":256,"supports_int32":true,"supports_float32":true})"},
    {"webgpu",
     {"webgpu", "gpu"},
     R"({"thread_warp_size":1,"supports_subgroups":false,"max_shared_memory_per_block":32768,"max_num_threads":256})"},
    {"hexagon", {"hexagon", "cpu"}},
    {"cuda_host", {"cpu"}},
    {"trn", {}},
    {"ext_dev", {}},
};

// A tag is a short name for a full specification.
struct TagRow {
  std::string_view name;
  std::string_view json;
};
constexpr TagRow tag_rows[] = {
    {"x86-64", R"({"kind":"llvm","mtriple":"x86_64-unknown-linux-gnu","mcpu":"x86-64"})"},
    {"x86-64-v2", R"({"kind":"llvm","mtriple":"x86_64-unknown-linux-gnu","mcpu":"x86-64-v2"})"},
    {"x86-64-v3", R"({"kind":"llvm","mtriple":"x86_64-unknown-linux-gnu","mcpu":"x86-64-v3"})"},
    {"x86-64-v4", R"({"kind":"llvm","mtriple":"x86_64-unknown-linux-gnu","mcpu":"x86-64-v4"})"},
    {"aarch64",
     R"({"kind":"llvm","keys":["arm_cpu","cpu"],"mtriple":"aarch64-linux-gnu","mattr":["+neon"]})"},
    {"apple-m1",
     R"({"kind":"llvm","keys":["arm_cpu","cpu"],"mtriple":"arm64-apple-macos","mcpu":"apple-m1"})"},
    {"cortex-a53",
     R"({"kind":"llvm","keys":["arm_cpu","cpu"],"mtriple":"aarch64-linux-gnu","mcpu":"cortex-a53","mattr":["+neon"]})"},
    {"cortex-a72",
     R"({"kind":"llvm","keys":["arm_cpu","cpu"],"mtriple":"aarch64-linux-gnu","mcpu":"cortex-a72","mattr":["+neon"]})"},
    {"cortex-a76",
     R"({"kind":"llvm","keys":["arm_cpu","cpu"],"mtriple":"aarch64-linux-gnu","mcpu":"cortex-a76","mattr":["+neon"]})"},
    {"neoverse-n1",
     R"({"kind":"llvm","keys":["arm_cpu","cpu"],"mtriple":"aarch64-linux-gnu","mcpu":"neoverse-n1"})"},
    {"raspberry-pi/4b-aarch64",
     R"({"kind":"llvm","keys":["arm_cpu","cpu"],"mtriple":"aarch64-linux-gnu","mcpu":"cortex-a72","mattr":["+neon"],"num-cores":4})"},
    {"riscv64",
     R"({"kind":"llvm","mtriple":"riscv64-unknown-linux-gnu","mattr":["+m","+a","+f","+d","+c"],"mabi":"lp64d"})"},
    {"riscv64-rvv",
     R"({"kind":"llvm","mtriple":"riscv64-unknown-linux-gnu","mattr":["+m","+a","+f","+d","+c","+v"],"mabi":"lp64d"})"},
    {"wasm32", R"({"kind":"llvm","mtriple":"wasm32-unknown-unknown","mattr":["+simd128"]})"},
    {"nvidia/tesla-p100",
     R"({"kind":"cuda","arch":"sm_60","max_threads_per_block":1024,"max_shared_memory_per_block":49152,"registers_per_block":65536,"thread_warp_size":32})"},
    {"nvidia/nvidia-a100",
     R"({"kind":"cuda","arch":"sm_80","max_threads_per_block":1024,"max_shared_memory_per_block":49152,"registers_per_block":65536,"thread_warp_size":32,"l2_cache_size_bytes":41943040})"},
    {"nvidia/nvidia-h100",
     R"({"kind":"cuda","arch":"sm_90","max_threads_per_block":1024,"max_shared_memory_per_block":49152,"registers_per_block":65536,"thread_warp_size":32,"l2_cache_size_bytes":52428800})"},
};

// Keys every specification may have beside its attributes.
constexpr std::string_view structural_keys[] = {"kind", "tag", "keys", "host"};

const KindRow& kind_row(std::string_view name) {
  for (const KindRow& row : kind_rows) {
    if (row.name == name) return row;
  }
  throw Error("unknown-target", "there is no target `{}`", name).help(did_you_mean(name, target_names()));
}

const AttrRow& attr_row(std::string_view kind, std::string_view name) {
  // What a pass found out about the processor ("feature.has_sve"): TVM keeps it beside the options.
  static constexpr AttrRow feature{"*", "feature.", AttrType::kAny};
  if (name.starts_with(feature.name)) return feature;
  std::vector<std::string> known;
  for (const AttrRow& row : attr_rows) {
    if (row.kind != "*" && row.kind != kind) continue;
    if (row.name == name) return row;
    known.emplace_back(row.name);
  }
  throw Error("unknown-target-attribute", "target kind `{}` has no attribute `{}`", kind, name)
      .help(closest(name, known).empty() ? fmt::format("it has {}", fmt::join(known, ", "))
                                         : did_you_mean(name, known));
}

std::string_view type_text(AttrType type) {
  switch (type) {
    case AttrType::kString:
      return "a string";
    case AttrType::kInt:
      return "an integer";
    case AttrType::kBool:
      return "a bool";
    case AttrType::kStrings:
      return "a list of strings";
    case AttrType::kAny:
      break;
  }
  return "";
}

std::optional<Array<String>> strings_of(const Any& value) {
  Array<String> result;
  auto take = [&result](const auto& items) {
    for (const Any& item : items) {
      auto text = item.try_cast<String>();
      if (!text) return false;
      result.push_back(*text);
    }
    return true;
  };
  if (auto list = value.as<ffi::List<Any>>()) return take(*list) ? std::optional(result) : std::nullopt;
  if (auto array = value.as<Array<Any>>()) return take(*array) ? std::optional(result) : std::nullopt;
  if (auto text = value.try_cast<String>()) {  // "+avx2,+fma"
    std::string_view rest(text->data(), text->size());
    while (!rest.empty()) {
      size_t comma = rest.find(',');
      if (comma != 0) result.push_back(String(std::string(rest.substr(0, comma))));
      rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    }
    return result;
  }
  return std::nullopt;
}

Any typed_value(std::string_view kind, std::string_view name, const Any& value) {
  const AttrRow& row = attr_row(kind, name);
  switch (row.type) {
    case AttrType::kString:
      if (auto text = value.try_cast<String>()) return *text;
      break;
    case AttrType::kInt:
      if (auto number = value.try_cast<int64_t>()) return *number;
      break;
    case AttrType::kBool:
      if (auto number = value.try_cast<int64_t>()) return *number != 0;
      break;
    case AttrType::kStrings:
      if (auto list = strings_of(value)) return *list;
      break;
    case AttrType::kAny:
      return value;
  }
  throw Error("wrong-type", "target attribute `{}` must be {}", name, type_text(row.type)).kind("TypeError");
}

template <class M>
std::vector<std::pair<std::string, Any>> entries_of(const M& map) {
  std::vector<std::pair<std::string, Any>> entries;
  for (const auto& [key, value] : map) {
    auto name = Any(key).template try_cast<String>();
    if (!name) throw Error("wrong-type", "the keys of a target are strings").kind("TypeError");
    entries.emplace_back(std::string(*name), value);
  }
  return entries;
}

std::vector<std::pair<std::string, Any>> json_object(std::string_view text) {
  String message;
  Any value = ffi::json::Parse(String(std::string(text)), &message);
  if (!message.empty()) {
    throw Error("unknown-target", "the target is not valid JSON: {}",
                std::string_view(message.data(), message.size()));
  }
  auto map = value.as<Map<Any, Any>>();
  if (!map) throw Error("unknown-target", "a target in JSON is an object");
  return entries_of(*map);
}

Target from_entries(const std::vector<std::pair<std::string, Any>>& entries) {
  std::string kind;
  Array<String> keys;
  Target host;
  for (const auto& [name, value] : entries) {
    if (name == "kind") {
      auto text = value.try_cast<String>();
      if (!text) throw Error("wrong-type", "target `kind` must be a string").kind("TypeError");
      kind = *text;
    } else if (name == "keys") {
      auto list = strings_of(value);
      if (!list) throw Error("wrong-type", "target `keys` must be a list of strings").kind("TypeError");
      keys = *list;
    } else if (name == "host") {
      host = parse_target(value);
    }
  }
  if (kind.empty()) {
    for (const auto& [name, value] : entries) {  // {"tag": "cortex-a72"} alone stands for the tag
      auto text = name == "tag" ? value.try_cast<String>() : std::nullopt;
      if (text && !text->empty() && entries.size() == 1) return parse_target(*text);
    }
    throw Error("unknown-target", "a target needs a `kind`")
        .help("{\"kind\": \"llvm\", \"mcpu\": \"x86-64-v3\"}");
  }
  const KindRow& row = kind_row(kind);
  if (keys.empty()) {
    for (std::string_view key : row.keys) keys.push_back(String(std::string(key)));
  }
  Map<String, Any> attrs;
  for (const auto& [name, value] : entries) {
    if (std::ranges::find(structural_keys, name) != std::end(structural_keys)) continue;
    attrs.Set(String(name), typed_value(kind, name, value));
  }
  if (!row.defaults.empty()) {
    for (const auto& [name, value] : json_object(row.defaults)) {
      if (!attrs.count(String(name))) attrs.Set(String(name), typed_value(kind, name, value));
    }
  }
  return make<TargetNode>(String(kind), attrs, keys, host);
}

Any word_value(AttrType type, std::string_view text) {
  if (type == AttrType::kInt || type == AttrType::kBool) {
    if (text == "true" || text == "True") return true;
    if (text == "false" || text == "False") return false;
    bool digits = !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c); });
    if (digits && text.size() < 19) return static_cast<int64_t>(std::stoll(std::string(text)));
  }
  return String(std::string(text));
}

// "llvm -mcpu=skylake -mattr=+avx2,+fma -num-cores 4"
Target from_command(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t at = 0; at < text.size();) {
    size_t begin = text.find_first_not_of(" \t", at);
    if (begin == std::string_view::npos) break;
    size_t end = std::min(text.find_first_of(" \t", begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    at = end;
  }
  if (words.empty()) throw Error("unknown-target", "the target is empty").help("`llvm` is this machine");
  std::string kind(kind_row(words[0]).name);
  std::vector<std::pair<std::string, Any>> entries{{"kind", String(kind)}};
  for (size_t i = 1; i < words.size(); ++i) {
    std::string_view word = words[i];
    if (word.size() < 2 || word[0] != '-') {
      throw Error("unknown-target", "`{}` in target `{}` is no option", word, text)
          .help("options are written -name=value");
    }
    word.remove_prefix(word.starts_with("--") ? 2 : 1);
    size_t equals = word.find('=');
    std::string_view name = word.substr(0, equals);
    if (name == "keys") {
      entries.emplace_back(
          "keys", String(std::string(equals == std::string_view::npos ? "" : word.substr(equals + 1))));
      continue;
    }
    AttrType type = attr_row(kind, name).type;
    if (equals != std::string_view::npos) {
      entries.emplace_back(name, word_value(type, word.substr(equals + 1)));
    } else if (type == AttrType::kBool) {
      entries.emplace_back(name, true);
    } else if (i + 1 < words.size()) {
      entries.emplace_back(name, word_value(type, words[++i]));
    } else {
      throw Error("unknown-target", "option `-{}` of target `{}` has no value", name, text);
    }
  }
  return from_entries(entries);
}

}  // namespace

Target parse_target(const Any& spec) {
  if (spec == nullptr)
    throw Error("wrong-type", "a target is a string, a dict or a Target, not None").kind("TypeError");
  if (auto target = spec.as<Target>()) return *target;
  if (auto dict = spec.as<ffi::Dict<Any, Any>>()) return from_entries(entries_of(*dict));
  if (auto map = spec.as<Map<Any, Any>>()) return from_entries(entries_of(*map));
  auto text = spec.try_cast<String>();
  if (!text) {
    throw Error("wrong-type", "a target is a string, a dict or a Target").kind("TypeError");
  }
  std::string_view view(text->data(), text->size());
  while (!view.empty() && std::isspace(static_cast<unsigned char>(view.front()))) view.remove_prefix(1);
  if (view.starts_with("{")) return from_entries(json_object(view));
  for (const TagRow& row : tag_rows) {
    if (row.name == view) return from_entries(json_object(row.json));
  }
  return from_command(view);
}

std::string target_text(const Target& target) {
  ffi::json::Object object;
  object.Set(String("kind"), target->kind);
  object.Set(String("tag"), String(""));
  object.Set(String("keys"), target->keys);
  std::vector<std::pair<std::string, Any>> attrs = entries_of(target->attrs);
  std::ranges::sort(attrs, {}, [](const auto& entry) { return entry.first; });
  for (const auto& [name, value] : attrs) object.Set(String(name), value);
  std::string text = ffi::json::Stringify(object);
  if (target->host) {
    text.pop_back();
    text += ",\"host\":" + target_text(target->host) + "}";
  }
  return text;
}

std::vector<std::string> target_names() {
  std::vector<std::string> names;
  for (const KindRow& row : kind_rows) names.emplace_back(row.name);
  for (const TagRow& row : tag_rows) names.emplace_back(row.name);
  return names;
}

}  // namespace mlc::ir
