// SPDX-License-Identifier: Apache-2.0
// What is taken from tensors, and written to them, by index.
#include <algorithm>

#include "ir/relax/infer_layout.h"
#include "ir/relax/operand_checks.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/nonnegative.h"

namespace mlc::relax::operators_index {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "take-needs-axis",
         .message = "`take` without an axis is of tensors of 1 dimension, `x` has {}",
         .help = "name the axis: `axis=0`"},
        {.name = "index-not-tensor-or-number",
         .kind = "TypeError",
         .message = "{} must be a tensor or an integer, but is a {}"},
        {.name = "slice-not-tuple",
         .kind = "TypeError",
         .message = "{} must be a tuple of integers, but is a {}"},
        {.name = "slice-not-int64",
         .kind = "InternalError+TypeError",
         .message = "{} must be a tuple of `int64`, its element {} is a {}"},
        {.name = "slice-lengths",
         .kind = "InternalError+ValueError",
         .message = "`strided_slice`: {} axes, but {} has {} elements",
         .help = "each axis has one begin, one end and one stride"},
        {.name = "slice-stride-zero",
         .kind = "InternalError+ValueError",
         .message = "`strided_slice`: a stride of 0"},
        {.name = "dynamic-slice-length",
         .message = "{} must have one element for each of the {} dimensions of `x`, but has {}"},
        {.name = "index-count", .message = "`{}`: {} index tensors for a tensor of {} dimensions"},
        {.name = "index-broadcast",
         .message = "`index_tensor`: the shapes of its indices do not broadcast: {} and {} differ"},
        {.name = "index-dtype",
         .kind = "TypeError",
         .message = "`{}`: index tensor {} has the data type `{}`, which is no integer"},
        {.name = "index-scalar",
         .message = "`index_put`: index tensor {} has no dimensions, it must have 1 or more"},
        {.name = "batch-negative",
         .kind = "InternalError+ValueError",
         .message = "`gather_nd`: `batch_dims` is {}; it must be 0 or more"},
        {.name = "batch-dims", .message = "`gather_nd`: `batch_dims` is {}; it must be from 0 to {}"},
        {.name = "gather-depth",
         .message =
             "`{}`: the last dimension of `indices` is {}, more than the {} dimensions that are indexed"},
        {.name = "scatter-depth-unknown",
         .message = "`scatter_nd`: the last dimension {} of `indices` is no constant"},
        {.name = "scatter-indices-scalar",
         .kind = "IndexError",
         .message = "`scatter_nd`: `indices` has no dimensions, it must have 1 or more"},
        {.name = "scatter-dtype-unknown", .message = "the data type of {} is unknown"},
        {.name = "scatter-shape",
         .message =
             "`scatter_nd`: `updates` has the shape {}, but `indices.shape[:-1] + data.shape[K:]` is {}"},
        {.name = "slice-step", .message = "`slice_scatter`: the step {} must be 1 or more"},
        {.name = "slice-order", .message = "`slice_scatter`: it ends at {}, before its start {}"},
        {.name = "slice-source",
         .message = "`slice_scatter`: axis {} of `src` is {}, the slice has {} elements"},
    }};
MLC_REFUSALS(op_index, refusals);

