// SPDX-License-Identifier: Apache-2.0
// Axes of the buffers of a tensor function that the same iterators run over: where one is sharded, all are. After
// TVM's BufferAxisGraphExtractor.
#pragma once

#include <set>

#include "ir/relax/axis_groups.h"
#include "transform/arith/iter_map.h"
#include "transform/pass/graph_pass.h"

namespace mlc::transform {

struct BufferAxis {
  const VarNode* buffer;
  int64_t axis;
  auto operator<=>(const BufferAxis&) const = default;
};

class BufferAxes {
 public:
  explicit BufferAxes(const Stmt& body);
  // The axis and those tied to it, without those in `visited`, to which they are added.
  void reach(const BufferAxis& from, std::set<BufferAxis>& visited, std::vector<BufferAxis>& group) const;
  bool is_tied(const BufferAxis& axis) const { return neighbours_.count(axis) != 0; }

 private:
  friend struct BufferAxesBuilder;
  std::map<BufferAxis, std::vector<BufferAxis>> neighbours_;
};

// The iterator whose extent shrinks as the index does: the index itself, or that of its digits of the highest scale;
// null where there is none.
const VarNode* sharding_var(const Expr& index, const std::vector<LoopRange>& ranges, Analyzer& analyzer);

// For AxisGroups: the operands and results of a call_tir of the function.
void join_tensor_function(AxisGroups& groups, const Var& output, const CallNode* call, const PrimFunc& fn);
// The function that a call_tir calls, or null where the module does not have it.
PrimFunc called_tensor_function(const CallNode* call, const IRModule& mod);

}  // namespace mlc::transform
