// SPDX-License-Identifier: Apache-2.0
// Tensors that several devices hold together. A mesh arranges devices in a grid; a placement says, for each
// dimension of the grid, along which axis of the tensor its parts lie, or that each device has a copy.
#pragma once

#include "ir/relax/operator.h"

namespace mlc::relax {

// A grid of devices. `device_range` is how they were given where that was a range; else null.
struct DeviceMeshNode final : ir::GlobalInfoNode {
  Array<int64_t> shape;
  Array<int64_t> device_ids;  // as many as the grid has cells, the last dimension running fastest
  ir::Range device_range;

  DeviceMeshNode(Array<int64_t> shape, Array<int64_t> device_ids, ir::Range device_range = {})
      : shape(std::move(shape)), device_ids(std::move(device_ids)), device_range(std::move(device_range)) {}
  template <class F>
  static void fields(F& f) {
    f("shape", &DeviceMeshNode::shape);
    f("device_ids", &DeviceMeshNode::device_ids);
    f("device_range", &DeviceMeshNode::device_range);
  }
  MLC_NODE("mlc.relax.distributed.DeviceMesh", DeviceMeshNode, ir::GlobalInfoNode);
};
using DeviceMesh = Ref<DeviceMeshNode>;
// Errors mesh-size, mesh-range.
DeviceMesh device_mesh(Array<int64_t> shape, Array<int64_t> device_ids);
DeviceMesh device_mesh(Array<int64_t> shape, const ir::Range& devices);
bool same_mesh(const DeviceMesh& a, const DeviceMesh& b);

// Along one dimension of the mesh.
enum class PlacementKind : int64_t { kSharding = 0, kReplica = 1 };
struct PlacementSpecNode final : ffi::Object {
  int64_t axis;  // of the tensor; -1 for a copy
  int64_t kind;  // PlacementKind

  PlacementSpecNode(int64_t axis, PlacementKind kind) : axis(axis), kind(static_cast<int64_t>(kind)) {}
  bool shards() const { return kind == static_cast<int64_t>(PlacementKind::kSharding); }
  template <class F>
  static void fields(F& f) {
    f("axis", &PlacementSpecNode::axis);
    f("kind", &PlacementSpecNode::kind);
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  MLC_NODE("mlc.relax.distributed.PlacementSpec", PlacementSpecNode, ffi::Object);
};
using PlacementSpec = Ref<PlacementSpecNode>;
PlacementSpec sharding(int64_t axis);
PlacementSpec replica();

struct PlacementNode final : ffi::Object {
  Array<PlacementSpec> dim_specs;

  explicit PlacementNode(Array<PlacementSpec> dim_specs) : dim_specs(std::move(dim_specs)) {}
  template <class F>
  static void fields(F& f) {
    f("dim_specs", &PlacementNode::dim_specs);
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  MLC_NODE("mlc.relax.distributed.Placement", PlacementNode, ffi::Object);
};
using Placement = Ref<PlacementNode>;
// "S[0], R"; Error placement-text.
Placement parse_placement(std::string_view text);
std::string placement_text(const Placement& placement);
// A copy at each device.
std::vector<PlacementSpec> replicas(const DeviceMesh& mesh);
bool same_placement(const Placement& a, const Placement& b);

// A tensor on a mesh; `tensor_ty` is that of the whole.
struct DTensorTypeNode final : TypeNode {
  static constexpr TypeKind kKind = TypeKind::kDTensor;
  TensorType tensor_ty;
  DeviceMesh device_mesh;
  Placement placement;

  DTensorTypeNode(TensorType tensor_ty, DeviceMesh device_mesh, Placement placement)
      : TypeNode(kKind),
        tensor_ty(std::move(tensor_ty)),
        device_mesh(std::move(device_mesh)),
        placement(std::move(placement)) {}
  template <class F>
  static void fields(F& f) {
    f("tensor_ty", &DTensorTypeNode::tensor_ty);
    f("device_mesh", &DTensorTypeNode::device_mesh);
    f("placement", &DTensorTypeNode::placement);
  }
  MLC_NODE("mlc.relax.DTensorType", DTensorTypeNode, TypeNode);
};
using DTensorType = Ref<DTensorTypeNode>;
// Errors placement-rank, shard-axis.
DTensorType dtensor_type(TensorType tensor, DeviceMesh mesh, Placement placement);
// The same mesh and placement about another tensor.
Type with_tensor(const DTensorTypeNode* type, const Type& tensor);

// The tensor type of a tensor, on one device or on several; null for other types.
const TensorTypeNode* whole_tensor(const Type& type);
// Is one of the call's own operands a tensor on a mesh? Then its type follows from the rule of the operator for
// such tensors.
bool on_mesh(const CallNode* call);
// Errors tensors-mixed, not-on-meshes, meshes-differ, shape-on-mesh, sharding-conflict.
Type infer_on_mesh(const CallNode* call, const InferContext& context);

}  // namespace mlc::relax