namespace {

// ---- take ----

Type infer_take(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  const TensorTypeNode* indices = type_as<TensorTypeNode>(call->args[1]);
  if (is_prim(call->args[1])) {
    prim_int_operand(call, 1);
  } else if (!indices) {
    throw ir::refuse(refusals["index-not-tensor-or-number"], operand_name(call, 1),
                     kind_name(call->args[1]->ty))
        .at(operand_span(call, 1));
  } else {
    check_integer(call, 1, indices);
  }
  auto given = optional_int_attr(call, "axis");
  if (!given && x->ndim != 1)
    throw ir::refuse(refusals["take-needs-axis"],
                     x->knows_ndim() ? fmt::format("{}", x->ndim) : "an unknown number")
        .at(operand_span(call, 0));
  int64_t rank = indices ? indices->ndim : 0;
  if (!x->knows_ndim() || rank == kUnknownNDim) return with_ndim(x, kUnknownNDim);
  int64_t axis = given ? normalize_axis(*given, x->ndim, call) : 0;
  const Array<Expr>* dims = written_dims(x);
  Array<Expr> none;
  const Array<Expr>* taken = indices ? written_dims(indices) : &none;
  if (!dims || !taken) return with_ndim(x, x->ndim - 1 + rank);
  Array<Expr> out(dims->begin(), dims->begin() + axis);
  for (const Expr& each : *taken) out.push_back(each);
  for (auto i = static_cast<size_t>(axis) + 1; i < dims->size(); ++i) out.push_back((*dims)[i]);
  return with_dims(x, out);
}

// ---- strided_slice ----

// An index as Python's slices read it: from the end when negative, then kept within the dimension.
Expr canonical(Expr index, const Expr& length, bool backward, const InferContext& context) {
  auto nonnegative = [&](const Expr& e) { return ir::is_nonnegative(e, DimensionFacts{context}); };
  // The dimension itself is its end, even where it might be negative.
  if (!ir::const_int(index) && ir::structural_equal(Any(index), Any(length)))
    return backward ? Expr(ir::sub(length, dim(1))) : length;
  if (!nonnegative(index)) index = ir::if_then_else(ir::lt(index, dim(0)), ir::add(index, length), index);
  bool clamped = !nonnegative(index);
  if (backward) return ir::min(clamped ? ir::max(index, dim(-1)) : index, ir::sub(length, dim(1)));
  if (clamped) index = ir::max(index, dim(0));
  if (ir::is_const_int(index, 0) && nonnegative(length)) return index;
  bool within = !clamped && !ir::const_int(index) && nonnegative(context.simplify(ir::sub(length, index)));
  return within ? index : ir::min(index, length);
}

// How many elements a slice has. Which way a step that is an expression goes is seen when it is known.
Expr slice_length(const Expr& begin, const Expr& end, const Expr& stride, const Expr& length, bool inbound,
                  const InferContext& context) {
  auto step = ir::const_int(stride);
  auto count = [&](bool backward) {
    Expr from = inbound ? begin : canonical(begin, length, backward, context);
    Expr to = inbound ? end : canonical(end, length, backward, context);
    if (!backward) return ir::ceildiv(ir::sub(to, from), stride);
    return ir::ceildiv(ir::sub(from, to), step ? Expr(dim(-*step)) : ir::sub(dim(0), stride));
  };
  if (step || inbound || ir::is_nonnegative(stride, DimensionFacts{context}))
    return context.simplify(count(step && *step < 0));
  return context.simplify(ir::if_then_else(ir::lt(stride, dim(0)), count(true), count(false)));
}

// The values of a tuple that is written out; nullopt where they are not known.
std::optional<Array<Expr>> slice_operand(const CallNode* call, size_t i) {
  const Expr& operand = call->args[i];
  if (operand->ty->kind == TypeKind::kAny) return std::nullopt;
  const auto* type = type_as<TupleTypeNode>(operand);
  if (!type)
    throw ir::refuse(refusals["slice-not-tuple"], operand_name(call, i), kind_name(operand->ty))
        .at(operand_span(call, i));
  for (size_t k = 0; k < type->elements.size(); ++k) {
    const Type& field = type->elements[k];
    if (field->kind == TypeKind::kAny) continue;
    const auto* prim = as_type<ir::PrimTypeNode>(field);
    if (!prim || DataType(prim->dtype) != DataType::Int(64))
      throw ir::refuse(refusals["slice-not-int64"], operand_name(call, i), k,
                       prim ? DataType(prim->dtype).str() : std::string(kind_name(field)))
          .at(operand_span(call, i));
  }
  auto* tuple = as<TupleNode>(operand);
  if (!tuple) return std::nullopt;
  for (const Expr& each : tuple->elements) {
    if (!is_prim(each)) return std::nullopt;
  }
  return tuple->elements;
}

Type first_tensor(const CallNode* call, const InferContext&) { return ref(tensor_operand(call, 0)); }

Type infer_strided_slice(const CallNode* call, const InferContext& context) {
  internal_errors<first_tensor>(call, context);
  const TensorTypeNode* x = tensor_operand(call, 0);
  auto axes = slice_operand(call, 1);
  auto begin = slice_operand(call, 2);
  auto end = slice_operand(call, 3);
  auto strides = call->args.size() > 4 ? slice_operand(call, 4) : Array<Expr>();
  auto unknown = [&] { return with_ndim(x, x->ndim); };
  if (!x->shape || !axes || !begin || !end || !strides) return unknown();
  std::vector<int64_t> given;
  for (const Expr& axis : *axes) {
    auto value = ir::const_int(axis);
    if (!value) return unknown();
    given.push_back(*value);
  }
  for (size_t i = 2; i < call->args.size(); ++i) {
    size_t count = (i == 2 ? *begin : i == 3 ? *end : *strides).size();
    if (count != given.size())
      throw ir::refuse(refusals["slice-lengths"], given.size(), operand_name(call, i), count)
          .at(operand_span(call, i));
  }
  auto dims = x->dims();
  if (!dims) return given.empty() ? same_type(x) : unknown();
  given = normalize_axes(given, x->ndim, call);
  Array<Expr> out = *dims;
  for (size_t i = 0; i < given.size(); ++i) {
    Expr stride = strides->empty() ? Expr(dim(1)) : (*strides)[i];
    if (ir::is_const_int(stride, 0))
      throw ir::refuse(refusals["slice-stride-zero"]).at(operand_span(call, 4));
    out.Set(given[i], slice_length((*begin)[i], (*end)[i], stride, out[given[i]],
                                   bool_attr(call, "assume_inbound"), context));
  }
  return with_dims(x, out);
}

Any build_strided_slice(ApiCall& call) {
  Array<Expr> args;
  size_t known = 0;
  for (size_t i = 0; i < 5; ++i) {
    if (i == 4 && call.args[4] == nullptr) break;
    Expr e = i == 0 ? operand_arg(call, i) : wide_operand_arg(call, i);
    if (auto* tuple = i > 0 ? as<TupleNode>(e) : nullptr) {
      if (i > 1 && as<TupleNode>(args[1]) && tuple->elements.size() != known)
        throw ir::refuse(refusals["slice-lengths"], known, fmt::format("`{}`", call.api.params[i].name),
                         tuple->elements.size())
            .at(call.span_of(i));
      known = tuple->elements.size();
    }
    args.push_back(e);
  }
  return call_with_attrs(call, args, 5);
}

Type infer_dynamic_strided_slice(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  if (!x->knows_ndim()) return with_ndim(x, kUnknownNDim);
  for (size_t i = 1; i < 4; ++i) {
    const TensorTypeNode* each = tensor_operand(call, i);
    if (each->ndim != 1) refuse_ndim(call, i, each->ndim, "1 dimension");
    const Array<Expr>* dims = written_dims(each);
    auto count = dims ? ir::const_int((*dims)[0]) : std::nullopt;
    if (!count || *count != x->ndim)
      throw ir::refuse(refusals["dynamic-slice-length"], operand_name(call, i), x->ndim,
                       dims ? dim_text((*dims)[0]) : std::string("an unknown number"))
          .at(operand_span(call, i));
    check_dtype(call, i, each, DataType::Int(64));
  }
  return with_ndim(x, x->ndim);
}

// ---- gather ----

Type infer_gather_elements(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  const TensorTypeNode* indices = tensor_operand(call, 1);
  if (indices->knows_dtype() && !indices->data_type().is_int())
    check_dtype(call, 1, indices, DataType::Int(64));
  if (!x->knows_ndim() || !indices->knows_ndim()) return with_ndim(x, kUnknownNDim);
  normalize_axis(int_attr(call, "axis"), x->ndim, call);
  check_same_ndim(call, 0, x, 1, indices);
  if (indices->shape) return make<TensorTypeNode>(indices->shape, x->dtype, x->vdevice);
  return with_ndim(x, indices->ndim);
}

Type infer_gather_nd(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  const TensorTypeNode* indices = tensor_operand(call, 1);
  int64_t batch = int_attr(call, "batch_dims");
  if (batch < 0) throw ir::refuse(refusals["batch-negative"], batch).at(call->span);
  check_dtype(call, 1, indices, DataType::Int(64));
  if (!x->knows_ndim() || !indices->knows_ndim()) return with_ndim(x, kUnknownNDim);
  if (batch > x->ndim || batch > indices->ndim - 1)
    throw ir::refuse(refusals["batch-dims"], batch, fmt::format("{}", std::min(x->ndim, indices->ndim - 1)))
        .at(call->span);
  const Array<Expr>* dims = written_dims(x);
  const Array<Expr>* at = written_dims(indices);
  auto depth = at ? ir::const_int((*at)[at->size() - 1]) : std::nullopt;
  if (!depth) return with_ndim(x, kUnknownNDim);
  if (!dims) return with_ndim(x, indices->ndim + x->ndim - *depth - 1 - batch);
  if (*depth > x->ndim - batch)
    throw ir::refuse(refusals["gather-depth"], "gather_nd", *depth, x->ndim - batch)
        .at(operand_span(call, 1));
  Array<Expr> out(at->begin(), at->end() - 1);
  for (int64_t i = batch + *depth; i < x->ndim; ++i) out.push_back((*dims)[i]);
  return with_dims(x, out);
}

// Operand 1, a tuple of index tensors or one tensor.
std::vector<const TensorTypeNode*> index_operands(const CallNode* call) {
  if (const auto* one = type_as<TensorTypeNode>(call->args[1])) return {one};
  return tensor_tuple_operand(call, 1);
}

Type infer_index_tensor(const CallNode* call, const InferContext& context) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  std::vector<const TensorTypeNode*> indices = tensor_tuple_operand(call, 1);
  check_not_empty(call, indices);
  auto n = static_cast<int64_t>(indices.size());
  for (size_t i = 0; i < indices.size(); ++i) {
    DataType dtype = indices[i]->data_type();
    if (indices[i]->knows_dtype() && !dtype.is_int())
      throw ir::refuse(refusals["index-dtype"], "index_tensor", i, dtype.str()).at(operand_span(call, 1));
  }
  if (x->knows_ndim() && n > x->ndim)
    throw ir::refuse(refusals["index-count"], "index_tensor", n, x->ndim).at(operand_span(call, 1));
  // The shapes of the indices are broadcast.
  size_t ndim = 0;
  for (const TensorTypeNode* each : indices) {
    const Array<Expr>* dims = written_dims(each);
    if (!dims) return with_ndim(x, kUnknownNDim);
    ndim = std::max(ndim, dims->size());
  }
  std::vector<Expr> out(ndim, dim(1));
  for (const TensorTypeNode* each : indices) {
    const Array<Expr>& dims = *written_dims(each);
    for (size_t k = 1; k <= dims.size(); ++k) {
      Expr& have = out[ndim - k];
      const Expr& length = dims[dims.size() - k];
      if (ir::is_const_int(have, 1)) {
        have = length;
        continue;
      }
      if (ir::is_const_int(length, 1)) continue;
      if (ir::const_int(have) && ir::const_int(length) && *ir::const_int(have) != *ir::const_int(length))
        throw ir::refuse(refusals["index-broadcast"], dim_text(have), dim_text(length))
            .at(operand_span(call, 1));
      if (!context.proves_equal(have, length)) return with_ndim(x, kUnknownNDim);
    }
  }
  if (!x->knows_ndim()) return with_ndim(x, kUnknownNDim);
  const Array<Expr>* dims = written_dims(x);
  if (!dims) return with_ndim(x, static_cast<int64_t>(ndim) + x->ndim - n);
  Array<Expr> all(out.begin(), out.end());
  for (int64_t i = n; i < x->ndim; ++i) all.push_back((*dims)[i]);
  return with_dims(x, all);
}

