// SPDX-License-Identifier: Apache-2.0
// Tensors that are made of numbers, and their like.
#include <cmath>

#include "ir/relax/infer_layout.h"
#include "ir/relax/operand_checks.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/op.h"

namespace mlc::relax::operators_create {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "create-needs-dtype",
         .kind = "TypeError",
         .message = "`{}` needs a data type",
         .help = "such as `dtype=\"float32\"`"},
        {.name = "fill-not-scalar",
         .message = "`fill_value` of `{}` must be a tensor without dimensions, but has {}",
         .help = "such as `R.const(1.0, \"float32\")`"},
        {.name = "eye-shape-unknown",
         .kind = "RuntimeError",
         .message = "the shape of `x` of `eye_like` is unknown"},
        {.name = "window-not-float",
         .kind = "TypeError",
         .message = "a `hamming_window` of the data type `{}`: it must be a float"},
        {.name = "window-size", .message = "the size {} of a `hamming_window` must be greater than 0"},
        {.name = "one-hot-depth",
         .kind = "InternalError+ValueError",
         .message = "`one_hot` of the depth {}: it must be greater than 0"},
        {.name = "one-hot-values-differ",
         .kind = "InternalError+TypeError",
         .message = "`on_value` of `one_hot` is `{}`, `off_value` is `{}`; they must have one data type"},
        {.name = "one-hot-axis",
         .kind = "InternalError+ValueError",
         .message = "`one_hot`: axis {} is out of range for a tensor of {} dimensions"},
        {.name = "fill-not-tensor",
         .message = "`fill_value` of `full` must be a tensor without dimensions, but is a {}",
         .help = "write `R.const(0, \"float32\")`"},
        {.name = "arange-step-zero",
         .kind = "InternalError+ValueError",
         .message = "`arange` with a step of 0"},
    }};
MLC_REFUSALS(op_create, refusals);

