// SPDX-License-Identifier: Apache-2.0
// Does a function ask a tensor what its DLTensor says? Its parameter is then the DLTensor, as TVM hands all tensors to
// pointers; else a pointer parameter is where the tensor's elements are.
#pragma once

#include "ir/core/module.h"
#include "ir/core/visit.h"
#include "ir/tir/op.h"

namespace mlc::backend {

inline bool reads_tensor_fields(const ir::PrimFunc& fn, const ir::VarNode* param) {
  static const ir::Expr read = ir::op("tirx.tvm_struct_get");
  bool found = false;
  ir::post_order(fn->body, [&](const ir::Expr& e) {
    auto* call = ir::as<ir::CallNode>(e);
    found = found || (call && call->op.same_as(read) && call->args[0].get() == param);
  });
  return found;
}

}  // namespace mlc::backend