// ---- scatter ----

// The type of what is written to: its shape where it is written out.
Type scattered(const TensorTypeNode* x) {
  const Array<Expr>* dims = written_dims(x);
  return dims ? with_dims(x, *dims) : with_ndim(x, x->ndim);
}

Type infer_index_put(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  const TensorTypeNode* values = tensor_operand(call, 2);
  std::vector<const TensorTypeNode*> indices = index_operands(call);
  if (!x->knows_ndim()) return with_ndim(x, kUnknownNDim);
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i]->ndim == 0) throw ir::refuse(refusals["index-scalar"], i).at(operand_span(call, 1));
    DataType dtype = indices[i]->data_type();
    if (indices[i]->knows_dtype() && !dtype.is_int() && !dtype.is_uint())
      throw ir::refuse(refusals["index-dtype"], "index_put", i, dtype.str()).at(operand_span(call, 1));
  }
  if (static_cast<int64_t>(indices.size()) != x->ndim)
    throw ir::refuse(refusals["index-count"], "index_put", indices.size(), x->ndim).at(operand_span(call, 1));
  check_same_dtype(call, 0, x, 2, values);
  return scattered(x);
}

Type infer_scatter_elements(const CallNode* call, const InferContext& context) {
  std::vector<const TensorTypeNode*> x = tensor_operands(call);
  if (!x[0]->knows_ndim()) return with_ndim(x[0], kUnknownNDim);
  if (x[1]->knows_ndim() && x[2]->knows_ndim()) {
    check_same_ndim(call, 0, x[0], 1, x[1]);
    check_same_ndim(call, 1, x[1], 2, x[2]);
  }
  check_same_dtype(call, 0, x[0], 2, x[2]);
  check_integer(call, 1, x[1]);
  const Array<Expr>* indices = written_dims(x[1]);
  const Array<Expr>* updates = written_dims(x[2]);
  for (size_t i = 0; indices && updates && i < indices->size(); ++i) {
    if (context.proves_different((*indices)[i], (*updates)[i]))
      refuse_dims(call, 1, i, (*indices)[i], 2, i, (*updates)[i], context);
  }
  return scattered(x[0]);
}

