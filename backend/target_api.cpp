// SPDX-License-Identifier: Apache-2.0
#include "backend/target_api.h"

#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>

#include "backend/backend.h"
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/core/register_node.h"
#include "ir/registry/api.h"
#include "ir/registry/context.h"
#include "ir/target/tables.h"

namespace mlc::backend {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "missing-key",
         .kind = "KeyError",
         .message = "the target has no attribute `{}`",
         .meaning = "A dict has no value under this key. `get` gives None instead, `in` asks.",
         .wrong = R"({"a": 1}["b"])",
         .right = R"({"a": 1}.get("b"))"},
        {.name = "no-current-target"},
        {.name = "tag-taken",
         .kind = "InternalError",
         .message = "the tag `{}` is taken",
         .help = "override=True replaces it"},
        {.name = "unsupported-device", .message = "only the CPU can say what code it runs"},
    }};
MLC_REFUSALS(backend_target_api, refusals);

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
constexpr std::string_view kFeatures = "mlc.target.TargetFeatures";

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
std::vector<Target>& current_targets() { return ir::Context::current().targets; }

// The attributes that targets of this kind may have, each with the name of its type.
ffi::Dict<Any, Any> options_of(std::string_view kind) {
  ir::target_kind_row(kind);
  ffi::Dict<Any, Any> out;
  for (const auto& [name, type] : ir::target_options(kind))
    out.Set(String(std::string(name)), String(std::string(ir::type_name_of(type))));
  return out;
}
Array<String> keys_of(std::string_view kind) {
  Array<String> keys;
  for (std::string_view key : ir::target_kind_row(kind).keys) keys.push_back(String(std::string(key)));
  return keys;
}

// What is known of the processor: `target.features.has_sve`.
struct TargetFeaturesNode final : ffi::Object {
  Target target;
  explicit TargetFeaturesNode(Target target) : target(std::move(target)) {}
  template <class F>
  static void fields(F& f) {
    f("target", &TargetFeaturesNode::target);
  }
  MLC_NODE("mlc.target.TargetFeatures", TargetFeaturesNode, ffi::Object);
};
using TargetFeatures = ir::Ref<TargetFeaturesNode>;

Map<String, Target> list_tags() {
  Map<String, Target> all;
  for (std::string_view tag : ir::target_tags()) {
    String name{std::string(tag)};
    if (!all.count(name)) all.Set(name, ir::parse_target(name));
  }
  return all;
}

// The target as a dict that Target() takes.
Map<String, Any> export_dict(const Target& target) {
  Map<String, Any> out{{"kind", target->kind}, {"tag", target->tag}, {"keys", target->keys}};
  if (target->host) out.Set("host", export_dict(target->host));
  for (const auto& [name, value] : target->attrs) out.Set(name, value);
  return out;
}

