// SPDX-License-Identifier: Apache-2.0
// Tensors in another shape or order: reshape, transpose, join, split, repeat.
#include <tvm/ffi/container/list.h>

#include <algorithm>
#include <numeric>

#include "ir/relax/infer_layout.h"
#include "ir/relax/operand_checks.h"
#include "ir/relax/origin.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/index_map.h"
#include "ir/tir/nonnegative.h"

namespace mlc::relax::operators_manipulate {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "broadcast-to-smaller",
         .message =
             "`broadcast_to`: a tensor of {} dimensions does not broadcast to the shape of {} dimensions"},
        {.name = "broadcast-to-mismatch",
         .message =
             "`broadcast_to`: dimension {} of `x` is {}, that of the shape is {}; it must be that or 1"},
        {.name = "concat-mismatch",
         .message = "`{}`: dimension {} of the tensors is {} and {}; it must be the same in all"},
        {.name = "tuple-ranks-differ", .message = "`{}`: its tensors have {} and {} dimensions"},
        {.name = "permute-rank-unknown",
         .kind = "InternalError+ValueError",
         .message = "`permute_dims`: axes for a tensor whose number of dimensions is unknown",
         .help = "say what is known with `R.match_cast`"},
        {.name = "permute-axis-count",
         .message = "`permute_dims`: {} axes for a tensor of {} dimensions",
         .help = "name every axis once"},
        {.name = "reshape-two-unknown",
         .kind = "InternalError+ValueError",
         .message = "`reshape`: more than one dimension is -1"},
        {.name = "reshape-negative",
         .kind = "InternalError+ValueError",
         .message = "`reshape`: the dimension {} is negative; only -1 is, for what is left"},
        {.name = "reshape-not-integer",
         .kind = "InternalError+TypeError",
         .message = "`reshape`: dimension {} of the shape is a `{}`, it must be an integer"},
        {.name = "reshape-unknown",
         .kind = "InternalError",
         .message = "`reshape`: 0 and -1 are found from the shape of `x`, which is unknown",
         .help = "say what is known with `R.match_cast`"},
        {.name = "reshape-no-dimension",
         .kind = "IndexError",
         .message = "`reshape`: dimension {} is 0, but `x` has {} dimensions"},
        {.name = "reshape-size", .message = "`reshape`: {} has {} elements, the new shape {} has {}"},
        {.name = "split-sections",
         .kind = "InternalError+ValueError",
         .message = "`split` into {} parts: it must be 1 or more"},
        {.name = "split-indices",
         .kind = "TypeError",
         .message = "`indices_or_sections` of `split` must be an integer or a list of integers"},
        {.name = "collapse-mismatch",
         .message = "`{}`: dimension {} of the data is {}, that of the target {}; it must be that or 1"},
        {.name = "layout-rank",
         .message = "`layout_transform`: the map is of {} indices, `x` has {} dimensions"},
        {.name = "layout-pad-dtype",
         .kind = "TypeError",
         .message = "`layout_transform`: the padding is `{}`, `x` is `{}`"},
        {.name = "layout-no-map",
         .kind = "TypeError",
         .message =
             "`index_map` of `layout_transform` must be a function of indices or an IndexMap, not `{}`"},
        {.name = "layout-map-result",
         .kind = "TypeError",
         .message = "`index_map` of `layout_transform` must return a list of index expressions"},
        {.name = "sequence-batch-length",
         .message = "`reverse_sequence`: `seq_lengths` has {} elements, axis {} of `data` has {}; they must "
                    "be equal"},
        {.name = "sequence-same-axes",
         .message = "`reverse_sequence`: `seq_axis` and `batch_axis` are both {}"},
        {.name = "sequence-lengths-dtype",
         .message = "`seq_lengths` of `reverse_sequence` must be `int32` or `int64`, but is `{}`"},
    }};
MLC_REFUSALS(op_manipulate, refusals);

namespace {

// ---- broadcast_to ----

Type infer_broadcast_to(const CallNode* call, const InferContext& context) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  const ShapeTypeNode* shape = shape_operand(call, 1);
  if (x->knows_ndim() && shape->knows_ndim() && shape->ndim < x->ndim)
    throw ir::refuse(refusals["broadcast-to-smaller"], x->ndim, shape->ndim).at(operand_span(call, 1));
  auto dims = x->dims();
  if (dims && shape->values.has_value()) {
    const Array<Expr>& target = *shape->values;
    for (size_t k = 1; k <= dims->size(); ++k) {
      const Expr& from = (*dims)[dims->size() - k];
      const Expr& to = target[target.size() - k];
      if (ir::is_const_int(from, 1) || !context.proves_different(from, to)) continue;
      throw ir::refuse(refusals["broadcast-to-mismatch"], dims->size() - k, dim_text(from), dim_text(to))
          .at(operand_span(call, 1));
    }
  }
  return make<TensorTypeNode>(call->args[1], x->dtype, x->vdevice);
}
Any build_with_shape(ApiCall& call) {
  return call_with_attrs(call, {operand_arg(call, 0), shape_arg(call, 1)}, 2);
}

