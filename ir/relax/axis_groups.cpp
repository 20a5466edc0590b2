// SPDX-License-Identifier: Apache-2.0
#include "ir/relax/axis_groups.h"

#include <algorithm>
#include <numeric>

#include "ir/relax/infer.h"
#include "ir/tir/arith_ops.h"

namespace mlc::relax {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "sharding-conflict",
         .kind = "InternalError+ValueError",
         .message = "axis {} of `{}` would be sharded along dimension {} of its mesh, and along dimension {}",
         .help = "say with `R.dist.annotate_sharding` or `R.dist.redistribute` how it lies"},
    }};
MLC_REFUSALS(relax_axis_groups, refusals);

namespace {

using Edge = AxisGroups::Edge;

Edge reversed(Edge edge) { return static_cast<Edge>(2 - static_cast<int>(edge)); }

bool same(const AxisSharding& a, const AxisSharding& b) {
  return a.mesh_dim == b.mesh_dim && same_mesh(a.mesh, b.mesh);
}

// `path` has a bit for each kind of edge that it has used.
int priority(uint32_t path) {
  constexpr uint32_t producers = 1 << static_cast<int>(Edge::kToProducer);
  constexpr uint32_t consumers = 1 << static_cast<int>(Edge::kToConsumer);
  if (path == 0) return 3;  // a source
  if (path == consumers) return 2;
  return path == producers ? 0 : 1;
}

std::string name_of(const ExprNode* tensor) {
  auto* var = tensor->kind == ExprKind::kVar ? static_cast<const VarNode*>(tensor) : nullptr;
  return var ? std::string(view(var->name)) : "a constant";
}

}  // namespace

void AxisGroups::join(const TensorAxis& from, const TensorAxis& to, Edge edge) {
  neighbours_[from].push_back({to, edge});
  neighbours_[to].push_back({from, reversed(edge)});
}

void AxisGroups::add_source(const TensorAxis& axis, AxisSharding sharding) {
  auto [at, added] = source_of_.try_emplace(axis, sources_.size());
  if (added) {
    sources_.emplace_back(axis, std::move(sharding));
  } else {
    sources_[at->second].second = std::move(sharding);
  }
}

void AxisGroups::spread(const TensorAxis& axis, const AxisSharding& sharding, uint32_t path,
                        std::set<TensorAxis>& visited) {
  if (cuts_.count(axis) != 0 || visited.count(axis) != 0) return;
  auto own = source_of_.find(axis);
  if (own != source_of_.end() && !same(sources_[own->second].second, sharding)) return;
  visited.insert(axis);
  std::vector<Candidate>& candidates = found_[axis];
  auto known = std::find_if(candidates.begin(), candidates.end(),
                            [&](const Candidate& one) { return same(one.sharding, sharding); });
  if (known == candidates.end()) {
    candidates.push_back({sharding, priority(path)});
  } else {
    known->priority = std::max(known->priority, priority(path));
  }
  auto found = neighbours_.find(axis);
  if (found == neighbours_.end()) return;
  for (const Neighbour& next : found->second) {
    // As in TVM an edge that was tried before counts for those tried after it.
    path |= 1U << static_cast<int>(next.edge);
    spread(next.axis, sharding, path, visited);
  }
}

void AxisGroups::propagate() {
  found_.clear();
  for (const auto& [axis, sharding] : sources_) {
    std::set<TensorAxis> visited;
    spread(axis, sharding, 0, visited);
  }
  for (auto& [axis, candidates] : found_) {
    int best = 0;
    for (const Candidate& one : candidates) best = std::max(best, one.priority);
    std::erase_if(candidates, [&](const Candidate& one) { return one.priority != best; });
    if (candidates.size() > 1) {
      throw ir::refuse(refusals["sharding-conflict"], axis.axis, name_of(axis.tensor),
                       candidates[0].sharding.mesh_dim, candidates[1].sharding.mesh_dim)
          .at(axis.tensor->span);
    }
  }
}

const AxisSharding* AxisGroups::sharding(const TensorAxis& axis) const {
  auto found = found_.find(axis);
  return found == found_.end() ? nullptr : &found->second[0].sharding;
}

// ---- operators ----

