// SPDX-License-Identifier: Apache-2.0
#include "ir/relax/distributed.h"

namespace mlc::relax {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "mesh-size",
         .kind = "InternalError+ValueError",
         .message = "a mesh of {} devices, and {} device ids",
         .help = "there is one id for each cell: `R.device_mesh((2, 2), I.Range(0, 4))`"},
        {.name = "mesh-range",
         .message = "the devices of a mesh are a range of constants, as `I.Range(0, 4)`"},
        {.name = "placement-text",
         .kind = "InternalError+ValueError",
         .message = "`{}` is no placement: {}",
         .help = "for each dimension of the mesh write `S[axis]`, where parts lie along an axis of the tensor, or "
                 "`R` for a copy at each device: \"S[0], R\""},
        {.name = "placement-rank",
         .message = "the placement \"{}\" has {} parts, and the mesh has {} dimensions",
         .help = "a placement has one part for each dimension of the mesh"},
        {.name = "shard-axis",
         .message = "the placement \"{}\" shards axis {}, and the tensor has {}"},
    }};
MLC_REFUSALS(relax_distributed, refusals);

namespace {

DeviceMesh made_mesh(Array<int64_t> shape, Array<int64_t> ids, ir::Range range) {
  int64_t cells = 1;
  for (int64_t extent : shape) cells *= extent;
  if (cells != static_cast<int64_t>(ids.size())) throw ir::refuse(refusals["mesh-size"], cells, ids.size());
  return make<DeviceMeshNode>(std::move(shape), std::move(ids), std::move(range));
}

}  // namespace

DeviceMesh device_mesh(Array<int64_t> shape, Array<int64_t> device_ids) {
  return made_mesh(std::move(shape), std::move(device_ids), {});
}
DeviceMesh device_mesh(Array<int64_t> shape, const ir::Range& devices) {
  auto first = ir::const_int(devices->min);
  auto count = ir::const_int(devices->extent);
  if (!first || !count) throw ir::refuse(refusals["mesh-range"]);
  int64_t cells = 1;
  for (int64_t extent : shape) cells *= extent;
  if (cells != *count) throw ir::refuse(refusals["mesh-size"], cells, *count);
  Array<int64_t> ids;
  for (int64_t i = 0; i < *count; ++i) ids.push_back(*first + i);
  return made_mesh(std::move(shape), ids, devices);
}
bool same_mesh(const DeviceMesh& a, const DeviceMesh& b) {
  return a.same_as(b) || ir::structural_equal(Any(a), Any(b));
}

PlacementSpec sharding(int64_t axis) { return make<PlacementSpecNode>(axis, PlacementKind::kSharding); }
PlacementSpec replica() { return make<PlacementSpecNode>(-1, PlacementKind::kReplica); }

Placement parse_placement(std::string_view text) {
  Array<PlacementSpec> specs;
  auto refuse = [&](std::string_view why) { return ir::refuse(refusals["placement-text"], text, why); };
  auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\n'; };
  size_t at = 0;
  auto skip = [&] {
    while (at < text.size() && is_space(text[at])) ++at;
  };
  for (skip(); at < text.size(); skip()) {
    char c = text[at++];
    if (c == ',') continue;
    if (c == 'R') {
      specs.push_back(replica());
      continue;
    }
    if (c != 'S') throw refuse(fmt::format("it has a `{}`", c));
    skip();
    if (at >= text.size() || text[at] != '[') throw refuse("`S` without the axis of the tensor");
    size_t end = text.find(']', ++at);
    if (end == text.npos) throw refuse("a `[` without its `]`");
    skip();
    bool negative = at < end && text[at] == '-';
    if (negative) ++at;
    int64_t axis = 0;
    size_t digits = at;
    for (; at < end && text[at] >= '0' && text[at] <= '9' && at - digits < 9; ++at) axis = axis * 10 + (text[at] - '0');
    bool number = at > digits;
    skip();
    if (!number || at != end) throw refuse("an axis is a number");
    specs.push_back(sharding(negative ? -axis : axis));
    at = end + 1;
  }
  return make<PlacementNode>(specs);
}
std::string placement_text(const Placement& placement) {
  std::string text;
  for (const PlacementSpec& spec : placement->dim_specs) {
    if (!text.empty()) text += ", ";
    text += spec->shards() ? fmt::format("S[{}]", spec->axis) : "R";
  }
  return text;
}
std::vector<PlacementSpec> replicas(const DeviceMesh& mesh) {
  std::vector<PlacementSpec> all;
  for (size_t i = 0; i < mesh->shape.size(); ++i) all.push_back(replica());
  return all;
}
bool same_placement(const Placement& a, const Placement& b) {
  return a.same_as(b) || ir::structural_equal(Any(a), Any(b));
}

DTensorType dtensor_type(TensorType tensor, DeviceMesh mesh, Placement placement) {
  if (mesh->shape.size() != placement->dim_specs.size()) {
    throw ir::refuse(refusals["placement-rank"], placement_text(placement), placement->dim_specs.size(),
                     mesh->shape.size());
  }
  for (const PlacementSpec& spec : placement->dim_specs) {
    if (!spec->shards() || (spec->axis >= 0 && spec->axis < tensor->ndim)) continue;
    std::string axes = tensor->knows_ndim()
                           ? fmt::format("{} dimension{}", tensor->ndim, tensor->ndim == 1 ? "" : "s")
                           : std::string("no known number of dimensions");
    throw ir::refuse(refusals["shard-axis"], placement_text(placement), spec->axis, axes);
  }
  return make<DTensorTypeNode>(std::move(tensor), std::move(mesh), std::move(placement));
}
Type with_tensor(const DTensorTypeNode* type, const Type& tensor) {
  if (tensor.same_as(type->tensor_ty)) return ref(type);
  return make<DTensorTypeNode>(ref(as_type<TensorTypeNode>(tensor)), type->device_mesh, type->placement);
}

const TensorTypeNode* whole_tensor(const Type& type) {
  if (const auto* tensor = as_type<TensorTypeNode>(type)) return tensor;
  const auto* distributed = as_type<DTensorTypeNode>(type);
  return distributed ? distributed->tensor_ty.get() : nullptr;
}

bool on_mesh(const CallNode* call) {
  for (const Expr& arg : call->args) {
    if (arg->ty && arg->ty->kind == TypeKind::kDTensor) return true;
  }
  return false;
}

}  // namespace mlc::relax
