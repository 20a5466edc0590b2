// SPDX-License-Identifier: Apache-2.0
// What code is generated for.
#pragma once

#include "ir/core/object.h"

namespace mlc::ir {

// Attributes by kind: llvm: "mtriple", "mcpu", "mattr" (list of "+avx2"), "num-cores", "opt-level",
// "vector-width", "fast-math" (bool); cuda: "arch", "max_threads_per_block", ...
struct TargetNode final : ffi::Object {
  String kind;  // "llvm", "c", "cuda", "opencl"
  Map<String, Any> attrs;
  Array<String> keys;
  Ref<TargetNode> host;  // may be null
  String tag;            // that the specification names; empty for a bare tag, as in TVM

  TargetNode(String kind, Map<String, Any> attrs, Array<String> keys, Ref<TargetNode> host = nullptr,
             String tag = String(""))
      : kind(std::move(kind)),
        attrs(std::move(attrs)),
        keys(std::move(keys)),
        host(std::move(host)),
        tag(std::move(tag)) {}
  template <class F>
  static void fields(F& f) {
    f("kind", &TargetNode::kind);
    f("attrs", &TargetNode::attrs);
    f("keys", &TargetNode::keys);
    f("host", &TargetNode::host);
    f("tag", &TargetNode::tag);
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  MLC_NODE("mlc.target.Target", TargetNode, ffi::Object);
};
using Target = Ref<TargetNode>;

// "llvm", a tag ("x86-64-v3", "aarch64", ...), "llvm -mcpu=skylake" (the classic command form), a JSON
// object, a dict, or a Target. Throws Error unknown-target, unknown-target-attribute with suggestions.
Target parse_target(const Any& spec);
std::string target_text(const Target& target);  // JSON that parse_target reads back
std::vector<std::string> target_names();        // kinds and tags

// Attribute as T, or the default.
template <class T>
T target_attr(const Target& target, std::string_view key, T otherwise) {
  auto found = target->attrs.find(String(std::string(key)));
  if (found == target->attrs.end()) return otherwise;
  auto value = (*found).second.template try_cast<T>();
  return value ? *value : otherwise;
}

}  // namespace mlc::ir
