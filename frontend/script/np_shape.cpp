// SPDX-License-Identifier: Apache-2.0
// Shapes, views, indexing, joining; the attributes of arrays.
#include <algorithm>
#include <cstring>

#include "frontend/script/np_array.h"

namespace mlc::script {

using ir::ApiCall;
using ir::ApiKind;
using ir::ApiRow;
using ir::native;
using ir::NDArray;

namespace {

ffi::Tensor strided(const ffi::Tensor& tensor, const Shape& shape, const Shape& strides, int64_t offset = 0) {
  return tensor.as_strided(ffi::Shape(shape.begin(), shape.end()), ffi::Shape(strides.begin(), strides.end()),
                           offset);
}

// ---- indexing ----

// What basic indices select: a view. `gather`: at most one index that is an array.
struct Selection {
  Shape shape, strides;
  int64_t offset = 0;
  std::optional<ffi::Tensor> gather;
  size_t gather_axis = 0;  // in the result, before gathering
};

Selection select(Evaluator& evaluator, const ffi::Tensor& tensor, const Any& index, ir::Span span) {
  std::vector<Any> parts;
  if (index.type_index() == kTVMFFIArray) {
    parts.assign(elements(index).begin(), elements(index).end());
  } else {
    parts.push_back(index);
  }
  Shape shape = shape_of(tensor), strides = strides_of(tensor);
  size_t used = 0;
  bool dots = false;
  for (const Any& part : parts) {
    if (part.same_as(ellipsis()))
      dots = true;
    else if (!is_none(part))
      ++used;
  }
  if (used > shape.size()) {
    raise("IndexError", span, "too-many-indices",
          "too many indices for array: array is {}-dimensional, but {} were indexed", shape.size(), used);
  }
  if (!dots) parts.push_back(ellipsis());
  Selection result;
  size_t dim = 0;
  for (const Any& part : parts) {
    if (part.same_as(ellipsis())) {
      for (size_t n = shape.size() - used; n > 0; --n, ++dim) {
        result.shape.push_back(shape[dim]);
        result.strides.push_back(strides[dim]);
      }
    } else if (is_none(part)) {
      result.shape.push_back(1);
      result.strides.push_back(0);
    } else if (auto* slice = as<SliceNode>(part)) {
      SliceBounds bounds = slice_bounds(evaluator, *slice, shape[dim], span);
      if (bounds.count > 0) result.offset += bounds.start * strides[dim];
      result.shape.push_back(bounds.count);
      result.strides.push_back(strides[dim] * bounds.step);
      ++dim;
    } else if (as<ir::NDArrayNode>(part) || part.type_index() == kTVMFFIList) {
      if (result.gather) {
        raise("NotImplementedError", span, "not-supported",
              "indexing with more than one array is not supported");
      }
      ffi::Tensor picks = to_tensor(evaluator, part, span);
      if (DataType(picks.dtype()).is_bool()) {
        raise("NotImplementedError", span, "not-supported",
              "a boolean array as one of several indices is not supported");
      }
      if (DataType(picks.dtype()).is_float() && picks.numel() > 0) {
        raise("IndexError", span, "wrong-index",
              "arrays used as indices must be of integer (or boolean) type");
      }
      result.gather = cast_to(picks, DataType::Int(64));
      result.gather_axis = result.shape.size();
      result.shape.push_back(shape[dim]);
      result.strides.push_back(strides[dim]);
      ++dim;
    } else {
      Any plain = plain_number(part);
      if (!is_int(plain)) {
        raise("IndexError", span, "wrong-index",
              "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean "
              "arrays are "
              "valid indices");
      }
      int64_t i = raw_int(plain);
      if (i < -shape[dim] || i >= shape[dim]) {
        raise("IndexError", span, "index-out-of-range", "index {} is out of bounds for axis {} with size {}",
              i, dim, shape[dim]);
      }
      result.offset += (i < 0 ? i + shape[dim] : i) * strides[dim];
      ++dim;
    }
  }
  return result;
}

ffi::Tensor view_of(const ffi::Tensor& tensor, const Selection& selection) {
  return strided(tensor, selection.shape, selection.strides, selection.offset);
}

int64_t gather_index(const ffi::Tensor& picks, int64_t i, int64_t size, size_t axis, ir::Span span) {
  int64_t pick = data_of<int64_t>(picks)[i];
  if (pick < -size || pick >= size) {
    raise("IndexError", span, "index-out-of-range", "index {} is out of bounds for axis {} with size {}",
          pick, axis, size);
  }
  return pick < 0 ? pick + size : pick;
}

std::optional<ffi::Tensor> boolean_mask(const ffi::Tensor& tensor, const Any& index, ir::Span span) {
  auto* mask = as<ir::NDArrayNode>(index);
  if (mask == nullptr || !DataType(mask->tensor.dtype()).is_bool()) return std::nullopt;
  Shape own = shape_of(tensor), other = shape_of(mask->tensor);
  if (own != other) {
    raise("IndexError", span, "shape-mismatch",
          "boolean index did not match indexed array; the array has shape {}, the index {}", shape_text(own),
          shape_text(other));
  }
  return ir::contiguous(mask->tensor);
}

ffi::Tensor assign_values(Evaluator& evaluator, const Any& value, const Shape& shape, DataType dtype,
                          ir::Span span) {
  ffi::Tensor values = to_tensor(evaluator, value, span, is_weak(value) ? dtype : DataType::Void());
  values = cast_to(values, dtype);
  Shape own = shape_of(values);
  Shape trimmed = own;
  while (trimmed.size() > shape.size() && trimmed[0] == 1) trimmed.erase(trimmed.begin());
  bool fits = trimmed.size() <= shape.size();
  for (size_t i = 0; fits && i < trimmed.size(); ++i) {
    int64_t have = trimmed[trimmed.size() - 1 - i];
    fits = have == 1 || have == shape[shape.size() - 1 - i];
  }
  if (!fits) {
    raise("ValueError", span, "shape-mismatch", "could not broadcast input array from shape {} into shape {}",
          shape_text(own), shape_text(shape));
  }
  if (trimmed != own) values = reshape_to(values, trimmed, span);
  return ir::contiguous(broadcast_to(values, shape));
}

// ---- shape functions ----

ffi::Tensor transposed(Evaluator& evaluator, const ffi::Tensor& tensor, const Any& axes, ir::Span span) {
  Shape shape = shape_of(tensor), strides = strides_of(tensor);
  auto n = static_cast<int64_t>(shape.size());
  Shape order;
  if (is_none(axes)) {
    for (int64_t i = n; i-- > 0;) order.push_back(i);
  } else {
    for (const Any& axis : evaluator.elements_of(axes, span))
      order.push_back(axis_argument(evaluator, axis, n, span));
    Shape sorted = order;
    std::sort(sorted.begin(), sorted.end());
    bool permutation =
        static_cast<int64_t>(order.size()) == n && std::unique(sorted.begin(), sorted.end()) == sorted.end();
    if (!permutation) raise("ValueError", span, "bad-axes", "axes don't match array");
  }
  Shape new_shape, new_strides;
  for (int64_t axis : order) {
    new_shape.push_back(shape[static_cast<size_t>(axis)]);
    new_strides.push_back(strides[static_cast<size_t>(axis)]);
  }
  return strided(tensor, new_shape, new_strides);
}

// The shape of `reshape(2, 3)` and `reshape((2, 3))` alike.
Shape shape_of_arguments(Evaluator& evaluator, const Tuple& args, ir::Span span) {
  if (args.size() == 1) return shape_argument(evaluator, args[0], span);
  return shape_argument(evaluator, args, span);
}

Any concatenate(ApiCall& call, const std::vector<Any>& parts, const Any& axis_value) {
  Evaluator& evaluator = evaluator_of(call.host);
  if (parts.empty())
    raise("ValueError", call.span, "empty-sequence", "need at least one array to concatenate");
  DataType dtype = result_type(evaluator, parts, call.span);
  std::vector<ffi::Tensor> tensors;
  for (const Any& part : parts) {
    ffi::Tensor tensor = to_tensor(evaluator, part, call.span_of(0), dtype);
    if (is_none(axis_value)) tensor = reshape_to(tensor, {-1}, call.span);
    tensors.push_back(ir::contiguous(tensor));
  }
  Shape shape = shape_of(tensors[0]);
  if (shape.empty())
    raise("ValueError", call.span, "shape-mismatch", "zero-dimensional arrays cannot be concatenated");
  auto axis =
      static_cast<size_t>(is_none(axis_value) ? 0
                                              : axis_argument(evaluator, axis_value,
                                                              static_cast<int64_t>(shape.size()), call.span));
  int64_t total = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    Shape other = shape_of(tensors[i]);
    bool same = other.size() == shape.size();
    for (size_t d = 0; same && d < shape.size(); ++d) same = d == axis || other[d] == shape[d];
    if (!same) {
      raise("ValueError", call.span, "shape-mismatch",
            "all the input array dimensions except for the concatenation axis must match exactly: {} and {}",
            shape_text(shape), shape_text(other));
    }
    total += other[axis];
  }
  Shape result_shape = shape;
  result_shape[axis] = total;
  ffi::Tensor out = ir::make_tensor(result_shape, dtype);
  int64_t outer = 1, inner = dtype.bytes();
  for (size_t d = 0; d < axis; ++d) outer *= shape[d];
  for (size_t d = axis + 1; d < shape.size(); ++d) inner *= shape[d];
  int64_t column = 0;
  for (const ffi::Tensor& tensor : tensors) {
    int64_t width = tensor.size(static_cast<int64_t>(axis)) * inner;
    for (int64_t i = 0; i < outer; ++i) {
      std::memcpy(data_of<char>(out) + i * total * inner + column, data_of<char>(tensor) + i * width,
                  static_cast<size_t>(width));
    }
    column += width;
  }
  return array_value(out);
}

Any stack(ApiCall& call, const Any& arrays, int64_t axis) {
  Evaluator& evaluator = evaluator_of(call.host);
  std::vector<Any> parts = evaluator.elements_of(arrays, call.span_of(0));
  for (Any& part : parts) {
    ffi::Tensor tensor = to_tensor(evaluator, part, call.span_of(0));
    Shape shape = shape_of(tensor);
    auto n = static_cast<int64_t>(shape.size()) + 1;
    int64_t at = axis_argument(evaluator, Any(axis), n, call.span_of(1));
    shape.insert(shape.begin() + at, 1);
    part = array_value(reshape_to(tensor, shape, call.span));
  }
  return concatenate(call, parts, Any(axis));
}

Any nested_list(const ffi::Tensor& tensor) {
  if (tensor.ndim() == 0) return plain_number(scalar_or_array(tensor));
  List list;
  Shape shape = shape_of(tensor), strides = strides_of(tensor);
  Shape inner_shape(shape.begin() + 1, shape.end()), inner_strides(strides.begin() + 1, strides.end());
  for (int64_t i = 0; i < shape[0]; ++i)
    list.push_back(nested_list(strided(tensor, inner_shape, inner_strides, i * strides[0])));
  return list;
}

ffi::Tensor tensor_argument(ApiCall& call, const Any& value) {
  return to_tensor(evaluator_of(call.host), value, call.span_of(0));
}
Any shape_value(const ffi::Tensor& tensor) {
  Tuple shape;
  for (int64_t d : tensor.shape()) shape.push_back(Any(d));
  return shape;
}
Any squeezed(ApiCall& call, const ffi::Tensor& tensor, const Any& axis) {
  Shape shape = shape_of(tensor), kept;
  int64_t only =
      is_none(axis) ? -1 : axis_argument(evaluator_of(call.host), axis, tensor.ndim(), call.span_of(1));
  if (only >= 0 && shape[static_cast<size_t>(only)] != 1) {
    raise("ValueError", call.span, "shape-mismatch",
          "cannot select an axis to squeeze out which has size not equal to one");
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 1 || (only >= 0 && static_cast<int64_t>(i) != only)) kept.push_back(shape[i]);
  }
  return array_value(reshape_to(tensor, kept, call.span));
}

