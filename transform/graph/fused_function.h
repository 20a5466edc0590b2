// SPDX-License-Identifier: Apache-2.0
// One tensor function for a function of graphs whose bindings are calls of tensor functions.
#pragma once

#include "transform/pass/graph_pass.h"

namespace mlc::transform {

struct FusedFunction {
  PrimFunc fn;
  // For each result the parameter that it overwrites, or -1: it is a parameter of its own, behind the others.
  std::vector<int64_t> overwritten;
  bool overwrites() const;
};

// `group`: made by FuseOps. Error not-fusible where it holds what no tensor function can.
FusedFunction fuse_tensor_functions(const Function& group, std::string_view name, const IRModule& mod);

}  // namespace mlc::transform