// ---- joins ----

// The tensors of a tuple that are joined: one data type, one rank, one device, and where all have written
// shapes these dimensions.
struct Joined {
  std::vector<const TensorTypeNode*> tensors;
  DataType dtype = DataType::Void();
  int64_t ndim;
  VDevice vdevice;
  std::vector<Array<Expr>> shapes;  // of those whose shape is known
  bool all_written = true;

  Joined(const CallNode* call, int64_t ndim) : tensors(tensor_tuple_operand(call, 0)), ndim(ndim) {
    check_not_empty(call, tensors);
    check_ndim(call, tensors[0]);
    dtype = shared_dtype(call, tensors);
    vdevice = shared_vdevice(tensors);
    for (const TensorTypeNode* each : tensors) {
      if (this->ndim == kUnknownNDim) this->ndim = each->ndim;
      check_ndim(call, each);
      if (!written_dims(each)) all_written = false;
      if (auto dims = each->dims()) shapes.push_back(*dims);
    }
  }
  void check_ndim(const CallNode* call, const TensorTypeNode* tensor) const {
    if (ndim == kUnknownNDim || !tensor->knows_ndim() || tensor->ndim == ndim) return;
    throw ir::refuse(refusals["tuple-ranks-differ"], call_name(call), ndim, tensor->ndim)
        .at(operand_span(call, 0));
  }
  [[noreturn]] static void refuse_mismatch(const CallNode* call, size_t d, const Expr& a, const Expr& b,
                                           const InferContext& context) {
    ir::Error error = ir::refuse(refusals["concat-mismatch"], call_name(call), d, dim_text(a), dim_text(b))
                          .at(operand_span(call, 0));
    if (auto* tuple = as<TupleNode>(call->args[0])) {
      for (const Expr& dim : {a, b}) {
        for (const Expr& each : tuple->elements) explain_dim(error, each, dim, context);
      }
    }
    throw error;
  }
  // Are the dimensions but `free` the same in all: nullopt where it cannot be decided.
  bool same_but(const CallNode* call, int64_t free, const InferContext& context) const {
    bool same = true;
    for (size_t d = 0; d < shapes[0].size(); ++d) {
      if (static_cast<int64_t>(d) == free) continue;
      for (size_t i = 1; i < shapes.size(); ++i) {
        auto equal = context.equal(shapes[i][d], shapes[0][d]);
        if (equal == InferContext::Proof::kFalse)
          refuse_mismatch(call, d, shapes[0][d], shapes[i][d], context);
        if (equal != InferContext::Proof::kTrue) same = false;
      }
    }
    return same;
  }
};

Type infer_concat(const CallNode* call, const InferContext& context) {
  auto given = optional_int_attr(call, "axis");
  Joined all(call, given ? kUnknownNDim : 1);
  if (all.ndim == kUnknownNDim)
    return all.tensors.size() == 1 ? same_type(all.tensors[0])
                                   : tensor_type(all.dtype, all.ndim, all.vdevice);
  int64_t axis = given ? normalize_axis(*given, all.ndim, call) : 0;
  if (all.tensors.size() == 1) return same_type(all.tensors[0]);
  if (all.shapes.empty()) return tensor_type(all.dtype, all.ndim, all.vdevice);
  bool same = all.same_but(call, axis, context);
  if (!same || !all.all_written) return tensor_type(all.dtype, all.ndim, all.vdevice);
  const Expr& first = all.shapes[0][axis];
  bool equal = std::all_of(all.shapes.begin(), all.shapes.end(), [&](const Array<Expr>& each) {
    return ir::structural_equal(Any(each[axis]), Any(first));
  });
  Expr sum = dim(0);
  if (equal) {
    sum = ir::mul(first, dim(static_cast<int64_t>(all.shapes.size())));
  } else {
    for (const Array<Expr>& each : all.shapes) sum = ir::add(sum, each[axis]);
  }
  Array<Expr> out = all.shapes[0];
  out.Set(axis, sum);
  return tensor_type(out, all.dtype, all.vdevice);
}