constexpr std::string_view kArray = "mlc.np.ndarray";

const ApiRow rows[] = {
    {ApiKind::kProperty, kArray, "shape", "The extents.",
     native([](NDArray self) { return shape_value(self->tensor); })},
    {ApiKind::kProperty, kArray, "ndim", "The number of dimensions.",
     native([](NDArray self) { return static_cast<int64_t>(self->tensor.ndim()); })},
    {ApiKind::kProperty, kArray, "size", "The number of elements.",
     native([](NDArray self) { return self->tensor.numel(); })},
    {ApiKind::kProperty, kArray, "nbytes", "The bytes of all elements.",
     native([](NDArray self) { return self->tensor.numel() * DataType(self->tensor.dtype()).bytes(); })},
    {ApiKind::kProperty, kArray, "itemsize", "The bytes of one element.",
     native([](NDArray self) { return static_cast<int64_t>(DataType(self->tensor.dtype()).bytes()); })},
    {ApiKind::kProperty, kArray, "strides", "Bytes from one element to the next, per dimension.",
     native([](NDArray self) {
       Tuple strides;
       for (int64_t s : self->tensor.strides())
         strides.push_back(Any(s * DataType(self->tensor.dtype()).bytes()));
       return strides;
     })},
    {ApiKind::kProperty, kArray, "dtype", "The type of the elements.",
     native([](NDArray self) { return ir::make<NumpyDTypeNode>(DataType(self->tensor.dtype()), false); })},
    {ApiKind::kProperty, kArray, "T", "The transposed array, a view.",
     native([](ApiCall& call, NDArray self) {
       return array_value(transposed(evaluator_of(call.host), self->tensor, nullptr, call.span));
     })},
    {ApiKind::kProperty, kArray, "flat", "The elements in order.", native([](ApiCall& call, NDArray self) {
       return array_value(reshape_to(self->tensor, {-1}, call.span));
     })},
    {ApiKind::kMethod, kArray, "reshape(*shape)", "The elements in another shape.",
     native([](ApiCall& call, NDArray self, Tuple shape) {
       return array_value(reshape_to(
           self->tensor, shape_of_arguments(evaluator_of(call.host), shape, call.span_of(1)), call.span));
     })},
    {ApiKind::kMethod, kArray, "transpose(*axes)", "The dimensions in another order, a view.",
     native([](ApiCall& call, NDArray self, Tuple axes) {
       Any order = axes.empty() ? Any(nullptr) : axes.size() == 1 && !is_int(axes[0]) ? axes[0] : Any(axes);
       return array_value(transposed(evaluator_of(call.host), self->tensor, order, call.span));
     })},
    {ApiKind::kMethod, kArray, "swapaxes(axis1, axis2)", "Two dimensions exchanged, a view.",
     native([](ApiCall& call, NDArray self, Any a, Any b) {
       Evaluator& evaluator = evaluator_of(call.host);
       Shape shape = shape_of(self->tensor), strides = strides_of(self->tensor);
       auto x = static_cast<size_t>(axis_argument(evaluator, a, self->tensor.ndim(), call.span_of(1)));
       auto y = static_cast<size_t>(axis_argument(evaluator, b, self->tensor.ndim(), call.span_of(2)));
       std::swap(shape[x], shape[y]);
       std::swap(strides[x], strides[y]);
       return array_value(strided(self->tensor, shape, strides));
     })},
    {ApiKind::kMethod, kArray, "ravel()", "All elements in one dimension.",
     native(
         [](ApiCall& call, NDArray self) { return array_value(reshape_to(self->tensor, {-1}, call.span)); })},
    {ApiKind::kMethod, kArray, "flatten()", "All elements in one dimension, a copy.",
     native([](ApiCall& call, NDArray self) {
       return array_value(cast_to(reshape_to(self->tensor, {-1}, call.span), self->tensor.dtype(), true));
     })},
    {ApiKind::kMethod, kArray, "squeeze(axis=None)", "Without dimensions of extent 1.",
     native([](ApiCall& call, NDArray self, Any axis) { return squeezed(call, self->tensor, axis); })},
    {ApiKind::kMethod, kArray, "astype(dtype, copy=True)", "The elements in another type.",
     native([](ApiCall& call, NDArray self, Any dtype, bool copy) {
       return array_value(
           cast_to(self->tensor, dtype_argument(evaluator_of(call.host), dtype, call.span_of(1)), copy));
     })},
    {ApiKind::kMethod, kArray, "copy()", "A copy.",
     native([](NDArray self) { return array_value(cast_to(self->tensor, self->tensor.dtype(), true)); })},
    {ApiKind::kMethod, kArray, "fill(value)", "Sets all elements.",
     native([](ApiCall& call, NDArray self, Any value) {
       array_assign(evaluator_of(call.host), Any(self), ellipsis(), value, call.span);
     })},
    {ApiKind::kMethod, kArray, "item(*index)", "One element as a Python number.",
     native([](ApiCall& call, NDArray self, Tuple index) {
       Evaluator& evaluator = evaluator_of(call.host);
       if (index.empty()) {
         if (self->tensor.numel() != 1) {
           raise("ValueError", call.span, "not-a-scalar",
                 "can only convert an array of size 1 to a Python scalar");
         }
         return plain_number(scalar_or_array(reshape_to(self->tensor, {}, call.span)));
       }
       Any position = index.size() == 1 && !is_int(index[0]) ? index[0] : Any(index);
       if (index.size() == 1 && self->tensor.ndim() > 1 && is_int(index[0])) {
         return plain_number(array_subscript(
             evaluator, array_value(reshape_to(self->tensor, {-1}, call.span)), index[0], call.span));
       }
       return plain_number(array_subscript(evaluator, Any(self), position, call.span));
     })},
    {ApiKind::kMethod, kArray, "tolist()", "The elements as nested lists of Python numbers.",
     native([](NDArray self) { return nested_list(self->tensor); })},
    {ApiKind::kMethod, kArray, "view()", "The same memory.",
     native([](NDArray self) { return array_value(self->tensor); })},
    {ApiKind::kMethod, kArray, "dot(b)", "The matrix product.",
     native([](ApiCall& call, NDArray self, Any other) {
       return array_binary(evaluator_of(call.host), syntax::BinOperator::kMatMult, Any(self), other,
                           call.span);
     })},
    {ApiKind::kFunction, "numpy", "reshape(a, shape)", "The elements in another shape.",
     native([](ApiCall& call, Any value, Any shape) {
       return array_value(reshape_to(tensor_argument(call, value),
                                     shape_argument(evaluator_of(call.host), shape, call.span_of(1)),
                                     call.span));
     })},
    {ApiKind::kFunction, "numpy", "transpose(a, axes=None)", "The dimensions in another order, a view.",
     native([](ApiCall& call, Any value, Any axes) {
       return array_value(transposed(evaluator_of(call.host), tensor_argument(call, value), axes, call.span));
     })},
    {ApiKind::kFunction, "numpy", "ravel(a)", "All elements in one dimension.",
     native([](ApiCall& call, Any value) {
       return array_value(reshape_to(tensor_argument(call, value), {-1}, call.span));
     })},
    {ApiKind::kFunction, "numpy", "squeeze(a, axis=None)", "Without dimensions of extent 1.",
     native([](ApiCall& call, Any value, Any axis) {
       return squeezed(call, tensor_argument(call, value), axis);
     })},
    {ApiKind::kFunction, "numpy", "expand_dims(a, axis)", "With one dimension more.",
     native([](ApiCall& call, Any value, Any axis) {
       ffi::Tensor tensor = tensor_argument(call, value);
       Shape shape = shape_of(tensor);
       shape.insert(
           shape.begin() + axis_argument(evaluator_of(call.host), axis, tensor.ndim() + 1, call.span_of(1)),
           1);
       return array_value(reshape_to(tensor, shape, call.span));
     })},
    {ApiKind::kFunction, "numpy", "broadcast_to(array, shape)", "The array seen in a larger shape.",
     native([](ApiCall& call, Any value, Any shape) {
       ffi::Tensor tensor = tensor_argument(call, value);
       Shape wanted = shape_argument(evaluator_of(call.host), shape, call.span_of(1));
       if (broadcast_shapes(shape_of(tensor), wanted, call.span) != wanted) {
         raise("ValueError", call.span, "shape-mismatch",
               "operands could not be broadcast together with remapped shapes [original->remapped]: {} and "
               "requested shape {}",
               shape_text(shape_of(tensor)), shape_text(wanted));
       }
       return array_value(broadcast_to(tensor, wanted));
     })},
    {ApiKind::kFunction, "numpy", "concatenate(arrays, axis=0)", "The arrays joined along a dimension.",
     native([](ApiCall& call, Any arrays, Any axis) {
       return concatenate(call, evaluator_of(call.host).elements_of(arrays, call.span_of(0)), axis);
     })},
    {ApiKind::kFunction, "numpy", "stack(arrays, axis=0)", "The arrays joined along a new dimension.",
     native([](ApiCall& call, Any arrays, int64_t axis) { return stack(call, arrays, axis); })},
    {ApiKind::kFunction, "numpy", "shape(a)", "The extents.",
     native([](ApiCall& call, Any value) { return shape_value(tensor_argument(call, value)); })},
    {ApiKind::kFunction, "numpy", "ndim(a)", "The number of dimensions.",
     native(
         [](ApiCall& call, Any value) { return static_cast<int64_t>(tensor_argument(call, value).ndim()); })},
    {ApiKind::kFunction, "numpy", "size(a)", "The number of elements.",
     native([](ApiCall& call, Any value) { return tensor_argument(call, value).numel(); })},
};

}  // namespace