const ApiRow target_api_table[] = {
    {ApiKind::kClass, "tvm.target", "Target(target, host=None)",
     "What code is generated for: a kind, a tag, a JSON text or a dict.", native([](Any target, Any host) {
       if (target == nullptr)
         throw Error("wrong-type", "a target is a string, a dict or a Target, not None").kind("ValueError");
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
     native([](Target, Any, Any, Any) {
       if (current_targets().empty())
         throw ir::refuse_as(refusals["no-current-target"], "no target is current: there is nothing to end")
             .kind("InternalError");
       current_targets().pop_back();
     })},
    {ApiKind::kMethod, kTarget, "__getitem__(key)", "An attribute.",
     native([](Target target, String key) -> Any {
       auto found = target->attrs.find(key);
       if (found == target->attrs.end()) throw ir::refuse(refusals["missing-key"], std::string(key));
       return (*found).second;
     })},
    {ApiKind::kMethod, kTarget, "__getattr__(name)", "An attribute of the specification.",
     native([](Target target, String name) -> Any {
       auto found = target->attrs.find(name);
       if (found != target->attrs.end()) return (*found).second;
       throw Error("no-attribute", "'Target' object has no attribute '{}'", std::string(name))
           .kind("AttributeError");
     })},
    {ApiKind::kProperty, kTarget, "features", "What is known of the processor, by names such as `has_sve`.",
     native([](Target target) { return ir::make<TargetFeaturesNode>(target); })},
    {ApiKind::kClass, "tvm.target", "TargetFeatures(target)", "What is known of the processor, by name.",
     native([](Target target) { return ir::make<TargetFeaturesNode>(target); }), kFeatures,
     "tvm.target.target.TargetFeatures"},
    {ApiKind::kMethod, kFeatures, "__getattr__(name)", "The value, or None.",
     native([](TargetFeatures features, String name) -> Any {
       auto found = features->target->attrs.find(String("feature." + std::string(name)));
       return found == features->target->attrs.end() ? Any(nullptr) : (*found).second;
     })},
    {ApiKind::kFunction, "tvm.target.Target", "list_kinds()", "The names of all kinds of targets.",
     native([] {
       ffi::List<Any> names;
       for (const ir::TargetKindRow& row : ir::target_kind_rows())
         names.push_back(String(std::string(row.name)));
       return names;
     })},
    {ApiKind::kFunction, "tvm.target", "list_tags()", "The targets that have a tag, by tag.",
     native([] { return list_tags(); })},
    {ApiKind::kFunction, "tvm.target", "register_tag(name, config, override=False)", "Gives a target a tag.",
     native([](String name, Any config, bool override) {
       std::string taken = ir::target_of_tag(std::string_view(name.data(), name.size()));
       if (!override && !taken.empty()) {
         throw ir::refuse(refusals["tag-taken"], std::string(name));
       }
       Target made = ir::parse_target(config);
       ir::set_target_tag(name, ir::target_text(made));
       return made;
     })},
    {ApiKind::kProperty, kTargetKind, "options",
     "The attributes that targets of this kind may have, with their types.",
     native([](TargetKind kind) { return options_of(std::string(kind->name)); })},
    {ApiKind::kProperty, kTargetKind, "default_keys", "The keys of a target that says none.",
     native([](TargetKind kind) { return keys_of(std::string(kind->name)); })},
    {ApiKind::kProperty, kTargetKind, "default_device_type", "DLPack's number of the device.",
     native([](TargetKind kind) {
       return static_cast<int64_t>(ir::target_kind_row(std::string(kind->name)).device);
     })},
    {ApiKind::kFunction, "tvm.target.TargetKind", "options_from_name(kind_name)",
     "The attributes that targets of this kind may have, with their types.",
     native([](std::string kind) { return options_of(kind); })},
    {ApiKind::kProperty, kTarget, "kind", "The kind: its `name` is \"llvm\", \"c\", \"cuda\", ...",
     native([](Target target) { return ir::make<TargetKindNode>(target->kind); })},
    {ApiKind::kProperty, kTarget, "tag", "The tag that the specification names.",
     native([](Target target) { return target->tag; })},
    {ApiKind::kMethod, kTarget, "export()", "The target as a dict that Target() takes.",
     native([](Target target) { return export_dict(target); })},
    {ApiKind::kMethod, kTarget, "get_target_device_type()", "DLPack's number of the device: 1 cpu, 2 cuda.",
     native([](Target target) {
       return static_cast<int64_t>(ir::target_kind_row(std::string(target->kind)).device);
     })},
    {ApiKind::kMethod, kTarget, "with_host(host)", "The same target with another host.",
     native([](Target target, Any host) {
       return ir::with(target, [&](ir::TargetNode& n) { n.host = ir::parse_target(host); });
     })},
    {ApiKind::kFunction, "tvm.target.Target", "current(allow_none=True)",
     "The target that `with` made current, or None.", native([](bool allow_none) -> Any {
       if (allow_none && current_targets().empty()) return nullptr;
       return current_target();
     })},
    {ApiKind::kFunction, "tvm.target.Target", "target_or_current(target)",
     "The target that is given, or else the current one.", native([](Any target) -> Any {
       if (target != nullptr) return target;
       if (!current_targets().empty()) return current_targets().back();
       throw ir::refuse_as(refusals["no-current-target"], "no target is the current one, and none is given")
           .help("use `with tvm.target.Target(...):`");
     })},
    {ApiKind::kFunction, "tvm.target.Target", "from_device(device)",
     "The target of a device: that of the CPU.", native([](Any device) -> Any {
       auto given = device.try_cast<DLDevice>();
       auto name = device.try_cast<String>();
       if ((given && given->device_type == kDLCPU) ||
           (name && std::string_view(name->data(), name->size()).starts_with("cpu")))
         return ir::parse_target(String(default_target_kind()));
       throw ir::refuse(refusals["unsupported-device"]);
     })},
    {ApiKind::kClass, "tvm.target", "TargetKind()", "The backend of a target.", native([]() -> Any {
       throw Error("not-constructible", "a TargetKind comes from `target.kind`").kind("TypeError");
     }),
     kTargetKind, "tvm.target.target.TargetKind"},
    {ApiKind::kMethod, kTargetKind, "__eq__(other)", "Is it the same kind?",
     native([](TargetKind kind, Any other) {
       auto* second = other.as<TargetKindNode>();
       return second != nullptr && second->name == kind->name;
     })},
    {ApiKind::kMethod, kTargetKind, "__ne__(other)", "Is it another kind?",
     native([](TargetKind kind, Any other) {
       auto* second = other.as<TargetKindNode>();
       return second == nullptr || second->name != kind->name;
     })},
    {ApiKind::kMethod, kTargetKind, "__repr__()", "The name.",
     native([](TargetKind kind) { return kind->name; })},
    {ApiKind::kMethod, kTargetKind, "__str__()", "The name.",
     native([](TargetKind kind) { return kind->name; })},
};

}  // namespace

Target target_argument(const Any& given) {
  if (given != nullptr) return ir::parse_target(given);
  if (!current_targets().empty()) return current_targets().back();
  return ir::parse_target(String(default_target_kind()));
}

Target current_target() {
  if (!current_targets().empty()) return current_targets().back();
  throw ir::refuse_as(refusals["no-current-target"], "no target is current")
      .kind(ir::kRefusedValue)
      .help("use `with tvm.target.Target(...):`");
}

CurrentTarget::CurrentTarget(const Target& target) { current_targets().push_back(target); }
CurrentTarget::~CurrentTarget() { current_targets().pop_back(); }

void register_target_api() {
  ir::register_node<ir::TargetNode>();
  ir::register_node<TargetKindNode>();
  ir::register_node<TargetFeaturesNode>();
  ir::ApiRegistry::global().add(target_api_table);
}

}  // namespace mlc::backend