Type infer_stack(const CallNode* call, const InferContext& context) {
  std::vector<const TensorTypeNode*> tensors = tensor_tuple_operand(call, 0);
  check_not_empty(call, tensors);
  shared_dtype(call, tensors);
  for (const TensorTypeNode* each : tensors) {
    if (each->knows_ndim() && each->ndim != tensors[0]->ndim)
      throw ir::refuse(refusals["tuple-ranks-differ"], "stack", tensors[0]->ndim, each->ndim)
          .at(operand_span(call, 0));
  }
  Joined all(call, tensors[0]->ndim);
  int64_t ndim = tensors[0]->ndim + 1;
  int64_t axis = normalize_axis(optional_int_attr(call, "axis").value_or(0), ndim, call);
  if (all.shapes.empty()) return tensor_type(all.dtype, ndim, all.vdevice);
  bool same = all.same_but(call, -1, context);
  if (all.tensors.size() > 1 && (!same || !all.all_written)) return tensor_type(all.dtype, ndim, all.vdevice);
  Array<Expr> out = all.shapes[0];
  out.insert(out.begin() + axis, dim(static_cast<int64_t>(all.tensors.size())));
  return tensor_type(out, all.dtype, all.vdevice);
}

// `xy` puts the second grid axis first, as pictures have it: y counts rows. (TVM infers the shape of `ij` for
// it.)
Type infer_meshgrid(const CallNode* call, const InferContext&) {
  std::vector<const TensorTypeNode*> tensors = tensor_tuple_operand(call, 0);
  check_not_empty(call, tensors);
  auto n = static_cast<int64_t>(tensors.size());
  DataType dtype = DataType::Void();
  Array<Expr> lengths;
  for (const TensorTypeNode* each : tensors) {
    if (each->ndim != 1) refuse_ndim(call, 0, each->ndim, "tensors of 1 dimension");
    if (!each->knows_dtype()) continue;
    if (dtype.is_void()) dtype = each->dtype;
    if (const Array<Expr>* dims = written_dims(each)) lengths.push_back((*dims)[0]);
  }
  std::vector<const TensorTypeNode*> typed;
  for (const TensorTypeNode* each : tensors) {
    if (each->knows_dtype()) typed.push_back(each);
  }
  shared_dtype(call, typed);
  VDevice vdevice = shared_vdevice(typed);
  if (lengths.size() >= 2 && string_attr(call, "indexing") == "xy") {
    Expr first = lengths[0];
    lengths.Set(0, lengths[1]);
    lengths.Set(1, first);
  }
  Type one = static_cast<int64_t>(lengths.size()) == n ? tensor_type(lengths, dtype, vdevice)
                                                       : tensor_type(dtype, n, vdevice);
  Array<Type> all;
  for (int64_t i = 0; i < n; ++i) all.push_back(one);
  return make<TupleTypeNode>(all);
}

// ---- axes ----

Type infer_expand_dims(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  std::vector<int64_t> axes = ints_attr(call, "axis");
  if (axes.empty()) return same_type(x);
  if (!x->knows_ndim()) return with_ndim(x, kUnknownNDim);
  int64_t ndim = x->ndim + static_cast<int64_t>(axes.size());
  axes = normalize_axes(axes, ndim, call);
  const Array<Expr>* dims = written_dims(x);
  if (!dims) return with_ndim(x, ndim);
  Array<Expr> out;
  size_t next = 0;
  for (int64_t i = 0; i < ndim; ++i) {
    bool added = std::find(axes.begin(), axes.end(), i) != axes.end();
    out.push_back(added ? Expr(dim(1)) : (*dims)[next++]);
  }
  return with_dims(x, out);
}

Type infer_flatten(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  if (x->ndim == 0) return with_dims(x, {dim(1)});
  if (x->ndim == 1) return same_type(x);
  const Array<Expr>* dims = written_dims(x);
  return dims ? with_dims(x, {plain_product(*dims)}) : with_ndim(x, 1);
}

Type infer_permute_dims(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  auto given = optional_ints_attr(call, "axes");
  if (!given && !x->knows_ndim()) return with_ndim(x, kUnknownNDim);
  if (given && static_cast<int64_t>(given->size()) != x->ndim) {
    if (!x->knows_ndim()) throw ir::refuse(refusals["permute-rank-unknown"]).at(operand_span(call, 0));
    throw ir::refuse(refusals["permute-axis-count"], given->size(), x->ndim).at(call->span);
  }
  std::vector<int64_t> axes(static_cast<size_t>(x->ndim));
  std::iota(axes.rbegin(), axes.rend(), 0);
  if (given) axes = normalize_axes(*given, x->ndim, call);
  if (std::is_sorted(axes.begin(), axes.end())) return same_type(x);
  const Array<Expr>* dims = written_dims(x);
  if (!dims) return with_ndim(x, x->ndim);
  Array<Expr> out;
  for (int64_t axis : axes) out.push_back((*dims)[axis]);
  return with_dims(x, out);
}