std::span<const ir::ApiRow> np_shape_rows() { return rows; }

Any array_subscript(Evaluator& evaluator, const Any& array, const Any& index, ir::Span span) {
  const ffi::Tensor& tensor = as<ir::NDArrayNode>(array)->tensor;
  if (auto mask = boolean_mask(tensor, index, span)) {
    ffi::Tensor values = ir::contiguous(tensor);
    const bool* keep = data_of<bool>(*mask);
    int64_t dims[] = {std::count(keep, keep + values.numel(), true)};
    ffi::Tensor out = ir::make_tensor(dims, tensor.dtype());
    with_type(tensor.dtype(), [&](auto tag) {
      using T = decltype(tag);
      T* target = data_of<T>(out);
      for (int64_t i = 0; i < values.numel(); ++i) {
        if (keep[i]) *target++ = data_of<T>(values)[i];
      }
    });
    return array_value(out);
  }
  Selection selection = select(evaluator, tensor, index, span);
  ffi::Tensor view = view_of(tensor, selection);
  if (!selection.gather) {
    // An index of every dimension gives an element, everything else a view.
    bool element = selection.shape.empty() &&
                   !(index.type_index() == kTVMFFIArray &&
                     std::any_of(elements(index).begin(), elements(index).end(),
                                 [](const Any& part) { return part.same_as(ellipsis()); })) &&
                   !index.same_as(ellipsis());
    return element ? scalar_or_array(view) : array_value(view);
  }
  // Rows picked by an array of indices.
  const ffi::Tensor& picks = *selection.gather;
  Shape shape = selection.shape, picked = shape_of(picks);
  size_t axis = selection.gather_axis;
  Shape out_shape(shape.begin(), shape.begin() + static_cast<ptrdiff_t>(axis));
  out_shape.insert(out_shape.end(), picked.begin(), picked.end());
  out_shape.insert(out_shape.end(), shape.begin() + static_cast<ptrdiff_t>(axis) + 1, shape.end());
  ffi::Tensor source = ir::contiguous(view);
  ffi::Tensor out = ir::make_tensor(out_shape, tensor.dtype());
  int64_t outer = 1, inner = DataType(tensor.dtype()).bytes();
  for (size_t d = 0; d < axis; ++d) outer *= shape[d];
  for (size_t d = axis + 1; d < shape.size(); ++d) inner *= shape[d];
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < picks.numel(); ++i) {
      int64_t pick = gather_index(picks, i, shape[axis], axis, span);
      std::memcpy(data_of<char>(out) + (o * picks.numel() + i) * inner,
                  data_of<char>(source) + (o * shape[axis] + pick) * inner, static_cast<size_t>(inner));
    }
  }
  return array_value(out);
}