namespace {

using enum MeshRule;
constexpr MeshOperator kOperators[] = {
    {"abs", kUnary}, {"acos", kUnary}, {"acosh", kUnary}, {"asin", kUnary}, {"asinh", kUnary}, {"atan", kUnary},
    {"atanh", kUnary}, {"ceil", kUnary}, {"cos", kUnary}, {"cosh", kUnary}, {"erf", kUnary}, {"exp", kUnary},
    {"floor", kUnary}, {"isfinite", kUnary}, {"isinf", kUnary}, {"isnan", kUnary}, {"log", kUnary},
    {"negative", kUnary}, {"nn.gelu", kUnary}, {"nn.relu", kUnary}, {"round", kUnary}, {"rsqrt", kUnary},
    {"sigmoid", kUnary}, {"sign", kUnary}, {"sin", kUnary}, {"sinh", kUnary}, {"sqrt", kUnary}, {"square", kUnary},
    {"tan", kUnary}, {"tanh", kUnary},
    {"clip", kUnary, false},
    {"bitwise_not", kUnary, true, false}, {"logical_not", kUnary, true, false}, {"nn.gelu_tanh", kUnary, true, false},
    {"nn.silu", kUnary, true, false},
    {"add", kBinary}, {"divide", kBinary}, {"equal", kBinary}, {"floor_divide", kBinary}, {"greater", kBinary},
    {"greater_equal", kBinary}, {"less", kBinary}, {"less_equal", kBinary}, {"maximum", kBinary},
    {"minimum", kBinary}, {"multiply", kBinary}, {"not_equal", kBinary}, {"power", kBinary}, {"subtract", kBinary},
    {"bitwise_and", kBinary, true, false}, {"bitwise_or", kBinary, true, false}, {"bitwise_xor", kBinary, true, false},
    {"floor_mod", kBinary, true, false}, {"left_shift", kBinary, true, false}, {"logical_and", kBinary, true, false},
    {"logical_or", kBinary, true, false}, {"logical_xor", kBinary, true, false}, {"mod", kBinary, true, false},
    {"right_shift", kBinary, true, false},
    {"max", kReduce}, {"mean", kReduce}, {"min", kReduce}, {"prod", kReduce}, {"std", kReduce}, {"sum", kReduce},
    {"variance", kReduce},
    {"nn.softmax", kSoftmax},
    {"matmul", kMatmul},
    {"permute_dims", kPermuteDims},
    {"reshape", kReshape},
    {"builtin.stop_lift_params", kSame}, {"dist.annotate_sharding", kSame},
    {"ccl.allreduce", kSpecial, true, false}, {"dist.redistribute", kSpecial, true, false},
    {"dist.redistribute_replica_to_shard", kSpecial, true, false},
};

const TensorTypeNode* tensor_of(const Expr& e) { return whole_tensor(e->ty); }
Array<Expr> dims_of(const Expr& e) { return tensor_of(e)->dims().value(); }

struct Joiner {
  AxisGroups& groups;
  const ExprNode* output;
  const CallNode* call;
  const InferContext& context;

  void consume(size_t operand, int64_t axis, int64_t of_output) {
    groups.join({call->args[operand].get(), axis}, {output, of_output}, Edge::kToConsumer);
  }
  int64_t ndim(size_t operand) const { return tensor_of(call->args[operand])->ndim; }
  static int64_t from_start(int64_t axis, int64_t ndim) { return axis < 0 ? axis + ndim : axis; }

  void unary() {
    for (int64_t i = 0; i < ndim(0); ++i) consume(0, i, i);
  }
  // Dimensions that broadcast, the last ones of `a` and `b` first: those that are not stretched are joined.
  void broadcast(const Array<Expr>& a, const Array<Expr>& b) {
    auto na = static_cast<int64_t>(a.size());
    auto nb = static_cast<int64_t>(b.size());
    int64_t n = std::max(na, nb);
    for (int64_t i = 1; i <= std::min(na, nb); ++i) {
      bool equal = context.proves_equal(a[na - i], b[nb - i]);
      if (equal || !context.proves_equal(a[na - i], dim(1))) consume(0, na - i, n - i);
      if (equal || context.proves_equal(a[na - i], dim(1))) consume(1, nb - i, n - i);
    }
  }
  void binary() {
    if (!tensor_of(call->args[1]) || !tensor_of(call->args[0])) {
      size_t tensor = tensor_of(call->args[0]) ? 0 : 1;
      for (int64_t i = 0; i < ndim(tensor); ++i) consume(tensor, i, i);
      return;
    }
    broadcast(dims_of(call->args[0]), dims_of(call->args[1]));
    int64_t more = ndim(0) - ndim(1);
    for (int64_t i = 0; i < more; ++i) consume(0, i, i);
    for (int64_t i = 0; i < -more; ++i) consume(1, i, i);
  }
  void reduce(const std::vector<int64_t>& axes, bool keepdims) {
    std::set<int64_t> reduced;
    for (int64_t axis : axes) reduced.insert(from_start(axis, ndim(0)));
    for (int64_t i = 0, j = 0; i < ndim(0); ++i) {
      if (reduced.count(i) != 0) continue;
      consume(0, i, keepdims ? i : j);
      ++j;
    }
  }
  void matmul() {
    auto prefix = [](const Array<Expr>& dims) {
      return dims.size() < 2 ? Array<Expr>{} : Array<Expr>(dims.begin(), dims.end() - 2);
    };
    Array<Expr> a = prefix(dims_of(call->args[0]));
    Array<Expr> b = prefix(dims_of(call->args[1]));
    broadcast(a, b);
    auto n = static_cast<int64_t>(std::max(a.size(), b.size()));
    bool vector0 = ndim(0) == 1;
    bool vector1 = ndim(1) == 1;
    groups.join({call->args[0].get(), ndim(0) - 1}, {call->args[1].get(), vector1 ? 0 : ndim(1) - 2}, Edge::kSibling);
    if (!vector0) consume(0, ndim(0) - 2, n);
    if (!vector1) consume(1, ndim(1) - 1, vector0 ? n : n + 1);
  }
  void permute() {
    std::vector<int64_t> axes(static_cast<size_t>(ndim(0)));
    std::iota(axes.rbegin(), axes.rend(), 0);
    if (auto given = optional_ints_attr(call, "axes")) axes = *given;
    for (int64_t i = 0; i < ndim(0); ++i) consume(0, from_start(axes[static_cast<size_t>(i)], ndim(0)), i);
  }
  // From the last axes on: where as many elements lie behind an axis of both shapes, those axes are joined. The
  // first axes are not, as in TVM.
  void reshape() {
    const auto* shape = type_as<ShapeTypeNode>(call->args[1]);
    if (!shape || !shape->values.has_value()) return;
    Array<Expr> from = dims_of(call->args[0]);
    Array<Expr> to = shape->values.value();
    auto i = static_cast<int64_t>(from.size());
    auto j = static_cast<int64_t>(to.size());
    Expr behind_i = dim(1);
    Expr behind_j = dim(1);
    auto proves_less = [&](const Expr& a, const Expr& b) {
      auto x = ir::const_int(a);
      auto y = ir::const_int(b);
      if (x && y) return *x < *y;
      auto known = ir::const_int(context.simplify(ir::lt(a, b)));
      return known && *known != 0;
    };
    while (i > 0 && j > 0) {
      if (proves_less(behind_i, behind_j)) {
        --i;
        behind_i = mul(behind_i, from[i], context);
      } else if (proves_less(behind_j, behind_i)) {
        --j;
        behind_j = mul(behind_j, to[j], context);
      } else {
        if (i != static_cast<int64_t>(from.size())) consume(0, i, j);
        --i;
        --j;
        behind_i = mul(behind_i, from[i], context);
        behind_j = mul(behind_j, to[j], context);
      }
    }
  }
};

}  // namespace

