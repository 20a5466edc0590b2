// SPDX-License-Identifier: Apache-2.0
// What the functions of a module share: the lists in IRModule::global_infos.
#pragma once

#include "ir/target/target.h"

namespace mlc::ir {

struct GlobalInfoNode : ffi::Object {
  GlobalInfoNode() = default;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  MLC_NODE_BASE("mlc.ir.GlobalInfo", GlobalInfoNode, ffi::Object);
};

// A device that values are placed on, one of several of its kind.
struct VDeviceNode final : GlobalInfoNode {
  Target target;  // may be null
  int64_t vdevice_id;
  String memory_scope;

  VDeviceNode(Target target, int64_t vdevice_id, String memory_scope)
      : target(std::move(target)), vdevice_id(vdevice_id), memory_scope(std::move(memory_scope)) {}
  template <class F>
  static void fields(F& f) {
    f("target", &VDeviceNode::target);
    f("vdevice_id", &VDeviceNode::vdevice_id);
    f("memory_scope", &VDeviceNode::memory_scope);
  }
  MLC_NODE("mlc.ir.VDevice", VDeviceNode, GlobalInfoNode);
};
using VDevice = Ref<VDeviceNode>;

// Says nothing; for tests of what carries global infos along.
struct DummyGlobalInfoNode final : GlobalInfoNode {
  DummyGlobalInfoNode() = default;
  template <class F>
  static void fields(F&) {}
  MLC_NODE("mlc.ir.DummyGlobalInfo", DummyGlobalInfoNode, GlobalInfoNode);
};

}  // namespace mlc::ir
