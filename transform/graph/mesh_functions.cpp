// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/mesh_functions.h"

#include "ir/core/refusal.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "InternalError+ValueError",
    {
        {.name = "mesh-parameters-mixed",
         .message = "some parameters of the function lie on a mesh, and parameter `{}` is a tensor that does not",
         .help = "declare it as `R.DTensor(..., \"mesh[0]\", \"R\")`"},
    }};
MLC_REFUSALS(graph_mesh_functions, refusals);

namespace {

bool holds(const Type& type, TypeKind kind) {
  if (const auto* tuple = as_type<TupleTypeNode>(type)) {
    return std::any_of(tuple->elements.begin(), tuple->elements.end(),
                       [&](const Type& field) { return holds(field, kind); });
  }
  return type->kind == kind;
}

}  // namespace

bool is_mesh_function(const Function& fn) {
  bool any = false;
  for (const Var& param : fn->params) any = any || holds(param->ty, TypeKind::kDTensor);
  if (!any) return false;
  for (const Var& param : fn->params) {
    if (holds(param->ty, TypeKind::kTensor))
      throw ir::refuse(refusals["mesh-parameters-mixed"], text(param->name)).at(param->span);
  }
  return true;
}

bool is_annotated(const Function& fn) {
  static const ir::Op annotate = relax::op("relax.dist.annotate_sharding");
  bool found = false;
  relax::post_order(fn, [&](const Expr& e) { found = found || call_of(e, annotate); });
  return found;
}

}  // namespace mlc::transform