Type infer_squeeze(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  auto given = optional_ints_attr(call, "axis");
  if (given && given->empty()) return same_type(x);
  if (!x->knows_ndim()) return with_ndim(x, kUnknownNDim);
  auto dims = x->dims();
  std::vector<bool> gone(static_cast<size_t>(x->ndim), false);
  if (given) {
    std::vector<int64_t> axes = normalize_axes(*given, x->ndim, call);
    if (!dims) return with_ndim(x, x->ndim - static_cast<int64_t>(axes.size()));
    for (int64_t axis : axes) {
      // A symbolic dimension is taken to be 1; one that is known not to be stays.
      auto known = ir::const_int((*dims)[axis]);
      gone[axis] = !known || *known == 1;
    }
  } else {
    if (!dims) return with_ndim(x, kUnknownNDim);
    for (size_t i = 0; i < dims->size(); ++i) {
      auto known = ir::const_int((*dims)[i]);
      if (!known) return with_ndim(x, kUnknownNDim);
      gone[i] = *known == 1;
    }
  }
  Array<Expr> out;
  for (size_t i = 0; i < dims->size(); ++i) {
    if (!gone[i]) out.push_back((*dims)[i]);
  }
  if (written_dims(x)) return with_dims(x, out);
  if (out.size() == dims->size()) return same_type(x);
  return with_ndim(x, given ? static_cast<int64_t>(out.size()) : kUnknownNDim);
}

// ---- reshape ----

Type infer_reshape(const CallNode* call, const InferContext& context) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  const ShapeTypeNode* shape = shape_operand(call, 1);
  auto dims = x->dims();
  if (dims && shape->values.has_value()) {
    Expr before = plain_product(*dims);
    Expr after = plain_product(*shape->values);
    if (context.proves_different(before, after))
      throw ir::refuse(refusals["reshape-size"], shape_text(*dims), dim_text(context.simplify(before)),
                       shape_text(*shape->values), dim_text(context.simplify(after)))
          .at(operand_span(call, 1));
  }
  if (as<VarNode>(call->args[1]) && shape->values.has_value())
    return tensor_type(*shape->values, x->dtype, x->vdevice);
  return make<TensorTypeNode>(call->args[1], x->dtype, x->vdevice);
}

// `axes` is a list, also of one axis.
Any build_permute_dims(ApiCall& call) {
  const Any& axes = call.args[1];
  if (axes != nullptr && !axes.as<Array<Any>>() && !axes.as<ffi::ListObj>())
    ir::wrong_argument(call, 1, "a list of axes");
  return call_with_attrs(call, {operand_arg(call, 0)}, 1);
}

// In the new shape 0 stands for the dimension of x at that place, and one -1 for what is left.
Any build_reshape(ApiCall& call) {
  Expr x = operand_arg(call, 0);
  Expr shape = shape_arg(call, 1);
  auto* written = as<ShapeExprNode>(shape);
  if (!written) return call_with_attrs(call, {x, shape}, 2);
  Array<Expr> dims = written->values;
  int64_t left = -1;
  bool copies = false;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!is_prim(dims[i]) || !(dims[i]->dtype().is_int() || dims[i]->dtype().is_uint()))
      throw ir::refuse(refusals["reshape-not-integer"], i, dims[i]->dtype().str()).at(call.span_of(1));
    auto known = ir::const_int(dims[i]);
    if (!known || *known > 0) continue;
    if (*known == 0) {
      copies = true;
    } else if (*known < -1) {
      throw ir::refuse(refusals["reshape-negative"], *known).at(call.span_of(1));
    } else if (left >= 0) {
      throw ir::refuse(refusals["reshape-two-unknown"]).at(call.span_of(1));
    } else {
      left = static_cast<int64_t>(i);
    }
  }
  if (left < 0 && !copies) return call_with_attrs(call, {x, shape}, 2);
  const auto* type = x->ty ? as_type<TensorTypeNode>(x->ty) : nullptr;
  auto old = type ? type->dims() : std::nullopt;
  if (!old) throw ir::refuse(refusals["reshape-unknown"]).at(call.span_of(0));
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!ir::is_const_int(dims[i], 0)) continue;
    if (i >= old->size())
      throw ir::refuse(refusals["reshape-no-dimension"], i, old->size()).at(call.span_of(1));
    dims.Set(i, (*old)[i]);
  }
  if (left >= 0) {
    Expr known = dim(1);
    for (const Expr& each : dims) {
      if (auto value = ir::const_int(each); !value || *value > 0) known = ir::mul(known, each);
    }
    dims.Set(left, InferContext(call.host).simplify(ir::floordiv(plain_product(*old), known)));
  }
  return call_with_attrs(call, {x, make<ShapeExprNode>(dims, shape->span)}, 2);
}

