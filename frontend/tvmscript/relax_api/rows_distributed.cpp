// SPDX-License-Identifier: Apache-2.0
// `tvm.relax.distributed`: meshes, placements, and the type of tensors that lie so.
#include "frontend/tvmscript/relax/graph_builder.h"
#include "frontend/tvmscript/relax_api/rows.h"
#include "ir/relax/distributed.h"

namespace mlc::tvmscript {

namespace {

constexpr std::string_view kDistributed = "tvm.relax.distributed";

std::string numbers(const Array<int64_t>& all) {
  std::string text;
  for (int64_t each : all) text += fmt::format("{}{}", text.empty() ? "" : ", ", each);
  return text;
}
Any mesh_text(ApiCall& call) {
  auto* mesh = call.args[0].as<relax::DeviceMeshNode>();
  std::string devices = fmt::format("[{}]", numbers(mesh->device_ids));
  if (mesh->device_range) {
    int64_t first = ir::const_int(mesh->device_range->min).value();
    devices = fmt::format("R.Range({}, {})", first, first + static_cast<int64_t>(mesh->device_ids.size()));
  }
  return String(fmt::format("R.device_mesh(({}{}), {})", numbers(mesh->shape), mesh->shape.size() == 1 ? "," : "", devices));
}
Any make_placement(ApiCall& call) {
  return ir::make<relax::PlacementNode>(node_list<relax::PlacementSpecNode>(call, 0, "a list of placement specs"));
}
Any placement_from_text(ApiCall& call) {
  try {
    return relax::parse_placement(ir::view(str_arg(call, 0)));
  } catch (ir::Error& error) {
    throw std::move(error).at(call.span_of(0));
  }
}
Any placement_text(ApiCall& call) {
  return String(fmt::format("\"{}\"", relax::placement_text(ir::ref(call.args[0].as<relax::PlacementNode>()))));
}
Any spec_text(ApiCall& call) {
  auto* spec = call.args[0].as<relax::PlacementSpecNode>();
  return String(fmt::format("relax.distributed.PlacementSpec(axis={}, kind={})", spec->axis, spec->kind));
}
Any make_dtensor_type(ApiCall& call) {
  auto tensor = node_arg<relax::TensorTypeNode>(call, 0, "TensorType");
  auto mesh = node_arg<relax::DeviceMeshNode>(call, 1, "DeviceMesh");
  auto placement = node_arg<relax::PlacementNode>(call, 2, "Placement");
  try {
    return relax::Type(relax::dtensor_type(tensor, mesh, placement));
  } catch (ir::Error& error) {
    throw std::move(error).at(call.span_of(2));
  }
}

#define CLASS(name, params, doc, body, key, file) \
  { ir::ApiKind::kClass, kDistributed, name params, doc, body, key, "tvm.relax.distributed." file "." name }
constexpr ir::ApiRow relax_distributed_table[] = {
    CLASS("DeviceMesh", "(shape, device_ids)", "A grid of devices of that shape.", make_device_mesh,
          "mlc.relax.distributed.DeviceMesh", "global_info"),
    {ir::ApiKind::kMethod, "mlc.relax.distributed.DeviceMesh", "__repr__()", "The mesh as it is written.", mesh_text},
    {ir::ApiKind::kFunction, kDistributed, "device_mesh(shape, device_ids)", "A grid of devices of that shape.",
     make_device_mesh},
    CLASS("PlacementSpec", "()", "How a tensor lies along one dimension of a mesh.", not_constructible,
          "mlc.relax.distributed.PlacementSpec", "type"),
    {ir::ApiKind::kFunction, "tvm.relax.distributed.PlacementSpec", "sharding(axis)",
     "Parts along an axis of the tensor.", +[](ApiCall& call) -> Any { return relax::sharding(int_arg(call, 0)); }},
    {ir::ApiKind::kFunction, "tvm.relax.distributed.PlacementSpec", "replica()", "A copy at each device.",
     +[](ApiCall&) -> Any { return relax::replica(); }},
    {ir::ApiKind::kMethod, "mlc.relax.distributed.PlacementSpec", "__repr__()", "The spec in words.", spec_text},
    CLASS("Placement", "(dim_specs)", "How a tensor lies on a mesh: a spec for each of its dimensions.",
          make_placement, "mlc.relax.distributed.Placement", "type"),
    {ir::ApiKind::kFunction, "tvm.relax.distributed.Placement", "from_text(text)", "The placement of \"S[0], R\".",
     placement_from_text},
    {ir::ApiKind::kMethod, "mlc.relax.distributed.Placement", "__repr__()", "Its text.", placement_text},
    CLASS("DTensorType", "(tensor_ty, device_mesh, placement, span=None)", "A tensor on a mesh of devices.",
          make_dtensor_type, "mlc.relax.DTensorType", "type"),
};
#undef CLASS

}  // namespace

std::span<const ir::ApiRow> relax_distributed_rows() { return relax_distributed_table; }

}  // namespace mlc::tvmscript