void array_assign(Evaluator& evaluator, const Any& array, const Any& index, const Any& value, ir::Span span) {
  const ffi::Tensor& tensor = as<ir::NDArrayNode>(array)->tensor;
  DataType dtype = tensor.dtype();
  with_type(dtype, [&](auto tag) {
    using T = decltype(tag);
    if (auto mask = boolean_mask(tensor, index, span)) {
      const bool* keep = data_of<bool>(*mask);
      int64_t count = std::count(keep, keep + tensor.numel(), true);
      ffi::Tensor values = assign_values(evaluator, value, {count}, dtype, span);
      const T* from = data_of<T>(values);
      T* target = data_of<T>(tensor);
      int64_t i = 0;
      each_offset(tensor, [&](int64_t at) {
        if (keep[i++]) target[at] = *from++;
      });
      return;
    }
    Selection selection = select(evaluator, tensor, index, span);
    ffi::Tensor view = view_of(tensor, selection);
    T* target = data_of<T>(view);
    if (!selection.gather) {
      ffi::Tensor values = assign_values(evaluator, value, selection.shape, dtype, span);
      // The right side may be a view of the same memory.
      if (as<ir::NDArrayNode>(value) != nullptr) values = cast_to(values, dtype, true);
      const T* from = data_of<T>(values);
      each_offset(view, [&](int64_t at) { target[at] = *from++; });
      return;
    }
    const ffi::Tensor& picks = *selection.gather;
    if (selection.gather_axis != 0) {
      raise("NotImplementedError", span, "not-supported",
            "assignment through an array index that is not the first one is not supported");
    }
    Shape shape = shape_of(picks);
    shape.insert(shape.end(), selection.shape.begin() + 1, selection.shape.end());
    ffi::Tensor values = assign_values(evaluator, value, shape, dtype, span);
    const T* from = data_of<T>(values);
    Shape inner_shape(selection.shape.begin() + 1, selection.shape.end());
    Shape inner_strides(selection.strides.begin() + 1, selection.strides.end());
    for (int64_t i = 0; i < picks.numel(); ++i) {
      int64_t pick = gather_index(picks, i, selection.shape[0], 0, span);
      ffi::Tensor row = strided(view, inner_shape, inner_strides, pick * selection.strides[0]);
      each_offset(row, [&](int64_t at) { data_of<T>(row)[at] = *from++; });
    }
  });
}

}  // namespace mlc::script
