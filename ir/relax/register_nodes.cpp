// SPDX-License-Identifier: Apache-2.0
// Reflection of the nodes of graphs (ir/core/register_nodes.cpp has the others). Compiled without optimisation.
#include "ir/core/register_node.h"
#include "ir/relax/distributed.h"

namespace mlc::relax {

void register_nodes() {
  using ir::register_base;
  using ir::register_node;
  register_node<TensorTypeNode>();
  register_node<ShapeTypeNode>();
  register_node<FuncTypeNode>();
  register_node<AnyTypeNode>();
  register_node<PackedFuncTypeNode>();
  register_node<GenericConstNode>();
  register_node<ShapeExprNode>();
  register_base<DataflowVarNode>();
  register_base<BindingNode>();
  register_node<VarBindingNode>();
  register_node<MatchCastNode>();
  register_node<BindingBlockNode>();
  register_base<DataflowBlockNode>();
  register_node<SeqExprNode>();
  register_node<IfNode>();
  register_node<FunctionNode>();
  register_node<ExternFuncNode>();
  register_node<DeviceMeshNode>();
  register_node<PlacementSpecNode>();
  register_node<PlacementNode>();
  register_node<DTensorTypeNode>();
}

}  // namespace mlc::relax