// ---- split ----

Type infer_split(const CallNode* call, const InferContext& context) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  const Array<Expr>* dims = written_dims(x);
  int64_t axis = x->knows_ndim() ? normalize_axis(int_attr(call, "axis"), x->ndim, call) : -1;
  Any how = attr(call, "indices_or_sections");
  Array<Type> parts;
  if (auto indices = how.as<Array<Any>>()) {
    if (indices->empty()) return same_type(x);
    if (!dims) {
      for (size_t i = 0; i <= indices->size(); ++i) parts.push_back(with_ndim(x, x->ndim));
      return make<TupleTypeNode>(parts);
    }
    const Expr& length = (*dims)[axis];
    auto nonnegative = [&](const Expr& e) { return ir::is_nonnegative(e, DimensionFacts{context}); };
    auto within = [&](const Expr& at) -> Expr {
      auto known = ir::const_int(at);
      if (known && (*known < 0 || (*known == 0 && nonnegative(length)))) return dim(0);
      return nonnegative(context.simplify(ir::sub(length, at))) ? at : ir::min(at, length);
    };
    for (size_t i = 0; i <= indices->size(); ++i) {
      Expr begin = i == 0 ? Expr(dim(0)) : dim((*indices)[i - 1].cast<int64_t>());
      Expr end = i < indices->size() ? Expr(dim((*indices)[i].cast<int64_t>())) : length;
      Array<Expr> out = *dims;
      Expr from = within(begin);
      Expr to = i < indices->size() ? within(end) : length;
      bool empty = ir::is_const_int(to, 0);  // whatever the sign of the dimension
      Expr size =
          empty || ir::is_const_int(from, 0) ? context.simplify(to) : context.simplify(ir::sub(to, from));
      out.Set(axis, nonnegative(size) ? size : context.simplify(ir::max(size, dim(0))));
      parts.push_back(with_dims(x, out));
    }
    return make<TupleTypeNode>(parts);
  }
  int64_t n = how.cast<int64_t>();
  if (n == 1) return same_type(x);
  if (!dims) {
    for (int64_t i = 0; i < n; ++i) parts.push_back(with_ndim(x, x->ndim));
    return make<TupleTypeNode>(parts);
  }
  const Expr& length = (*dims)[axis];
  Expr each = context.simplify(ir::ceildiv(length, dim(n)));
  Array<Expr> out = *dims;
  out.Set(axis, each);
  Type one = with_dims(x, out);
  for (int64_t i = 0; i + 1 < n; ++i) parts.push_back(one);
  out.Set(axis, context.simplify(ir::sub(length, ir::mul(each, dim(n - 1)))));
  parts.push_back(with_dims(x, out));
  return make<TupleTypeNode>(parts);
}

Any build_split(ApiCall& call) {
  Any how;
  // Here, as in TVM, numbers may be expressions of a constant, such as dimensions.
  auto number = [](const Any& value) {
    auto* imm = value.as<ir::IntImmNode>();
    return imm ? Any(imm->value) : value;
  };
  bool listed = call.args[1].as<Array<Any>>() || call.args[1].as<ffi::ListObj>();
  if (listed) {
    Array<Any> all;
    for (const Any& each : one_or_all(call.args[1])) all.push_back(number(each));
    call.args[1] = all;
  } else {
    call.args[1] = number(call.args[1]);
  }
  const Any& given = call.args[1];
  if (given.as<int64_t>()) {
    how = attr_arg(call, 1, AttrKind::kInt);
    if (how.cast<int64_t>() <= 0)
      throw ir::refuse(refusals["split-sections"], how.cast<int64_t>()).at(call.span_of(1));
  } else if (given == nullptr) {
    throw ir::refuse(refusals["split-indices"]).kind("InternalError+TypeError").at(call.span_of(1));
  } else if (given.as<Expr>()) {
    throw ir::refuse(refusals["split-indices"]).at(call.span_of(1));
  } else {
    how = attr_arg(call, 1, AttrKind::kInts);
  }
  Any axis = attr_arg(call, 2, AttrKind::kInt);
  return make_call("relax.split", {operand_arg(call, 0)},
                   {{String("indices_or_sections"), how}, {String("axis"), axis}}, {}, call.span);
}

