// SPDX-License-Identifier: Apache-2.0
// How the sharding of one tensor spreads to others: axes of tensors that an operator ties together are joined, and
// what is known of some of them travels along. After TVM's AxisGroupGraph.
#pragma once

#include <functional>
#include <map>
#include <set>

#include "ir/relax/distributed.h"

namespace mlc::relax {

// An axis of a variable or constant. Axis -1 stands for the mesh on which it lies; `field` is that of a tuple.
struct TensorAxis {
  const ExprNode* tensor;
  int64_t axis;
  int64_t field = 0;
  auto operator<=>(const TensorAxis&) const = default;
};
// Parts of the axis lie along that dimension of the mesh; -1: only the mesh is known.
struct AxisSharding {
  DeviceMesh mesh;
  int64_t mesh_dim;
};

class AxisGroups {
 public:
  // From the first axis to the second: that of a value made from it, the other way, or neither.
  enum class Edge : uint8_t { kToProducer = 0, kSibling = 1, kToConsumer = 2 };

  void join(const TensorAxis& from, const TensorAxis& to, Edge edge);
  void add_source(const TensorAxis& axis, AxisSharding sharding);
  // The axis gets no sharding, and lets none through.
  void cut(const TensorAxis& axis) { cuts_.insert(axis); }
  // From every source along the edges. What has come along consumers alone counts more than what has turned, and
  // that more than what has come along producers alone. Error sharding-conflict where two that differ count alike.
  void propagate();
  // After propagate(); null where nothing is known.
  const AxisSharding* sharding(const TensorAxis& axis) const;

 private:
  struct Neighbour {
    TensorAxis axis;
    Edge edge;
  };
  struct Candidate {
    AxisSharding sharding;
    int priority;
  };
  void spread(const TensorAxis& axis, const AxisSharding& sharding, uint32_t path, std::set<TensorAxis>& visited);

  std::map<TensorAxis, std::vector<Neighbour>> neighbours_;
  std::vector<std::pair<TensorAxis, AxisSharding>> sources_;  // in the order in which they were added
  std::map<TensorAxis, size_t> source_of_;
  std::set<TensorAxis> cuts_;
  std::map<TensorAxis, std::vector<Candidate>> found_;
};

// What an operator does with tensors on a mesh.
enum class MeshRule : uint8_t { kUnary, kBinary, kReduce, kSoftmax, kMatmul, kPermuteDims, kReshape, kSame, kSpecial };
struct MeshOperator {
  std::string_view name;  // "nn.relu"
  MeshRule rule;
  bool infers = true;      // the type of a call follows
  bool propagates = true;  // PropagateSharding sees through it
};
const MeshOperator* mesh_operator(std::string_view name);  // by "relax.nn.relu", or null

// Joins the axes of the operands and of the result by the rule of the operator.
void join_axes(AxisGroups& groups, const MeshOperator& row, const Var& output, const CallNode* call,
               const InferContext& context);
// The result, a tensor or a tuple of tensors, as it lies on the mesh of the operands when `join` ties their axes.
Type place_result(const Array<Expr>& operands, const Type& result, Span span,
                  const std::function<void(AxisGroups&, const Var&)>& join);
// A placement of `ndim` axes: dimension d of the mesh holds parts of the axis that `sharding` says; of several, the last.
Placement placement_of(const DeviceMesh& mesh, int64_t ndim,
                       const std::function<const AxisSharding*(int64_t axis)>& sharding);

}  // namespace mlc::relax
