// SPDX-License-Identifier: Apache-2.0
// Choice, search, sorting, sets, sampling.
#include <algorithm>
#include <cstring>

#include "ir/relax/operand_checks.h"

namespace mlc::relax::operators_search {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "topk-result",
         .kind = "InternalError+ValueError",
         .message = "`ret_type` of `topk` must be \"both\", \"values\" or \"indices\", not \"{}\""},
        {.name = "topk-count", .message = "`k` of `topk` must be one integer, but is a tensor of {}"},
        {.name = "topk-axis",
         .kind = "IndexError",
         .message = "`topk`: axis {} is out of range for a tensor of {} dimensions"},
        {.name = "unique-flag-unknown",
         .kind = "TypeError",
         .message = "{} must be a constant such as `True`: how many tensors there are depends on it"},
        {.name = "sample-not-float",
         .kind = "TypeError",
         .message = "{} must have a float data type, but has `{}`"},
        {.name = "sample-indices-not-int",
         .kind = "TypeError",
         .message = "{} must have a signed integer data type, but has `{}`"},
        {.name = "sample-column", .message = "{} must have 1 column, but has {}"},
    }};
MLC_REFUSALS(op_search, refusals);

namespace {

Type infer_where(const CallNode* call, const InferContext& context) {
  std::vector<const TensorTypeNode*> x = tensor_operands(call);
  check_bool(call, 0, x[0]);
  if (!x[1]->data_type().is_bool() && !x[2]->data_type().is_bool()) check_same_dtype(call, 1, x[1], 2, x[2]);
  VDevice vdevice = shared_vdevice(x);
  DataType dtype = x[1]->knows_dtype() && x[2]->knows_dtype() ? x[1]->data_type() : DataType::Void();
  int64_t ndim = 0;
  for (const TensorTypeNode* each : x) {
    if (!each->knows_ndim()) return tensor_type(dtype, kUnknownNDim, vdevice);
    ndim = std::max(ndim, each->ndim);
  }
  const Array<Expr>* c = written_dims(x[0]);
  const Array<Expr>* a = written_dims(x[1]);
  const Array<Expr>* b = written_dims(x[2]);
  if (c && a && b) {
    auto values = broadcast_shape(*a, *b, call, 1, 2, context);
    if (!values) return tensor_type(dtype, ndim, vdevice);
    auto all = broadcast_shape(*c, *values, call, 0, 1, context);
    return all ? tensor_type(*all, dtype, vdevice) : tensor_type(dtype, ndim, vdevice);
  }
  if (x[0]->shape && x[0]->shape.same_as(x[1]->shape) && x[0]->shape.same_as(x[2]->shape))
    return make<TensorTypeNode>(x[0]->shape, dtype, vdevice);
  return tensor_type(dtype, ndim, vdevice);
}

Type infer_bucketize(const CallNode* call, const InferContext&) {
  std::vector<const TensorTypeNode*> x = tensor_operands(call);
  check_ndim(call, 1, x[1], 1);
  DataType dtype = bool_attr(call, "out_int32") ? DataType::Int(32) : DataType::Int(64);
  return written_dims(x[0]) ? with_dtype(x[0], dtype) : tensor_type(dtype, x[0]->ndim, x[0]->vdevice);
}

// ---- sorting ----

Type infer_sort(const CallNode* call, const InferContext&) { return same_type(tensor_operand(call, 0)); }
Type infer_argsort(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  DataType dtype = dtype_attr(call, "dtype");
  return with_dtype(x, dtype.is_void() ? x->data_type() : dtype);
}

Type infer_topk(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  DataType indices = dtype_attr(call, "dtype");
  if (indices.is_void()) indices = x->data_type();
  int64_t k = int_attr(call, "k");
  const Array<Expr>* dims = written_dims(x);
  auto of = [&](DataType dtype) {
    if (!dims) return tensor_type(dtype, x->ndim, x->vdevice);
    int64_t axis = int_attr(call, "axis");
    if (axis < -x->ndim || axis >= x->ndim)
      throw ir::refuse(refusals["topk-axis"], axis, x->ndim).at(call->span);
    if (axis < 0) axis += x->ndim;
    Array<Expr> out = *dims;
    auto length = ir::const_int(out[axis]);
    if (k > 0 && (!length || k < *length)) out.Set(axis, dim(k));
    return tensor_type(out, dtype, x->vdevice);
  };
  std::string which = string_attr(call, "ret_type");
  if (which == "values") return of(x->dtype);
  if (which == "indices") return of(indices);
  if (which == "both") return make<TupleTypeNode>(Array<Type>{of(x->dtype), of(indices)});
  throw ir::refuse(refusals["topk-result"], which).at(call->span);
}
// The one integer that a tensor holds; nullopt of other data types.
std::optional<int64_t> integer_of(const ffi::Tensor& tensor) {
  DataType dtype(tensor.dtype());
  if (!dtype.is_int() && !dtype.is_uint() && !dtype.is_bool()) return std::nullopt;
  uint64_t bytes = 0;
  std::memcpy(&bytes, tensor.data_ptr(), static_cast<size_t>((dtype.bits() + 7) / 8));
  int unused = dtype.is_int() ? 64 - dtype.bits() : 0;
  return static_cast<int64_t>(bytes << unused) >> unused;
}
Any build_topk(ApiCall& call) {
  if (auto* constant = call.args[1].as<GenericConstNode>()) {
    // A constant of one element for k is its value.
    auto tensor = constant->tensor();
    if (tensor && tensor->numel() != 1)
      throw ir::refuse(refusals["topk-count"], tensor->numel()).at(call.span_of(1));
    if (auto k = tensor ? integer_of(*tensor) : std::nullopt) call.args[1] = Any(*k);
  }
  return call_with_attrs(call, {operand_arg(call, 0)}, 1);
}

// ---- sets ----

bool flag_operand(const CallNode* call, size_t i) {
  if (auto known = ir::const_int(prim_operand(call, i))) return *known != 0;
  throw ir::refuse(refusals["unique-flag-unknown"], operand_name(call, i)).at(operand_span(call, i));
}

// Of a tensor of one rank, so many elements as there are.
Type infer_unique(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  int extra = flag_operand(call, 2) + flag_operand(call, 3) + flag_operand(call, 4);
  bool along = call->args.size() > 5;
  if (along && x->knows_ndim()) {
    if (auto axis = ir::const_int(prim_int_operand(call, 5))) normalize_axis(*axis, x->ndim, call);
  }
  auto of = [&](DataType dtype, int64_t ndim) {
    if (x->ndim == 0) return tensor_type(Array<Expr>{dim(1)}, dtype, x->vdevice);
    return tensor_type(dtype, ndim, x->vdevice);
  };
  Array<Type> all{of(x->dtype, along ? x->ndim : 1)};
  for (int i = 0; i < extra; ++i) all.push_back(of(DataType::Int(64), 1));
  return all.size() == 1 ? all[0] : Type(make<TupleTypeNode>(all));
}
Any build_unique(ApiCall& call) {
  Array<Expr> args{operand_arg(call, 0)};
  for (size_t i = 1; i < 5; ++i) args.push_back(prim_arg(call, i));
  if (call.args[5] != nullptr) args.push_back(prim_arg(call, 5));
  return make_call("relax.unique", args, {}, {}, call.span);
}

Type infer_nonzero(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  return tensor_type(DataType::Int(64), 2, x->vdevice);
}

// ---- sampling ----

Type infer_multinomial(const CallNode* call, const InferContext& context) {
  std::vector<const TensorTypeNode*> x = tensor_operands(call);
  for (size_t i = 0; i < 2; ++i) {
    DataType dtype = x[i]->data_type();
    if (x[i]->knows_dtype() && !dtype.is_float() && !dtype.is_bfloat16())
      throw ir::refuse(refusals["sample-not-float"], operand_name(call, i), dtype.str())
          .at(operand_span(call, i));
  }
  if (x[2]->knows_dtype() && !x[2]->data_type().is_int()) {
    throw ir::refuse(refusals["sample-indices-not-int"], operand_name(call, 2), x[2]->data_type().str())
        .at(operand_span(call, 2));
  }
  DataType dtype = dtype_attr(call, "dtype");
  for (const TensorTypeNode* each : x) {
    if (!each->knows_ndim()) return tensor_type(dtype, kUnknownNDim, x[0]->vdevice);
  }
  for (size_t i = 0; i < 3; ++i) check_ndim(call, i, x[i], 2);
  const Array<Expr>* uniform = written_dims(x[1]);
  const Array<Expr>* indices = written_dims(x[2]);
  if (!written_dims(x[0]) || !uniform || !indices) return tensor_type(dtype, 2, x[0]->vdevice);
  if (!context.proves_equal((*uniform)[0], (*indices)[0]))
    refuse_dims(call, 1, 0, (*uniform)[0], 2, 0, (*indices)[0], context);
  for (size_t i = 1; i < 3; ++i) {
    const Expr& columns = (*written_dims(x[i]))[1];
    if (ir::is_const_int(columns, 1)) continue;
    throw ir::refuse(refusals["sample-column"], operand_name(call, i), dim_text(columns))
        .at(operand_span(call, i));
  }
  return tensor_type(Array<Expr>{(*uniform)[0], dim(1)}, dtype, x[0]->vdevice);
}

constexpr Operator kRows[] = {
    {.signature = "where(condition, x1, x2)",
     .doc = "x1 where the condition is true, else x2, elementwise.",
     .infer = infer_where},
    {.signature = "bucketize(input_tensor, boundaries, out_int32=False, right=False)",
     .doc = "For each element the index of the interval between sorted boundaries in which it lies.",
     .infer = infer_bucketize,
     .operands = 2,
     .attrs = {{{"out_int32", AttrKind::kBool}, {"right", AttrKind::kBool}}, "BucketizeAttrs"}},
    {.signature = "sort(x, axis=-1, descending=False)",
     .arguments = "data Tensor",
     .doc = "x sorted along an axis.",
     .infer = infer_sort,
     .operands = 1,
     .attrs = {{{"axis", AttrKind::kInt}, {"descending", AttrKind::kBool}}, "SortAttrs"}},
    {.signature = "argsort(data, axis=-1, descending=False, dtype='int32')",
     .doc = "The indices that sort a tensor along an axis.",
     .infer = infer_argsort,
     .operands = 1,
     .attrs = {{{"axis", AttrKind::kInt}, {"descending", AttrKind::kBool}, {"dtype", AttrKind::kDtype}},
               "ArgsortAttrs"},
     .none_dtype = true},
    {.signature = "topk(data, k=1, axis=-1, ret_type='both', largest=True, dtype='int32')",
     .doc = "The k greatest along an axis: their values, their indices, or both. k below 1: all, sorted.",
     .infer = infer_topk,
     .operands = 1,
     .attrs = {{{"k", AttrKind::kInt},
                {"axis", AttrKind::kInt},
                {"ret_type", AttrKind::kString},
                {"largest", AttrKind::kBool},
                {"dtype", AttrKind::kDtype}},
               "TopKAttrs"},
     .build = build_topk,
     .none_dtype = true},
    {.signature =
         "unique(x, sorted=True, return_index=False, return_inverse=False, return_counts=False, axis=None)",
     .arguments = "x Tensor; sorted Tensor; return_index Tensor; return_inverse Tensor; return_counts "
                  "Tensor; axis Tensor",
     .doc = "The elements that differ, or slices along an axis; with their first indices, the way back, how "
            "many.",
     .infer = infer_unique,
     .operands = 6,
     .build = build_unique},
    {.signature = "nonzero(x)",
     .doc = "The indices of elements that are not 0, a row for each dimension.",
     .infer = infer_nonzero},
    {.signature = "multinomial_from_uniform(prob, uniform_sample, sample_indices, dtype='int64')",
     .doc = "For each uniform sample the index that it draws from the row of prob that sample_indices names.",
     .infer = infer_multinomial,
     .operands = 3,
     .attrs = {{{"dtype", AttrKind::kDtype}}, "MultinomialFromUniformAttrs"}},
};

}  // namespace

extern const Operators search;
const Operators search{kRows};

}  // namespace mlc::relax::operators_search
