// SPDX-License-Identifier: Apache-2.0
// Names of the nodes that interfaces pass on, for headers and files that do not look into them.
#pragma once

#include "ir/core/object.h"

namespace mlc::ir {

struct ExprNode;
struct VarNode;
struct StmtNode;
struct PrimFuncNode;
struct IRModuleNode;
using Expr = Ref<ExprNode>;
using Var = Ref<VarNode>;
using Stmt = Ref<StmtNode>;
using PrimFunc = Ref<PrimFuncNode>;
using IRModule = Ref<IRModuleNode>;

}  // namespace mlc::ir