Type infer_scatter_nd(const CallNode* call, const InferContext& context) {
  std::vector<const TensorTypeNode*> x = tensor_operands(call);
  for (size_t i : {0, 2}) {
    if (!x[i]->knows_dtype())
      throw ir::refuse(refusals["scatter-dtype-unknown"], operand_name(call, i)).at(operand_span(call, i));
  }
  check_same_dtype(call, 0, x[0], 2, x[2]);
  check_integer(call, 1, x[1]);
  const Array<Expr>* data = written_dims(x[0]);
  const Array<Expr>* indices = written_dims(x[1]);
  const Array<Expr>* updates = written_dims(x[2]);
  if (data && indices && updates) {
    if (indices->empty()) throw ir::refuse(refusals["scatter-indices-scalar"]).at(operand_span(call, 1));
    const Expr& last = (*indices)[indices->size() - 1];
    auto depth = ir::const_int(last);
    if (!depth) throw ir::refuse(refusals["scatter-depth-unknown"], dim_text(last)).at(operand_span(call, 1));
    if (*depth > x[0]->ndim)
      throw ir::refuse(refusals["gather-depth"], "scatter_nd", *depth, x[0]->ndim).at(operand_span(call, 1));
    Array<Expr> wanted(indices->begin(), indices->end() - 1);
    for (int64_t i = *depth; i < x[0]->ndim; ++i) wanted.push_back((*data)[i]);
    if (!context.proves_equal(wanted, *updates))
      throw ir::refuse(refusals["scatter-shape"], shape_text(*updates), shape_text(wanted))
          .at(operand_span(call, 2));
  }
  return scattered(x[0]);
}

