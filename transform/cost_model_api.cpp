// SPDX-License-Identifier: Apache-2.0
// What models of costs are made of: features of scheduled modules, and trees that learn from them.
#include <algorithm>

#include "ir/core/ndarray.h"
#include "ir/core/refusal.h"
#include "ir/registry/api.h"
#include "transform/analysis/boosted_trees.h"
#include "transform/analysis/store_features.h"
#include "transform/register_api.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "training-data",
         .message = "trees are grown from a matrix of float64, the sample of each row, the target and the "
                    "weight of each sample, none of them empty"},
        {.name = "trees-damaged", .message = "the trees are none: {}"},
    }};
MLC_REFUSALS(transform_cost_model_api, refusals);

using namespace ir;  // NOLINT: questions about nodes

namespace {

// A row of numbers per buffer that is stored to, with the kinds of operators of `workload` behind if that is
// given.
Any store_features_tensor(ApiCall& call) {
  auto size = [&](size_t index) { return ir::detail::argument<int64_t>(call, index); };
  StoreFeatureOptions options{ir::detail::argument<bool>(call, 1), size(2), size(3), size(4)};
  auto rows = store_features(ir::detail::argument<IRModule>(call, 0), options, call.host);
  auto workload = ir::detail::argument<std::optional<IRModule>>(call, 5);
  std::array<double, 8> kinds{};
  if (workload) kinds = operator_kinds(*workload);
  int64_t shape[] = {static_cast<int64_t>(rows.size()),
                     options.length() + (workload ? static_cast<int64_t>(kinds.size()) : 0)};
  ffi::Tensor table = make_tensor(shape, DataType::Float(64));
  auto* to = static_cast<double*>(table.data_ptr());
  for (const std::vector<double>& row : rows) {
    to = std::copy(row.begin(), row.end(), to);
    if (workload) to = std::copy(kinds.begin(), kinds.end(), to);
  }
  return table;
}

// An argument that is an array of that type and number of dimensions, row after row.
ffi::Tensor array_argument(ApiCall& call, size_t index, DataType dtype, int32_t dims) {
  auto array = call.args[index].as<NDArray>();
  ffi::Tensor tensor = array ? contiguous((*array)->tensor) : ir::detail::argument<ffi::Tensor>(call, index);
  if (DataType(tensor.dtype()) != dtype || tensor.ndim() != dims || !tensor.IsContiguous())
    throw refuse(refusals["training-data"]).at(call.span_of(index));
  return tensor;
}
template <class T>
std::span<const T> elements(const ffi::Tensor& tensor) {
  return {static_cast<const T*>(tensor.data_ptr()), static_cast<size_t>(tensor.numel())};
}
template <class T>
Any array_of(std::span<const int64_t> shape, DataType dtype, const std::vector<T>& values) {
  ffi::Tensor tensor = make_tensor(shape, dtype);
  std::copy(values.begin(), values.end(), static_cast<T*>(tensor.data_ptr()));
  return Any(make<NDArrayNode>(tensor));
}
constexpr int64_t kNodeColumns = 4;

Any fit_trees_of_arrays(ApiCall& call) {
  ffi::Tensor rows = array_argument(call, 0, DataType::Float(64), 2);
  ffi::Tensor owners = array_argument(call, 1, DataType::Int(64), 1);
  ffi::Tensor targets = array_argument(call, 2, DataType::Float(64), 1);
  ffi::Tensor weights = array_argument(call, 3, DataType::Float(64), 1);
  bool fits = owners.numel() == rows.size(0) && rows.numel() > 0 && weights.numel() == targets.numel() &&
              std::ranges::all_of(elements<int64_t>(owners),
                                  [&](int64_t owner) { return owner >= 0 && owner < targets.numel(); });
  if (!fits) throw refuse(refusals["training-data"]).at(call.span);
  auto number = [&](size_t index) { return ir::detail::argument<double>(call, index); };
  BoostingOptions options{ir::detail::argument<int64_t>(call, 4), number(5), number(6), number(7),
                          ir::detail::argument<int64_t>(call, 8)};
  BoostedTrees trees = fit_trees(elements<double>(rows), elements<int64_t>(owners), elements<double>(targets),
                                 elements<double>(weights), options);
  std::vector<double> nodes;
  for (const TreeNode& node : trees.nodes) {
    nodes.insert(nodes.end(), {static_cast<double>(node.feature), node.threshold,
                               static_cast<double>(node.left), static_cast<double>(node.right)});
  }
  int64_t table[] = {static_cast<int64_t>(trees.nodes.size()), kNodeColumns};
  int64_t count[] = {static_cast<int64_t>(trees.roots.size())};
  int64_t rounds[] = {static_cast<int64_t>(trees.errors.size())};
  return Array<Any>{array_of(table, DataType::Float(64), nodes),
                    array_of(count, DataType::Int(64), trees.roots),
                    array_of(rounds, DataType::Float(64), trees.errors)};
}

// Children come after their parents, so that every walk ends.
std::vector<TreeNode> nodes_of(const ffi::Tensor& table, int64_t width) {
  std::vector<TreeNode> nodes;
  auto numbers = elements<double>(table);
  auto count = static_cast<double>(table.size(0));
  for (size_t i = 0; i < numbers.size(); i += kNodeColumns) {
    double feature = numbers[i], left = numbers[i + 2], right = numbers[i + 3];
    auto own = static_cast<double>(nodes.size());
    bool leaf = feature < 0;
    if (!leaf && !(feature < static_cast<double>(width)))
      throw refuse(refusals["trees-damaged"], "they ask for more numbers than there are in a row");
    if (!leaf && !(left > own && right > own && left < count && right < count))
      throw refuse(refusals["trees-damaged"], "a child is not behind its parent");
    if (leaf)
      nodes.push_back({-1, numbers[i + 1], -1, -1});
    else
      nodes.push_back({static_cast<int64_t>(feature), numbers[i + 1], static_cast<int64_t>(left),
                       static_cast<int64_t>(right)});
  }
  return nodes;
}

Any sum_trees_of_arrays(ApiCall& call) {
  ffi::Tensor table = array_argument(call, 0, DataType::Float(64), 2);
  ffi::Tensor roots = array_argument(call, 1, DataType::Int(64), 1);
  ffi::Tensor rows = array_argument(call, 2, DataType::Float(64), 2);
  if (table.size(1) != kNodeColumns)
    throw refuse(refusals["trees-damaged"], "a node has four numbers").at(call.span);
  std::vector<TreeNode> nodes = nodes_of(table, rows.size(1));
  for (int64_t root : elements<int64_t>(roots)) {
    if (root < 0 || root >= table.size(0))
      throw refuse(refusals["trees-damaged"], "a tree begins at no node").at(call.span);
  }
  std::vector<double> sums;
  for (int64_t i = 0; i < rows.size(0); ++i)
    sums.push_back(
        sum_of_trees(nodes, elements<int64_t>(roots), elements<double>(rows).data() + i * rows.size(1)));
  int64_t count[] = {rows.size(0)};
  return array_of(count, DataType::Float(64), sums);
}

constexpr std::string_view kSTir = "tvm.s_tir.analysis";
constexpr ApiRow cost_model_api_table[] = {
    {ApiKind::kFunction, kSTir,
     "_store_features(mod, gpu, buffers_per_store=5, curve_samples=10, cache_line_bytes=64, workload=None)",
     "TVM's numbers of each store of a scheduled module, as rows of a tensor.", store_features_tensor},
    {ApiKind::kFunction, kSTir,
     "_fit_trees(rows, owners, targets, weights, max_depth, learning_rate, least_gain, least_weight, "
     "patience)",
     "Regression trees of samples of several rows: nodes, roots, and the error after each round.",
     fit_trees_of_arrays},
    {ApiKind::kFunction, kSTir, "_sum_trees(nodes, roots, rows)", "What trees say of each row.",
     sum_trees_of_arrays},
};

}  // namespace

void register_cost_model_api() { ApiRegistry::global().add(cost_model_api_table); }

}  // namespace mlc::transform