// ---- repetition ----

Type infer_repeat(const CallNode* call, const InferContext& context) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  int64_t times = int_attr(call, "repeats");
  auto given = optional_int_attr(call, "axis");
  int64_t axis = given && x->knows_ndim() ? normalize_axis(*given, x->ndim, call) : 0;
  const Array<Expr>* dims = written_dims(x);
  if (!dims) {
    if (!given) return with_ndim(x, 1);
    return times == 1 ? same_type(x) : with_ndim(x, x->ndim);
  }
  if (!given) return with_dims(x, {context.simplify(ir::mul(plain_product(*dims), dim(times)))});
  Array<Expr> out = *dims;
  out.Set(axis, context.simplify(ir::mul(out[axis], dim(times))));
  return with_dims(x, out);
}

Type infer_tile(const CallNode* call, const InferContext& context) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  std::vector<int64_t> times = ints_attr(call, "repeats");
  auto count = static_cast<int64_t>(times.size());
  const Array<Expr>* dims = written_dims(x);
  if (!dims) {
    if (!x->knows_ndim()) return with_ndim(x, kUnknownNDim);
    if (count > x->ndim) return with_ndim(x, count);
    bool ones = std::all_of(times.begin(), times.end(), [](int64_t n) { return n == 1; });
    return ones ? same_type(x) : with_ndim(x, x->ndim);
  }
  int64_t ndim = std::max(count, x->ndim);
  Array<Expr> out;
  for (int64_t i = 0; i < ndim; ++i) {
    int64_t from = i - (ndim - x->ndim);
    int64_t n = i - (ndim - count);
    if (n < 0) {
      out.push_back((*dims)[from]);
    } else if (from < 0) {
      out.push_back(dim(times[n]));
    } else {
      out.push_back(context.simplify(ir::mul((*dims)[from], dim(times[n]))));
    }
  }
  return with_dims(x, out);
}

Type infer_flip(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  if (x->knows_ndim()) normalize_axis(int_attr(call, "axis"), x->ndim, call);
  return same_type(x);
}

Type infer_reverse_sequence(const CallNode* call, const InferContext& context) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  const TensorTypeNode* lengths = tensor_operand(call, 1);
  check_ndim(call, 1, lengths, 1);
  if (lengths->knows_dtype() && lengths->data_type() != DataType::Int(32) &&
      lengths->data_type() != DataType::Int(64))
    throw ir::refuse(refusals["sequence-lengths-dtype"], lengths->data_type().str())
        .at(operand_span(call, 1));
  if (!x->knows_ndim()) return same_type(x);
  int64_t sequence = normalize_axis(int_attr(call, "seq_axis"), x->ndim, call);
  int64_t batch = normalize_axis(int_attr(call, "batch_axis"), x->ndim, call);
  if (sequence == batch) throw ir::refuse(refusals["sequence-same-axes"], sequence).at(call->span);
  const Array<Expr>* dims = written_dims(x);
  const Array<Expr>* count = written_dims(lengths);
  if (dims && count && context.proves_different((*dims)[batch], (*count)[0]))
    throw ir::refuse(refusals["sequence-batch-length"], dim_text((*count)[0]), batch,
                     dim_text((*dims)[batch]))
        .at(operand_span(call, 1));
  return same_type(x);
}

// ---- sums that undo a broadcast ----

void check_collapse(const CallNode* call, const Array<Expr>& data, const Array<Expr>& target,
                    const InferContext& context) {
  for (size_t k = 1; k <= std::min(data.size(), target.size()); ++k) {
    const Expr& from = data[data.size() - k];
    const Expr& to = target[target.size() - k];
    if (context.proves_equal(from, to) || ir::is_const_int(to, 1)) continue;
    throw ir::refuse(refusals["collapse-mismatch"], call_name(call), data.size() - k, dim_text(from),
                     dim_text(to))
        .at(operand_span(call, 1));
  }
}
Type infer_collapse_sum_like(const CallNode* call, const InferContext& context) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  const TensorTypeNode* target = tensor_operand(call, 1);
  auto data = x->dims();
  auto dims = target->dims();
  if (data && dims) check_collapse(call, *data, *dims, context);
  if (target->shape) return make<TensorTypeNode>(target->shape, x->dtype, target->vdevice);
  return tensor_type(x->dtype, target->ndim, target->vdevice);
}
Type infer_collapse_sum_to(const CallNode* call, const InferContext& context) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  const ShapeTypeNode* shape = shape_operand(call, 1);
  auto data = x->dims();
  if (data && shape->values.has_value()) check_collapse(call, *data, *shape->values, context);
  return make<TensorTypeNode>(call->args[1], x->dtype, x->vdevice);
}