namespace {

// ---- of a shape ----

Type infer_full(const CallNode* call, const InferContext&) {
  shape_operand(call, 0);
  const auto* value = type_as<TensorTypeNode>(call->args[1]);
  if (!value)
    throw ir::refuse(refusals["fill-not-tensor"], kind_name(call->args[1]->ty)).at(operand_span(call, 1));
  if (value->ndim != 0)
    throw ir::refuse(refusals["fill-not-scalar"], "full",
                     value->knows_ndim() ? fmt::format("{}", value->ndim) : std::string("an unknown number"))
        .at(operand_span(call, 1));
  DataType dtype = dtype_attr(call, "dtype");
  return make<TensorTypeNode>(call->args[0], dtype.is_void() ? value->data_type() : dtype, value->vdevice);
}
Type infer_full_like(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  const TensorTypeNode* value = tensor_operand(call, 1);
  if (value->ndim != 0)
    throw ir::refuse(refusals["fill-not-scalar"], "full_like",
                     value->knows_ndim() ? fmt::format("{}", value->ndim) : std::string("an unknown number"))
        .at(operand_span(call, 1));
  DataType dtype = dtype_attr(call, "dtype");
  return dtype.is_void() ? same_type(x) : with_dtype(x, dtype);
}
Type infer_of_shape(const CallNode* call, const InferContext&) {
  shape_operand(call, 0);
  return make<TensorTypeNode>(call->args[0], dtype_attr(call, "dtype"));
}
Type infer_like(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  DataType dtype = dtype_attr(call, "dtype");
  return dtype.is_void() ? same_type(x) : with_dtype(x, dtype);
}

Any build_of_shape(ApiCall& call) {
  if (call.args[1] == nullptr) throw ir::refuse(refusals["create-needs-dtype"], call.api.name).at(call.span);
  return call_with_attrs(call, {shape_arg(call, 0)}, 1);
}
Any build_full(ApiCall& call) { return call_with_attrs(call, {shape_arg(call, 0), operand_arg(call, 1)}, 2); }

// ---- matrices ----

Type infer_eye(const CallNode* call, const InferContext&) {
  Expr n = prim_int_operand(call, 0);
  Expr m = prim_int_operand(call, 1);
  prim_int_operand(call, 2);
  return tensor_type(Array<Expr>{n, m}, dtype_attr(call, "dtype"));
}
Type infer_eye_like(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  check_ndim(call, 0, x, 2);
  if (!x->shape) throw ir::refuse(refusals["eye-shape-unknown"]).at(operand_span(call, 0));
  DataType dtype = dtype_attr(call, "dtype");
  return with_dtype(x, dtype.is_void() ? x->data_type() : dtype);
}
Any build_eye(ApiCall& call) {
  Expr n = prim_arg(call, 0);
  Expr m = call.args[1] == nullptr ? n : prim_arg(call, 1);
  return call_with_attrs(call, {n, m, prim_arg(call, 2)}, 3);
}
Any build_eye_like(ApiCall& call) {
  return call_with_attrs(call, {operand_arg(call, 0), prim_arg(call, 1)}, 2);
}

Type infer_triangle(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  if (x->knows_ndim() && x->ndim < 2) refuse_ndim(call, 0, x->ndim, "at least 2 dimensions");
  return same_type(x);
}
Any build_triangle(ApiCall& call) {
  return call_with_attrs(call, {operand_arg(call, 0), prim_arg(call, 1)}, 2);
}

// ---- rows of numbers ----

std::optional<double> number(const Expr& e) {
  if (auto* real = as<ir::FloatImmNode>(e)) return real->value;
  if (auto whole = ir::const_int(e)) return static_cast<double>(*whole);
  return std::nullopt;
}
// How many numbers there are between constants, one of which is no integer; as float32 counts them.
std::optional<int64_t> float_count(const Expr& start, const Expr& end, const Expr& step) {
  auto a = number(start);
  auto b = number(end);
  auto by = number(step);
  if (!a || !b || !by) return std::nullopt;
  return static_cast<int64_t>(std::ceil(static_cast<float>(*b - *a) / static_cast<float>(*by)));
}

Type infer_arange(const CallNode* call, const InferContext& context) {
  Expr start = prim_operand(call, 0);
  Expr end = prim_operand(call, 1);
  Expr step = prim_operand(call, 2);
  if (ir::is_const_int(step, 0)) throw ir::refuse(refusals["arange-step-zero"]).at(operand_span(call, 2));
  Expr count;
  if (start->dtype().is_int() && end->dtype().is_int() && step->dtype().is_int()) {
    count = ir::floordiv(ir::sub(ir::add(ir::sub(end, start), step), dim(1)), step);
  } else if (auto known = float_count(start, end, step)) {
    count = dim(*known);
  } else {
    // float32, but with the precision of a step of float64.
    DataType dtype =
        step->dtype().is_float() && step->dtype().bits() == 64 ? step->dtype() : DataType::Float(32);
    Expr length = ir::cast(dtype, ir::cast(DataType::Float(32), ir::sub(end, start)));
    count = ir::cast(DataType::Int(64),
                     ir::call_op(dtype, "tirx.ceil", {ir::div(length, ir::cast(dtype, step))}));
  }
  return tensor_type(Array<Expr>{context.simplify(count)}, dtype_attr(call, "dtype"));
}

Any build_arange(ApiCall& call) {
  bool alone = call.args[1] == nullptr;
  Expr start = alone ? Expr(dim(0)) : prim_arg(call, 0);
  Expr end = prim_arg(call, alone ? 0 : 1);
  Expr step = prim_arg(call, 2);
  Any dtype = attr_arg(call, 3, AttrKind::kDtype);
  if (dtype == nullptr) {
    auto is_int = [](const Expr& e) { return is_prim(e) && (e->dtype().is_int() || e->dtype().is_bool()); };
    bool ints = is_int(start) && is_int(end) && is_int(step);
    dtype = Any(static_cast<DLDataType>(ints ? DataType::Int(64) : DataType::Float(32)));
  }
  return make_call("relax.arange", {start, end, step}, {{String("dtype"), dtype}}, {}, call.span);
}

Type infer_window(const CallNode* call, const InferContext& context) {
  DataType dtype = dtype_attr(call, "dtype");
  if (dtype.is_int() || dtype.is_uint())
    throw ir::refuse(refusals["window-not-float"], dtype.str()).at(call->span);
  Expr size = prim_operand(call, 0);
  for (size_t i = 1; i < 4; ++i) prim_operand(call, i);
  if (auto known = ir::const_int(size); known && *known <= 0)
    throw ir::refuse(refusals["window-size"], *known).at(operand_span(call, 0));
  return tensor_type(Array<Expr>{context.simplify(size)}, dtype);
}
Any build_window(ApiCall& call) {
  return call_with_attrs(call, {prim_arg(call, 0), prim_arg(call, 1), prim_arg(call, 2), prim_arg(call, 3)},
                         4);
}

Type infer_one_hot(const CallNode* call, const InferContext&) {
  const TensorTypeNode* indices = tensor_operand(call, 0);
  DataType dtype = prim_operand(call, 1)->dtype();
  prim_operand(call, 2);
  check_integer(call, 0, indices);
  if (!indices->knows_ndim()) return tensor_type(dtype, kUnknownNDim, indices->vdevice);
  const Array<Expr>* dims = written_dims(indices);
  if (!dims) return tensor_type(dtype, indices->ndim + 1, indices->vdevice);
  int64_t axis = int_attr(call, "axis");
  int64_t ndim = indices->ndim + 1;
  if (axis < -ndim || axis >= ndim) throw ir::refuse(refusals["one-hot-axis"], axis, ndim).at(call->span);
  if (axis < 0) axis += ndim;
  Array<Expr> out = *dims;
  out.insert(out.begin() + axis, dim(int_attr(call, "depth")));
  return tensor_type(out, dtype, indices->vdevice);
}
Any build_one_hot(ApiCall& call) {
  Expr on = prim_arg(call, 1);
  Expr off = prim_arg(call, 2);
  if (is_prim(on) && is_prim(off) && on->dtype() != off->dtype())
    throw ir::refuse(refusals["one-hot-values-differ"], on->dtype().str(), off->dtype().str())
        .at(call.span_of(2));
  int64_t depth = attr_arg(call, 3, AttrKind::kInt).cast<int64_t>();
  if (depth <= 0) throw ir::refuse(refusals["one-hot-depth"], depth).at(call.span_of(3));
  return call_with_attrs(call, {operand_arg(call, 0), on, off}, 3);
}

constexpr AttrRows kDtypeAttr = {{{"dtype", AttrKind::kDtype}}};
constexpr Operator kRows[] = {
    {.signature = "full(shape, fill_value, dtype=None)",
     .doc = "A tensor of that shape, filled with one value.",
     .infer = infer_full,
     .operands = 2,
     .attrs = kDtypeAttr.of("InitAttrs"),
     .build = build_full,
     .precision = Precision::kFollow},
    {.signature = "full_like(x, fill_value, dtype=None)",
     .doc = "A tensor of the shape of x, filled with one value.",
     .infer = infer_full_like,
     .operands = 2,
     .attrs = kDtypeAttr.of("InitAttrs"),
     .precision = Precision::kFollow},
    {.signature = "ones(shape, dtype)",
     .doc = "A tensor of ones.",
     .infer = infer_of_shape,
     .operands = 1,
     .attrs = kDtypeAttr.of("InitAttrs"),
     .build = build_of_shape,
     .precision = Precision::kFollow},
    {.signature = "ones_like(x, dtype=None)",
     .doc = "A tensor of ones, of the shape of x.",
     .infer = infer_like,
     .operands = 1,
     .attrs = kDtypeAttr.of("InitAttrs")},
    {.signature = "zeros(shape, dtype)",
     .doc = "A tensor of zeros.",
     .infer = infer_of_shape,
     .operands = 1,
     .attrs = kDtypeAttr.of("InitAttrs"),
     .build = build_of_shape,
     .precision = Precision::kFollow},
    {.signature = "zeros_like(x, dtype=None)",
     .doc = "A tensor of zeros, of the shape of x.",
     .infer = infer_like,
     .operands = 1,
     .attrs = kDtypeAttr.of("InitAttrs")},
    {.signature = "eye(n, m=None, k=0, dtype='float32')",
     .doc = "A matrix of n rows and m columns (None: n) with ones on diagonal k, zeros elsewhere.",
     .infer = infer_eye,
     .operands = 3,
     .attrs = kDtypeAttr.of("InitAttrs"),
     .build = build_eye,
     .precision = Precision::kFollow},
    {.signature = "eye_like(x, k=0, dtype=None)",
     .doc = "A matrix of the shape of x with ones on diagonal k, zeros elsewhere.",
     .infer = infer_eye_like,
     .operands = 2,
     .attrs = kDtypeAttr.of("InitAttrs"),
     .build = build_eye_like},
    {.signature = "arange(start, end=None, step=1, dtype=None)",
     .doc = "The numbers start, start + step, ... below end; of one number, those from 0 below it.",
     .infer = infer_arange,
     .operands = 3,
     .attrs = kDtypeAttr.of("InitAttrs"),
     .build = build_arange,
     .precision = Precision::kFollow},
    {.signature = "hamming_window(window_size, periodic, alpha, beta, dtype)",
     .arguments = "window_size PrimExpr; periodic PrimExpr; alpha PrimExpr; beta PrimExpr",
     .doc = "alpha - beta * cos(2 pi i / N), N being the size, or of a symmetric window the size less 1.",
     .infer = infer_window,
     .operands = 4,
     .attrs = kDtypeAttr.of("InitAttrs"),
     .build = build_window,
     .precision = Precision::kFollow},
    {.signature = "tril(x, k=0)",
     .doc = "x with zeros above diagonal k of its matrices.",
     .infer = infer_triangle,
     .operands = 2,
     .build = build_triangle},
    {.signature = "triu(x, k=0)",
     .doc = "x with zeros below diagonal k of its matrices.",
     .infer = infer_triangle,
     .operands = 2,
     .build = build_triangle},
    {.signature = "one_hot(indices, on_value, off_value, depth, axis=-1)",
     .doc = "A new axis of the length depth, with on_value at the place of each index, off_value elsewhere.",
     .infer = infer_one_hot,
     .operands = 3,
     .attrs = {{{"depth", AttrKind::kInt}, {"axis", AttrKind::kInt}}, "OneHotAttrs"},
     .build = build_one_hot},
    {.signature = "astype(x, dtype)",
     .doc = "x converted to another data type.",
     .infer = infer_like,
     .operands = 1,
     .attrs = kDtypeAttr.of("AstypeAttrs"),
     .precision = Precision::kFollow,
     .layout = layout_elementwise},
    {.signature = "wrap_param(data, dtype='float32')",
     .doc = "A parameter of a model in the data type with which the model computes.",
     .infer = infer_like,
     .operands = 1,
     .attrs = kDtypeAttr.of("WrapParamAttrs")},
};

}  // namespace

extern const Operators create;
const Operators create{kRows};

}  // namespace mlc::relax::operators_create