const MeshOperator* mesh_operator(std::string_view name) {
  if (!name.starts_with("relax.")) return nullptr;
  name.remove_prefix(6);
  for (const MeshOperator& row : kOperators) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

void join_axes(AxisGroups& groups, const MeshOperator& row, const Var& output, const CallNode* call,
               const InferContext& context) {
  Joiner joiner{groups, output.get(), call, context};
  switch (row.rule) {
    case kUnary:
    case kSame:
      return joiner.unary();
    case kBinary:
      return joiner.binary();
    case kReduce:
      // Without axes all of them are reduced, and none is left to be joined.
      if (auto axes = optional_ints_attr(call, "axis")) joiner.reduce(*axes, bool_attr(call, "keepdims"));
      return;
    case kSoftmax:
      return joiner.reduce({int_attr(call, "axis")}, true);
    case kMatmul:
      return joiner.matmul();
    case kPermuteDims:
      return joiner.permute();
    case kReshape:
      return joiner.reshape();
    case kSpecial:
      return;
  }
}

Placement placement_of(const DeviceMesh& mesh, int64_t ndim,
                       const std::function<const AxisSharding*(int64_t axis)>& sharding_of) {
  std::vector<PlacementSpec> specs = replicas(mesh);
  for (int64_t axis = 0; axis < ndim; ++axis) {
    const AxisSharding* found = sharding_of(axis);
    if (!found || found->mesh_dim < 0) continue;
    specs[static_cast<size_t>(found->mesh_dim)] = sharding(axis);
  }
  return make<PlacementNode>(Array<PlacementSpec>(specs.begin(), specs.end()));
}

Type place_result(const Array<Expr>& operands, const Type& result, Span span,
                  const std::function<void(AxisGroups&, const Var&)>& join) {
  AxisGroups groups;
  Var output = make<VarNode>(String("output"), result, span);
  join(groups, output);
  DeviceMesh mesh;
  for (const Expr& operand : operands) {
    const auto* type = type_as<DTensorTypeNode>(operand);
    if (!type) continue;
    if (!mesh) mesh = type->device_mesh;
    for (size_t d = 0; d < type->placement->dim_specs.size(); ++d) {
      const PlacementSpec& spec = type->placement->dim_specs[d];
      if (spec->shards())
        groups.add_source({operand.get(), spec->axis}, {type->device_mesh, static_cast<int64_t>(d)});
    }
  }
  groups.propagate();
  auto placed = [&](const Type& one, int64_t field) -> Type {
    TensorType tensor = ref(as_type<TensorTypeNode>(one));
    return dtensor_type(tensor, mesh, placement_of(mesh, tensor->ndim, [&](int64_t axis) {
                          return groups.sharding({output.get(), axis, field});
                        }));
  };
  const auto* tuple = as_type<TupleTypeNode>(result);
  if (!tuple) return placed(result, 0);
  Array<Type> fields;
  for (size_t i = 0; i < tuple->elements.size(); ++i)
    fields.push_back(placed(tuple->elements[i], static_cast<int64_t>(i)));
  return make<TupleTypeNode>(fields);
}

}  // namespace mlc::relax