// ---- layout_transform ----

Type infer_layout_transform(const CallNode* call, const InferContext& context) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  auto map = attr(call, "index_map").cast<ir::IndexMap>();
  Any pad = attr(call, "pad_value");
  if (pad != nullptr) {
    DataType dtype = pad.cast<Expr>()->dtype();
    if (dtype != x->data_type())
      throw ir::refuse(refusals["layout-pad-dtype"], dtype.str(),
                       x->knows_dtype() ? x->data_type().str() : std::string("of an unknown data type"))
          .at(call->span);
  }
  auto ndim = static_cast<int64_t>(map->final_indices.size());
  if (!x->knows_ndim()) return with_ndim(x, ndim);
  if (static_cast<int64_t>(map->initial_indices.size()) != x->ndim)
    throw ir::refuse(refusals["layout-rank"], map->initial_indices.size(), x->ndim).at(call->span);
  auto dims = x->dims();
  if (!dims) return with_ndim(x, ndim);
  Any shape(*dims);
  Any mapped = context.host.call_method(Any(map), "map_shape", {&shape, 1}, {});
  return with_dims(x, mapped.cast<Array<Expr>>());
}

ir::IndexMap index_map_arg(ApiCall& call, size_t i) {
  const Any& given = call.args[i];
  if (auto* map = given.as<ir::IndexMapNode>()) return ir::ref(map);
  if (given == nullptr || !call.host.callable(given))
    throw ir::refuse(refusals["layout-no-map"], ir::type_name(given)).at(call.span_of(i));
  Array<Var> indices;
  std::vector<Any> args;
  for (const std::string& name : call.host.parameter_names(given)) {
    Var index = make<VarNode>(String(name), ir::prim_type(DataType::Int(64)), call.span_of(i));
    indices.push_back(index);
    args.emplace_back(index);
  }
  Any result = call.host.call(given, args);
  // The values as operands: a list becomes a tuple, one value alone a list of one.
  ApiCall inner{call.api, call.host, {&result, 1}, call.span, {}};
  Expr made = wide_operand_arg(inner, 0);
  auto* tuple = as<TupleNode>(made);
  Array<Expr> values = tuple ? tuple->elements : Array<Expr>{made};
  for (const Expr& each : values) {
    if (!is_prim(each)) throw ir::refuse(refusals["layout-map-result"]).at(call.span_of(i));
  }
  return make<ir::IndexMapNode>(indices, values);
}

Any build_layout_transform(ApiCall& call) {
  Expr x = operand_arg(call, 0);
  ir::IndexMap map = index_map_arg(call, 1);
  Any pad = nullptr;
  if (call.args[2] != nullptr) {
    Expr value = prim_arg(call, 2);
    const auto* type = x->ty ? as_type<TensorTypeNode>(x->ty) : nullptr;
    DataType dtype = type ? type->data_type() : DataType::Void();
    bool plain = !call.args[2].as<Expr>();
    if (plain && (dtype.is_int() || dtype.is_uint()) && value->kind == ExprKind::kIntImm) {
      value = ir::int_imm(dtype, *ir::const_int(value));
    } else if (plain && dtype.is_floating()) {
      auto* real = as<ir::FloatImmNode>(value);
      value = make<ir::FloatImmNode>(
          dtype, real ? real->value : static_cast<double>(ir::const_int(value).value_or(0)));
    }
    pad = value;
  }
  return make_call("relax.layout_transform", {x}, {{String("index_map"), map}, {String("pad_value"), pad}},
                   {}, call.span);
}

