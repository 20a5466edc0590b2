// SPDX-License-Identifier: Apache-2.0
// Reductions, scans and what finds the greatest.
#include <algorithm>

#include "ir/relax/infer_layout.h"
#include "ir/relax/operand_checks.h"

namespace mlc::relax::operators_statistics {
namespace {

// x without the axes that are reduced, or with 1 in their places. No axes: all are reduced.
Type reduced(const CallNode* call, const TensorTypeNode* x, const std::optional<std::vector<int64_t>>& given,
             bool keep, DataType dtype) {
  std::vector<int64_t> axes;
  if (given && x->knows_ndim()) axes = normalize_axes(*given, x->ndim, call);
  const Array<Expr>* dims = written_dims(x);
  Array<Expr> out;
  if (!given) {
    if (!keep) return tensor_type(Array<Expr>{}, dtype, x->vdevice);
    if (!x->knows_ndim()) return tensor_type(dtype, kUnknownNDim, x->vdevice);
    for (int64_t i = 0; i < x->ndim; ++i) out.push_back(dim(1));
    return tensor_type(out, dtype, x->vdevice);
  }
  if (!dims) {
    if (keep && x->ndim != 0) return tensor_type(dtype, x->ndim, x->vdevice);
    if (!x->knows_ndim()) return tensor_type(dtype, kUnknownNDim, x->vdevice);
    int64_t ndim = x->ndim - static_cast<int64_t>(axes.size());
    if (ndim == 0) return tensor_type(Array<Expr>{}, dtype, x->vdevice);
    return tensor_type(dtype, ndim, x->vdevice);
  }
  for (size_t i = 0; i < dims->size(); ++i) {
    if (std::find(axes.begin(), axes.end(), static_cast<int64_t>(i)) == axes.end()) {
      out.push_back((*dims)[i]);
    } else if (keep) {
      out.push_back(dim(1));
    }
  }
  return tensor_type(out, dtype, x->vdevice);
}

Type infer_reduction(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  return reduced(call, x, optional_ints_attr(call, "axis"), bool_attr(call, "keepdims"), x->dtype);
}

// Of all elements, of those along several axes and of a vector whose length is not known there are the
// medians alone; else, and where the dimensions of the result are not known, their indices come along, as in
// TVM.
Type infer_median(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  auto axes = optional_ints_attr(call, "axis");
  bool keep = bool_attr(call, "keepdims");
  Type values = reduced(call, x, axes, keep, x->dtype);
  bool alone = !axes || axes->size() > 1 || !written_dims(x);
  if (alone && written_dims(as_type<TensorTypeNode>(values))) return values;
  return make<TupleTypeNode>(Array<Type>{values, reduced(call, x, axes, keep, DataType::Int(64))});
}

Type infer_arg(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  std::optional<std::vector<int64_t>> axes;
  if (auto axis = optional_int_attr(call, "axis")) axes = std::vector<int64_t>{*axis};
  return reduced(call, x, axes, bool_attr(call, "keepdims"), DataType::Int(64));
}

Type infer_scan(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  DataType dtype = dtype_attr(call, "dtype");
  if (dtype.is_void()) dtype = x->dtype;
  auto axis = optional_int_attr(call, "axis");
  if (axis) {
    if (x->knows_ndim()) normalize_axis(*axis, x->ndim, call);
    return with_dtype(x, dtype);
  }
  const Array<Expr>* dims = written_dims(x);
  if (!dims) return tensor_type(dtype, x->ndim, x->vdevice);
  return tensor_type(Array<Expr>{plain_product(*dims)}, dtype, x->vdevice);
}

Any build_scan(ApiCall& call) {
  if (call.args[3] == nullptr) call.args[3] = Any(false);
  return call_with_attrs(call, {operand_arg(call, 0)}, 1);
}

constexpr AttrRows kReduction = {{{"axis", AttrKind::kOptInts}, {"keepdims", AttrKind::kBool}}};
constexpr AttrRows kArg = {{{"axis", AttrKind::kOptInt}, {"keepdims", AttrKind::kBool}}};
constexpr AttrRows kScan = {
    {{"axis", AttrKind::kOptInt}, {"dtype", AttrKind::kDtype}, {"exclusive", AttrKind::kBool}}};

constexpr Operator kRows[] = {
    {.signature = "max(x, axis=None, keepdims=False)",
     .doc = "The greatest along the axes; None: of all.",
     .infer = infer_reduction,
     .operands = 1,
     .attrs = kReduction.of("StatisticalAttrs"),
     .layout = layout_reduction},
    {.signature = "min(x, axis=None, keepdims=False)",
     .doc = "The least along the axes; None: of all.",
     .infer = infer_reduction,
     .operands = 1,
     .attrs = kReduction.of("StatisticalAttrs"),
     .layout = layout_reduction},
    {.signature = "mean(x, axis=None, keepdims=False)",
     .doc = "The mean along the axes; None: of all.",
     .infer = infer_reduction,
     .operands = 1,
     .attrs = kReduction.of("StatisticalAttrs"),
     .layout = layout_reduction},
    {.signature = "sum(x, axis=None, keepdims=False)",
     .doc = "The sum along the axes; None: of all.",
     .infer = infer_reduction,
     .operands = 1,
     .attrs = kReduction.of("StatisticalAttrs"),
     .layout = layout_reduction},
    {.signature = "prod(x, axis=None, keepdims=False)",
     .doc = "The product along the axes; None: of all.",
     .infer = infer_reduction,
     .operands = 1,
     .attrs = kReduction.of("StatisticalAttrs"),
     .layout = layout_reduction},
    {.signature = "std(x, axis=None, keepdims=False)",
     .doc = "The standard deviation along the axes; None: of all.",
     .infer = infer_reduction,
     .operands = 1,
     .attrs = kReduction.of("StatisticalAttrs"),
     .layout = layout_reduction},
    {.signature = "variance(x, axis=None, keepdims=False)",
     .doc = "The variance along the axes; None: of all.",
     .infer = infer_reduction,
     .operands = 1,
     .attrs = kReduction.of("StatisticalAttrs"),
     .layout = layout_reduction},
    {.signature = "median(x, axis=None, keepdims=False)",
     .arguments = "data Tensor",
     .doc = "The median along the axes, along one axis with its indices; None: of all.",
     .infer = infer_median,
     .operands = 1,
     .attrs = kReduction.of("StatisticalAttrs")},
    {.signature = "argmax(x, axis=None, keepdims=False)",
     .doc = "The index of the greatest along an axis; None: in the flattened tensor.",
     .infer = infer_arg,
     .operands = 1,
     .attrs = kArg.of("ArgmaxArgminAttrs")},
    {.signature = "argmin(x, axis=None, keepdims=False)",
     .doc = "The index of the least along an axis; None: in the flattened tensor.",
     .infer = infer_arg,
     .operands = 1,
     .attrs = kArg.of("ArgmaxArgminAttrs")},
    {.signature = "cumsum(data, axis=None, dtype=None, exclusive=False)",
     .doc = "Sums up to each element along an axis; None: of the flattened tensor.",
     .infer = infer_scan,
     .operands = 1,
     .attrs = kScan.of("ScanopAttrs"),
     .build = build_scan},
    {.signature = "cumprod(data, axis=None, dtype=None, exclusive=False)",
     .doc = "Products up to each element along an axis; None: of the flattened tensor.",
     .infer = infer_scan,
     .operands = 1,
     .attrs = kScan.of("ScanopAttrs"),
     .build = build_scan},
};

}  // namespace

extern const Operators statistics;
const Operators statistics{kRows};

}  // namespace mlc::relax::operators_statistics
