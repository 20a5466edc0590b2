// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/graph/mesh_functions.h"

namespace mlc::transform::pass_legalize_redistribute {

static constexpr ir::Refusals refusals{
    "InternalError+ValueError",
    {
        {.name = "redistribute-across-meshes",
         .message = "a tensor is redistributed from one mesh to another",
         .help = "there is no communication between meshes yet"},
        {.name = "redistribute-mesh-rank",
         .message = "a tensor is redistributed on a mesh of {} dimensions",
         .help = "only meshes of one dimension have operators of communication yet"},
        {.name = "redistribute-needs-communication",
         .message = "a tensor is redistributed from \"{}\" to \"{}\", for which workers would exchange their parts",
         .help = "only \"R\" to \"S[axis]\" has an operator yet; place it so where it is made"},
    }};
MLC_REFUSALS(pass_relax_legalize_redistribute, refusals);

namespace {

constexpr char doc[] = R"(LegalizeRedistribute(): write redistributions as operators of communication.

    R.dist.redistribute(x, mesh, "S[1]")   =>   R.dist.redistribute_replica_to_shard(x, 2, 1)   # x is "R"
    R.dist.redistribute(x, mesh, "R")      =>   x                                               # x is "R"
needs: one mesh of one dimension; x is replicated, or sharded as it is to be.
keeps: types and values.
After PropagateSharding and LowerGlobalViewToLocalView have placed all tensors, before LowerDistIR makes parts of them.)";

struct Legalize final : Mutator {
  explicit Legalize(Host& host, const IRModule& mod) : Mutator(host, mod) {}
  Expr op = relax::op("relax.dist.redistribute");

  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    auto* call = call_of(next, op);
    if (!call) return next;
    const Expr& x = call->args[0];
    const auto* from = type_as<DTensorTypeNode>(x);
    MLC_CHECK(from, "a redistributed tensor lies on no mesh");
    auto mesh = attr(call, "device_mesh").cast<DeviceMesh>();
    auto to = attr(call, "placement").cast<Placement>();
    if (!same_mesh(from->device_mesh, mesh)) throw ir::refuse(refusals["redistribute-across-meshes"]).at(call->span);
    if (mesh->shape.size() != 1)
      throw ir::refuse(refusals["redistribute-mesh-rank"], mesh->shape.size()).at(call->span);
    if (same_placement(from->placement, to)) return x;
    const PlacementSpec& spec = to->dim_specs[0];
    if (from->placement->dim_specs[0]->shards() || !spec->shards()) {
      throw ir::refuse(refusals["redistribute-needs-communication"], placement_text(from->placement), placement_text(to))
          .at(call->span);
    }
    Map<String, Any> attrs{{String("num_workers"), Any(mesh->shape[0])}, {String("axis"), Any(spec->axis)}};
    return make_call("relax.dist.redistribute_replica_to_shard", {x}, attrs, {}, call->span);
  }
};

Function apply(const Function& fn, const IRModule& mod, const PassOptions& options) {
  return Legalize(*options.host, mod).rewrite_function(fn);
}

}  // namespace

extern const Pass legalize_redistribute = mesh_function_pass("LegalizeRedistribute", "LegalizeRedistribute()", doc, apply);

}  // namespace mlc::transform::pass_legalize_redistribute