constexpr Operator kRows[] = {
    {.signature = "broadcast_to(x, shape)",
     .doc = "x repeated along dimensions of 1 to that shape.",
     .infer = infer_broadcast_to,
     .operands = 2,
     .build = build_with_shape,
     .precision = Precision::kFollow},
    {.signature = "concat(tensors, axis=0)",
     .doc = "Tensors joined along an axis; None: they have one dimension.",
     .infer = infer_concat,
     .operands = 1,
     .attrs = {{{"axis", AttrKind::kOptInt}}, "ConcatAttrs"},
     .precision = Precision::kFollow,
     .layout = layout_concat},
    {.signature = "stack(tensors, axis=0)",
     .doc = "Tensors of one shape joined along a new axis.",
     .infer = infer_stack,
     .operands = 1,
     .attrs = {{{"axis", AttrKind::kOptInt}}, "StackAttrs"},
     .precision = Precision::kFollow,
     .layout = layout_stack},
    {.signature = "meshgrid(tensors, indexing='ij')",
     .doc = "Rows of coordinates as tensors over their grid.",
     .infer = infer_meshgrid,
     .operands = 1,
     .attrs = {{{"indexing", AttrKind::kOptString}}, "MeshgridAttrs"},
     .precision = Precision::kFollow},
    {.signature = "expand_dims(x, axis)",
     .doc = "x with new dimensions of 1, at these axes of the result.",
     .infer = infer_expand_dims,
     .operands = 1,
     .attrs = {{{"axis", AttrKind::kInts}}, "ExpandDimsAttrs"},
     .precision = Precision::kFollow,
     .layout = layout_expand_dims},
    {.signature = "flatten(x)",
     .doc = "x as one row.",
     .infer = infer_flatten,
     .precision = Precision::kFollow},
    {.signature = "permute_dims(x, axes=None)",
     .doc = "x with its axes in that order; None reverses them.",
     .infer = infer_permute_dims,
     .operands = 1,
     .attrs = {{{"axes", AttrKind::kOptInts}}, "PermuteDimsAttrs"},
     .build = build_permute_dims,
     .precision = Precision::kFollow,
     .layout = layout_permute_dims},
    {.signature = "squeeze(x, axis=None)",
     .doc = "x without these dimensions, which are 1; None: all that are 1.",
     .infer = infer_squeeze,
     .operands = 1,
     .attrs = {{{"axis", AttrKind::kOptInts}}, "SqueezeAttrs"},
     .precision = Precision::kFollow,
     .layout = layout_squeeze},
    {.signature = "reshape(x, shape)",
     .doc = "x in another shape. 0 stands for the dimension of x there, one -1 for what is left.",
     .infer = infer_reshape,
     .operands = 2,
     .build = build_reshape,
     .precision = Precision::kFollow},
    {.signature = "split(x, indices_or_sections, axis=0)",
     .doc = "x in so many parts along an axis, or in parts that begin at these indices.",
     .infer = infer_split,
     .operands = 1,
     .attrs = {{{"indices_or_sections"}, {"axis", AttrKind::kInt}}, "SplitAttrs"},
     .build = build_split,
     .precision = Precision::kFollow,
     .layout = layout_split},
    {.signature = "repeat(data, repeats, axis=None)",
     .doc = "Each element repeated along an axis; None: of the flattened tensor.",
     .infer = infer_repeat,
     .operands = 1,
     .attrs = {{{"repeats", AttrKind::kInt}, {"axis", AttrKind::kOptInt}}, "RepeatAttrs"},
     .layout = layout_repeat},
    {.signature = "tile(data, repeats)",
     .doc = "The tensor repeated so many times along its last axes.",
     .infer = infer_tile,
     .operands = 1,
     .attrs = {{{"repeats", AttrKind::kInts}}, "TileAttrs"},
     .layout = layout_tile},
    {.signature = "flip(data, axis)",
     .doc = "The tensor in reverse along an axis.",
     .infer = infer_flip,
     .operands = 1,
     .attrs = {{{"axis", AttrKind::kInt}}, "FlipAttrs"},
     .layout = layout_along_axis},
    {.signature = "reverse_sequence(data, seq_lengths, seq_axis=1, batch_axis=0)",
     .doc = "The first seq_lengths[b] elements along seq_axis in reverse, for each b along batch_axis.",
     .infer = infer_reverse_sequence,
     .operands = 2,
     .attrs = {{{"seq_axis", AttrKind::kInt}, {"batch_axis", AttrKind::kInt}}, "ReverseSequenceAttrs"}},
    {.signature = "collapse_sum_like(data, collapse_target)",
     .doc = "Sums that undo a broadcast from the shape of another tensor.",
     .infer = infer_collapse_sum_like},
    {.signature = "collapse_sum_to(data, shape)",
     .doc = "Sums that undo a broadcast from that shape.",
     .infer = infer_collapse_sum_to,
     .operands = 2,
     .build = build_with_shape},
    {.signature = "layout_transform(x, index_map, pad_value=None)",
     .doc = "x in another layout: element [i, ...] goes to index_map(i, ...), and padding to what no element "
            "goes to.",
     .infer = infer_layout_transform,
     .operands = 1,
     .attrs = {{{"index_map"}, {"pad_value"}}, "LayoutTransformAttrs"},
     .build = build_layout_transform,
     .precision = Precision::kFollow},
};

}  // namespace

extern const Operators manipulate;
const Operators manipulate{kRows};

}  // namespace mlc::relax::operators_manipulate
