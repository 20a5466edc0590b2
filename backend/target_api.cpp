// SPDX-License-Identifier: Apache-2.0
#include "backend/target_api.h"

#include "ir/api.h"

namespace mlc::backend {
namespace {

namespace ffi = tvm::ffi;
using ir::Any;
using ir::ApiKind;
using ir::ApiRow;
using ir::Array;
using ir::Error;
using ir::Map;
using ir::native;
using ir::String;
using ir::Target;

constexpr std::string_view kTarget = "mlc.target.Target";
constexpr std::string_view kTargetKind = "mlc.target.TargetKind";

// The backend of a target, as `target.kind` shows it.
struct TargetKindNode final : ffi::Object {
  String name;

  explicit TargetKindNode(String name) : name(std::move(name)) {}
  template <class F>
  static void fields(F& f) {
    f("name", &TargetKindNode::name);
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  MLC_NODE("mlc.target.TargetKind", TargetKindNode, ffi::Object);
};
using TargetKind = ir::Ref<TargetKindNode>;

// `with Target(...)` makes a target current; build and compile without a target use it.
std::vector<Target>& current_targets() {
  thread_local std::vector<Target> stack;
  return stack;
}

// DLPack's number of the device that code of this kind runs on.
int64_t device_type(const Target& target) {
  static constexpr std::pair<std::string_view, int64_t> rows[] = {
      {"llvm", kDLCPU},      {"c", kDLCPU},           {"cuda", kDLCUDA},     {"nvptx", kDLCUDA},
      {"rocm", kDLROCM},     {"opencl", kDLOpenCL},   {"metal", kDLMetal},   {"vulkan", kDLVulkan},
      {"webgpu", kDLWebGPU}, {"hexagon", kDLHexagon}, {"ext_dev", kDLExtDev}};
  std::string_view kind(target->kind.data(), target->kind.size());
  for (const auto& [name, type] : rows) {
    if (name == kind) return type;
  }
  throw Error("no-device-type", "targets of kind `{}` have no device type", kind);
}

// The target as a dict that Target() takes.
Map<String, Any> export_dict(const Target& target) {
  Map<String, Any> out{{"kind", target->kind}, {"tag", String("")}, {"keys", target->keys}};
  if (target->host) out.Set("host", export_dict(target->host));
  for (const auto& [name, value] : target->attrs) out.Set(name, value);
  return out;
}

const ApiRow rows[] = {
    {ApiKind::kClass, "tvm.target", "Target(target, host=None)",
     "What code is generated for: a kind, a tag, a JSON text or a dict.", native([](Any target, Any host) {
       Target made = ir::parse_target(target);
       if (host == nullptr) return made;
       return ir::with(made, [&](ir::TargetNode& n) { n.host = ir::parse_target(host); });
     }),
     kTarget, "tvm.target.target.Target"},
    {ApiKind::kMethod, kTarget, "__enter__()", "Makes this the target of builds that name none.",
     native([](Target target) {
       current_targets().push_back(target);
       return target;
     })},
    {ApiKind::kMethod, kTarget, "__exit__(kind=None, value=None, traceback=None)", "Ends what `with` began.",
     native([](Target, Any, Any, Any) { current_targets().pop_back(); })},
    {ApiKind::kMethod, kTarget, "__getitem__(key)", "An attribute.",
     native([](Target target, String key) -> Any {
       auto found = target->attrs.find(key);
       if (found == target->attrs.end())
         throw Error("missing-key", "the target has no attribute `{}`", std::string(key)).kind("KeyError");
       return (*found).second;
     })},
    {ApiKind::kProperty, kTarget, "kind", "The backend: its `name` is \"llvm\", \"cuda\", ...",
     native([](Target target) { return ir::make<TargetKindNode>(target->kind); })},
    {ApiKind::kProperty, kTarget, "tag", "The tag that the target was made of; none is kept.",
     native([](Target) { return String(""); })},
    {ApiKind::kMethod, kTarget, "export()", "The target as a dict that Target() takes.",
     native([](Target target) { return export_dict(target); })},
    {ApiKind::kMethod, kTarget, "get_target_device_type()", "DLPack's number of the device: 1 cpu, 2 cuda.",
     native([](Target target) { return device_type(target); })},
    {ApiKind::kMethod, kTarget, "with_host(host)", "The same target with another host.",
     native([](Target target, Any host) {
       return ir::with(target, [&](ir::TargetNode& n) { n.host = ir::parse_target(host); });
     })},
    {ApiKind::kFunction, "tvm.target.Target", "current(allow_none=True)",
     "The target that `with` made current, or None.", native([](bool allow_none) -> Any {
       if (!current_targets().empty()) return current_targets().back();
       if (allow_none) return nullptr;
       throw Error("no-current-target", "no target is current").help("use `with tvm.target.Target(...):`");
     })},
    {ApiKind::kFunction, "tvm.target.Target", "target_or_current(target)",
     "The target that is given, or else the current one.", native([](Any target) -> Any {
       if (target != nullptr) return target;
       if (!current_targets().empty()) return current_targets().back();
       throw Error("no-current-target", "target is not set in env or passed as argument")
           .kind("ValueError")
           .help("use `with tvm.target.Target(...):`");
     })},
    {ApiKind::kFunction, "tvm.target.Target", "from_device(device)",
     "The target of a device: that of the CPU.", native([](Any device) -> Any {
       auto given = device.try_cast<DLDevice>();
       auto name = device.try_cast<String>();
       if ((given && given->device_type == kDLCPU) ||
           (name && std::string_view(name->data(), name->size()).starts_with("cpu")))
         return ir::parse_target(String("llvm"));
       throw Error("unsupported-device", "only the CPU can say what code it runs").kind("ValueError");
     })},
    {ApiKind::kFunction, "tvm.target.Target", "list_kinds()", "The backends that have a name.",
     native([]() -> Any {
       ir::Array<Any> kinds;
       for (const std::string& name : ir::target_names()) {
         // the rest are tags
         if (std::string(ir::parse_target(String(name))->kind) == name) kinds.push_back(String(name));
       }
       return kinds;
     })},
    {ApiKind::kClass, "tvm.target", "TargetKind()", "The backend of a target.", native([]() -> Any {
       throw Error("not-constructible", "a TargetKind comes from `target.kind`").kind("TypeError");
     }),
     kTargetKind, "tvm.target.target.TargetKind"},
    {ApiKind::kMethod, kTargetKind, "__repr__()", "The name.",
     native([](TargetKind kind) { return kind->name; })},
    {ApiKind::kMethod, kTargetKind, "__str__()", "The name.",
     native([](TargetKind kind) { return kind->name; })},
};

}  // namespace

Target target_argument(const Any& given) {
  if (given != nullptr) return ir::parse_target(given);
  return current_targets().empty() ? ir::parse_target(String("llvm")) : current_targets().back();
}

void register_target_api() {
  ir::register_node<ir::TargetNode>();
  ir::register_node<TargetKindNode>();
  ir::ApiRegistry::global().add(rows);
}

}  // namespace mlc::backend