Type infer_slice_scatter(const CallNode* call, const InferContext& context) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  const TensorTypeNode* source = tensor_operand(call, 1);
  if (!x->knows_ndim()) return with_ndim(x, kUnknownNDim);
  int64_t axis = normalize_axis(int_attr(call, "axis"), x->ndim, call);
  check_same_ndim(call, 0, x, 1, source);
  check_same_dtype(call, 0, x, 1, source);
  Expr start = prim_int_operand(call, 2);
  Expr end = prim_int_operand(call, 3);
  Expr step = prim_int_operand(call, 4);
  if (auto known = ir::const_int(step); known && *known < 1)
    throw ir::refuse(refusals["slice-step"], *known).at(operand_span(call, 4));
  auto difference = ir::const_int(context.simplify(ir::sub(end, start)));
  if (difference && *difference < 0)
    throw ir::refuse(refusals["slice-order"], dim_text(end), dim_text(start)).at(operand_span(call, 3));
  const Array<Expr>* dims = written_dims(x);
  const Array<Expr>* from = written_dims(source);
  if (dims && from) {
    Expr count = ir::floordiv(ir::sub(ir::add(ir::sub(end, start), step), dim(1)), step);
    for (size_t i = 0; i < dims->size(); ++i) {
      if (static_cast<int64_t>(i) != axis && context.proves_different((*dims)[i], (*from)[i]))
        refuse_dims(call, 0, i, (*dims)[i], 1, i, (*from)[i], context);
    }
    if (context.proves_different((*from)[axis], count))
      throw ir::refuse(refusals["slice-source"], axis, dim_text((*from)[axis]),
                       dim_text(context.simplify(count)))
          .at(operand_span(call, 1));
  }
  return same_type(x);
}

Any build_slice_scatter(ApiCall& call) {
  return call_with_attrs(
      call,
      {operand_arg(call, 0), operand_arg(call, 1), prim_arg(call, 2), prim_arg(call, 3), prim_arg(call, 4)},
      5);
}

constexpr Operator kRows[] = {
    {.signature = "take(x, indices, axis=None, mode='fast')",
     .doc = "Slices of x along an axis, at the indices.",
     .infer = infer_take,
     .operands = 2,
     .attrs = {{{"axis", AttrKind::kOptInt}, {"mode", AttrKind::kString}}, "TakeAttrs"}},
    {.signature = "strided_slice(x, axes, begin, end, strides=None, assume_inbound=False)",
     .arguments = "x Tensor",
     .doc = "x[begin:end:stride] along the axes.",
     .infer = infer_strided_slice,
     .operands = 5,
     .attrs = {{{"assume_inbound", AttrKind::kBool}}, "StridedSliceAttrs"},
     .build = build_strided_slice,
     .precision = Precision::kFollow,
     .layout = layout_strided_slice},
    {.signature = "dynamic_strided_slice(x, begin, end, strides)",
     .arguments = "x Tensor; begin Tensor; end Tensor; strides Tensor",
     .doc = "x[begin:end:stride] along all axes, with bounds that are tensors.",
     .infer = internal_errors<infer_dynamic_strided_slice>,
     .precision = Precision::kFollow},
    {.signature = "gather_elements(data, indices, axis=0)",
     .doc = "data[..., indices[..., i, ...], ...]: the element along an axis that each index names.",
     .infer = infer_gather_elements,
     .operands = 2,
     .attrs = {{{"axis", AttrKind::kInt}}, "GatherElementsAttrs"},
     .layout = layout_gather_elements},
    {.signature = "gather_nd(data, indices, batch_dims=0)",
     .doc = "The slices that the rows of the last axis of indices name.",
     .infer = infer_gather_nd,
     .operands = 2,
     .attrs = {{{"batch_dims", AttrKind::kInt}}, "GatherNDAttrs"}},
    {.signature = "index_tensor(data, indices)",
     .arguments = "data Tensor; indices List of Tensors",
     .doc = "data[i0, i1, ...] with index tensors, which are broadcast.",
     .infer = infer_index_tensor},
    {.signature = "index_put(data, indices, values, accumulate=False)",
     .doc = "data with values written, or added, at the index tensors.",
     .infer = infer_index_put,
     .operands = 3,
     .attrs = {{{"accumulate", AttrKind::kBool}}, "IndexPutAttrs"}},
    {.signature = "scatter_elements(data, indices, updates, axis=0, reduction='update')",
     .doc = "data with updates written to the elements along an axis that indices name.",
     .infer = infer_scatter_elements,
     .operands = 3,
     .attrs = {{{"axis", AttrKind::kInt}, {"reduction", AttrKind::kString}}, "ScatterElementsAttrs"},
     .layout = layout_scatter_elements},
    {.signature = "scatter_nd(data, indices, updates, reduction='update')",
     .doc = "data with updates written to the slices that the rows of the last axis of indices name.",
     .infer = infer_scatter_nd,
     .operands = 3,
     .attrs = {{{"reduction", AttrKind::kString}}, "ScatterNDAttrs"}},
    {.signature = "slice_scatter(input_tensor, src, start, end, step, axis=0)",
     .arguments = "input Tensor; src Tensor; start PrimExpr; end PrimExpr; step PrimExpr",
     .doc = "The tensor with src written to its slice start:end:step along an axis.",
     .infer = infer_slice_scatter,
     .operands = 5,
     .attrs = {{{"axis", AttrKind::kInt}}, "SliceScatterAttrs"},
     .build = build_slice_scatter},
};

}  // namespace

extern const Operators index;
const Operators index{kRows};

}  // namespace mlc::relax::operators_index
