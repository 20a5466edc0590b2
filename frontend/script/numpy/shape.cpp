// SPDX-License-Identifier: Apache-2.0
// Attributes and methods of arrays; functions that show the same elements in another shape.
#include <algorithm>
#include <cstring>

#include "frontend/script/numpy/rows.h"
#include "frontend/script/numpy/scalar.h"
#include "frontend/script/numpy/ufunc.h"
#include "frontend/script/types/wide_int.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "bad-axes",
         .meaning = "A permutation of axes names each axis once.",
         .wrong = R"(import numpy as np
np.zeros((2, 3)).transpose(0, 0))",
         .right = R"(import numpy as np
np.zeros((2, 3)).transpose(1, 0))"},
        {.name = "bad-cast",
         .kind = "TypeError",
         .message = "Cannot cast array data from dtype('{}') to dtype('{}') according to the rule '{}'"},
        {.name = "not-a-scalar",
         .meaning = "Only an array of one element is a number.",
         .wrong = R"(import numpy as np
np.array([1, 2]).item())",
         .right = R"(import numpy as np
np.array([1, 2])[0].item())"},
    }};
MLC_REFUSALS(numpy_shape, refusals);

using ir::ApiKind;
using ir::ApiRow;
using ir::native;
using ir::NDArray;

Any matmul_dot(Evaluator& evaluator, const Any& a, const Any& b, ir::Span span);  // linalg.cpp

namespace {

Any transposed_value(Evaluator& evaluator, const ffi::Tensor& tensor, const Any& axes, ir::Span span) {
  auto n = static_cast<int64_t>(tensor.ndim());
  Shape order;
  if (is_none(axes)) {
    for (int64_t i = n; i-- > 0;) order.push_back(i);
  } else {
    std::vector<Any> all = evaluator.elements_of(axes, span);
    if (static_cast<int64_t>(all.size()) != n) raise_as(refusals["bad-axes"], span, "axes don't match array");
    for (const Any& axis : all) order.push_back(axis_argument(evaluator, axis, n, span));
    Shape sorted = order;
    std::sort(sorted.begin(), sorted.end());
    if (std::unique(sorted.begin(), sorted.end()) != sorted.end())
      raise_as(refusals["bad-axes"], span, "repeated axis in transpose");
  }
  return array_value(transposed(tensor, order));
}

// The shape of `reshape(2, 3)` and `reshape((2, 3))` alike.
Shape shape_of_arguments(Evaluator& evaluator, const Tuple& args, ir::Span span) {
  if (args.size() == 1) return shape_argument(evaluator, args[0], span);
  return shape_argument(evaluator, args, span);
}
// order='F' reads and writes the first index fastest.
ffi::Tensor reshape_ordered(const ffi::Tensor& tensor, Shape shape, std::string_view order, ir::Span span) {
  bool first_fastest = order == "F";
  if (order == "A" || order == "K") {
    // As it lies in memory, where that is one of the two orders.
    Shape back;
    for (int64_t d = tensor.ndim(); d-- > 0;) back.push_back(d);
    first_fastest = !tensor.IsContiguous() && transposed(tensor, back).IsContiguous();
  } else if (order != "C" && order != "F") {
    raise("ValueError", span, "wrong-value", "order must be one of 'C', 'F', 'A', or 'K' (got '{}')", order);
  }
  if (!first_fastest) return reshape_to(tensor, std::move(shape), span);
  Shape back, out_back;
  for (int64_t d = tensor.ndim(); d-- > 0;) back.push_back(d);
  for (auto d = static_cast<int64_t>(shape.size()); d-- > 0;) out_back.push_back(d);
  std::reverse(shape.begin(), shape.end());
  return transposed(reshape_to(transposed(tensor, back), shape, span), out_back);
}

// An element as a Python number.
Any python_number(const Any& element) {
  Any number = plain_number(element);
  if (numpy_scalar_dtype(element) == DataType::UInt(64) && raw_int(number) < 0)
    return whole_of_unsigned(static_cast<uint64_t>(raw_int(number)));
  return number;
}

Any nested_list(const ffi::Tensor& tensor) {
  if (tensor.ndim() == 0) return python_number(element_value(tensor, 0));
  List list;
  Shape shape = shape_of(tensor), strides = strides_of(tensor);
  if (tensor.ndim() == 1) {
    for (int64_t i = 0; i < shape[0]; ++i)
      list.push_back(python_number(element_value(tensor, i * strides[0])));
    return list;
  }
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
Any item(ApiCall& call, const NDArray& self, const Tuple& index) {
  Evaluator& evaluator = evaluator_of(call.host);
  if (index.empty()) {
    if (self->tensor.numel() != 1)
      raise_as(refusals["not-a-scalar"], call.span, "can only convert an array of size 1 to a Python scalar");
    return python_number(element_value(reshape_to(self->tensor, {}, call.span), 0));
  }
  Any position = index.size() == 1 && is_list_like(index[0]) ? index[0] : Any(index);
  if (index.size() == 1 && !is_list_like(index[0])) {
    return python_number(array_subscript(evaluator, array_value(reshape_to(self->tensor, {-1}, call.span)),
                                         index[0], call.span));
  }
  return python_number(array_subscript(evaluator, Any(self), position, call.span));
}

Any python_scalar(ApiCall& call, const NDArray& self) {
  if (self->tensor.ndim() > 0) {
    raise_as(refusals["not-a-scalar"].as("TypeError"), call.span,
             "only 0-dimensional arrays can be converted to Python scalars");
  }
  return plain_number(element_value(self->tensor, 0));
}

// The bytes of the elements read as another type.
Any viewed(ApiCall& call, const ffi::Tensor& tensor, const Any& dtype_value) {
  if (is_none(dtype_value)) return array_value(tensor);
  DataType dtype = dtype_argument(evaluator_of(call.host), dtype_value, call.span_of(1));
  int64_t from = DataType(tensor.dtype()).bytes(), to = dtype.bytes();
  Shape shape = shape_of(tensor), strides = strides_of(tensor);
  if (from != to) {
    if (shape.empty())
      raise("ValueError", call.span, "shape-mismatch",
            "Changing the dtype of a 0d array is only supported if the itemsize is unchanged");
    if (strides.back() != 1 && shape.back() != 1)
      raise("ValueError", call.span, "shape-mismatch",
            "To change to a dtype of a different size, the last axis must be contiguous");
    if (from * shape.back() % to != 0) {
      raise("ValueError", call.span, "shape-mismatch",
            "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the "
            "last axis of "
            "the array.");
    }
    shape.back() = shape.back() * from / to;
    for (size_t d = 0; d + 1 < shape.size(); ++d) strides[d] = strides[d] * from / to;
    strides.back() = 1;
  }
  return array_value(view_as(tensor, shape, strides, dtype, 0));
}

std::string bytes_of(const ffi::Tensor& tensor) {
  ffi::Tensor dense = row_major(tensor, tensor.dtype());
  return {data_of<char>(dense), static_cast<size_t>(dense.numel() * DataType(tensor.dtype()).bytes())};
}

Any astype(ApiCall& call, const ffi::Tensor& tensor, const Any& dtype, const Any& order, const Any& casting,
           bool copy) {
  DataType to = dtype_argument(evaluator_of(call.host), dtype, call.span_of(1));
  DataType from = tensor.dtype();
  if (Casting rule = casting_argument(casting, call.span); !can_cast(from, to, rule)) {
    raise(refusals["bad-cast"], call.span, from.str(), to.str(), casting_name(rule));
  }
  if (is_str(order) && text_of(order) == "C") return array_value(row_major(tensor, to, copy));
  return array_value(cast_to(tensor, to, copy));
}

const ApiRow shape_functions[] = {
    {ApiKind::kProperty, kNdarray, "shape", "The extents.",
     native([](NDArray self) { return shape_value(self->tensor); })},
    {ApiKind::kProperty, kNdarray, "ndim", "The number of dimensions.",
     native([](NDArray self) { return static_cast<int64_t>(self->tensor.ndim()); })},
    {ApiKind::kProperty, kNdarray, "size", "The number of elements.",
     native([](NDArray self) { return self->tensor.numel(); })},
    {ApiKind::kProperty, kNdarray, "nbytes", "The bytes of all elements.",
     native([](NDArray self) { return self->tensor.numel() * DataType(self->tensor.dtype()).bytes(); })},
    {ApiKind::kProperty, kNdarray, "itemsize", "The bytes of one element.",
     native([](NDArray self) { return static_cast<int64_t>(DataType(self->tensor.dtype()).bytes()); })},
    {ApiKind::kProperty, kNdarray, "strides", "Bytes from one element to the next, per dimension.",
     native([](NDArray self) {
       Tuple strides;
       for (int64_t s : self->tensor.strides())
         strides.push_back(Any(s * DataType(self->tensor.dtype()).bytes()));
       return strides;
     })},
    {ApiKind::kProperty, kNdarray, "dtype", "The type of the elements.",
     native([](NDArray self) { return dtype_value(self->tensor.dtype()); })},
    {ApiKind::kProperty, kNdarray, "T", "The transposed array, a view.",
     native([](ApiCall& call, NDArray self) {
       return view_value(self, transposed_value(evaluator_of(call.host), self->tensor, nullptr, call.span));
     })},
    {ApiKind::kProperty, kNdarray, "flat", "The elements in order.", native([](ApiCall& call, NDArray self) {
       return view_value(self, array_value(reshape_to(self->tensor, {-1}, call.span)));
     })},
    {ApiKind::kMethod, kNdarray, "reshape(*shape, order='C', copy=None)", "The elements in another shape.",
     native([](ApiCall& call, NDArray self, Tuple shape, std::string order, Any) {
       Shape wanted = shape_of_arguments(evaluator_of(call.host), shape, call.span_of(1));
       return view_value(self, array_value(reshape_ordered(self->tensor, wanted, order, call.span)));
     })},
    {ApiKind::kMethod, kNdarray, "transpose(*axes)", "The dimensions in another order, a view.",
     native([](ApiCall& call, NDArray self, Tuple axes) {
       Any order = axes.empty()                                                      ? Any(nullptr)
                   : axes.size() == 1 && (is_list_like(axes[0]) || is_none(axes[0])) ? axes[0]
                                                                                     : Any(axes);
       return view_value(self, transposed_value(evaluator_of(call.host), self->tensor, order, call.span));
     })},
    {ApiKind::kMethod, kNdarray, "flatten(order='C')", "All elements in one dimension, a copy.",
     native([](ApiCall& call, NDArray self, std::string order) {
       return array_value(cast_to(reshape_ordered(self->tensor, {self->tensor.numel()}, order, call.span),
                                  self->tensor.dtype(), true));
     })},
    {ApiKind::kMethod, kNdarray, "astype(dtype, order='K', casting='unsafe', subok=True, copy=True)",
     "The elements in another type.",
     native([](ApiCall& call, NDArray self, Any dtype, Any order, Any casting, bool, bool copy) {
       return astype(call, self->tensor, dtype, order, casting, copy);
     })},
    {ApiKind::kMethod, kNdarray, "copy(order='C')", "A copy.", native([](NDArray self, std::string order) {
       if (order == "K") return array_value(cast_to(self->tensor, self->tensor.dtype(), true));
       return array_value(row_major(self->tensor, self->tensor.dtype(), true));
     })},
    {ApiKind::kMethod, kNdarray, "fill(value)", "Sets all elements.",
     native([](ApiCall& call, NDArray self, Any value) {
       array_assign(evaluator_of(call.host), Any(self), ellipsis(), value, call.span);
     })},
    {ApiKind::kMethod, kNdarray, "item(*index)", "One element as a Python number.", native(calls<item>)},
    {ApiKind::kMethod, kNdarray, "tolist()", "The elements as nested lists of Python numbers.",
     native([](ApiCall& call, NDArray self) { return nested_list(self->tensor); })},
    {ApiKind::kMethod, kNdarray, "tobytes(order='C')", "The bytes of the elements in order.",
     native([](ApiCall& call, NDArray self, std::string order) {
       return ffi::Bytes(bytes_of(reshape_ordered(self->tensor, {self->tensor.numel()}, order, call.span)));
     })},
    {ApiKind::kMethod, kNdarray, "view(dtype=None)", "The same memory, perhaps as another type.",
     native([](ApiCall& call, NDArray self, Any dtype) {
       return view_value(self, viewed(call, self->tensor, dtype));
     })},
    {ApiKind::kMethod, kNdarray, "dot(b, out=None)", "The matrix product.",
     native([](ApiCall& call, NDArray self, Any other, Any out) {
       Evaluator& evaluator = evaluator_of(call.host);
       return into_out(to_tensor(evaluator, matmul_dot(evaluator, Any(self), other, call.span), call.span),
                       out, call.span);
     })},
    {ApiKind::kMethod, kNdarray, "__getitem__(key)", "self[key].",
     native([](ApiCall& call, NDArray self, Any key) {
       return array_subscript(evaluator_of(call.host), Any(self), key, call.span_of(1));
     })},
    {ApiKind::kMethod, kNdarray, "__setitem__(key, value)", "self[key] = value.",
     native([](ApiCall& call, NDArray self, Any key, Any value) {
       array_assign(evaluator_of(call.host), Any(self), key, value, call.span_of(1));
     })},
    {ApiKind::kMethod, kNdarray, "__float__()", "The only element as a float.",
     native([](ApiCall& call, NDArray self) { return to_double(python_scalar(call, self)); })},
    {ApiKind::kMethod, kNdarray, "__int__()", "The only element as an int.",
     native([](ApiCall& call, NDArray self) {
       Any number = python_scalar(call, self);
       return evaluator_of(call.host).call(Any(types().integer), std::span<const Any>(&number, 1), {},
                                           call.span);
     })},
    {ApiKind::kMethod, kNdarray, "__array__(dtype=None, copy=None)", "The array.",
     native([](NDArray self, Any, Any) { return self; })},
    {ApiKind::kProperty, kNdarray, "_writeable", "May the elements be set?",
     native([](NDArray self) { return self->writeable; })},
    {ApiKind::kMethod, kNdarray, "setflags(write=None, align=None, uic=None)",
     "Says whether the elements may be set.", native([](NDArray self, Any write, Any, Any) {
       if (!is_none(write)) const_cast<ir::NDArrayNode*>(self.get())->writeable = raw_int(write) != 0;
     })},
    {ApiKind::kFunction, "numpy", "reshape(a, shape, order='C', *, copy=None)",
     "The elements in another shape.",
     native([](ApiCall& call, Any value, Any shape, std::string order, Any) {
       Shape wanted = shape_argument(evaluator_of(call.host), shape, call.span_of(1));
       return view_value(
           value, array_value(reshape_ordered(tensor_argument(call, value), wanted, order, call.span)));
     })},
    {ApiKind::kFunction, "numpy", "transpose(a, axes=None)", "The dimensions in another order, a view.",
     native([](ApiCall& call, Any value, Any axes) {
       return view_value(
           value, transposed_value(evaluator_of(call.host), tensor_argument(call, value), axes, call.span));
     })},
    {ApiKind::kFunction, "numpy", "ravel(a, order='C')", "All elements in one dimension.",
     native([](ApiCall& call, Any value, std::string order) {
       ffi::Tensor tensor = tensor_argument(call, value);
       return view_value(value, array_value(reshape_ordered(tensor, {tensor.numel()}, order, call.span)));
     })},
    {ApiKind::kFunction, "numpy", "broadcast_to(array, shape, subok=False)",
     "The array seen in a larger shape.", native([](ApiCall& call, Any value, Any shape, bool) {
       ffi::Tensor tensor = tensor_argument(call, value);
       Shape wanted = shape_argument(evaluator_of(call.host), shape, call.span_of(1));
       if (tensor.ndim() > static_cast<int32_t>(wanted.size()))
         raise("ValueError", call.span, "shape-mismatch",
               "input operand has more dimensions than allowed by the axis remapping");
       if (common_shape(shape_of(tensor), wanted) != wanted) {
         raise("ValueError", call.span, "shape-mismatch",
               "operands could not be broadcast together with remapped shapes [original->remapped]: {}  and "
               "requested shape {}",
               shape_text(shape_of(tensor)), shape_text(wanted));
       }
       Any seen = array_value(broadcast_to(tensor, wanted));
       const_cast<ir::NDArrayNode*>(as<ir::NDArrayNode>(seen))->writeable = false;
       return seen;
     })},
    {ApiKind::kFunction, "numpy", "shares_memory(a, b)", "Do the arrays overlap?",
     native([](ApiCall& call, Any a, Any b) {
       return shares_memory(tensor_argument(call, a), tensor_argument(call, b));
     })},
};

}  // namespace

std::span<const ir::ApiRow> np_shape_rows() {
  static const std::vector<ApiRow> rows = with_methods(shape_functions, "ravel");
  return rows;
}

}  // namespace mlc::script
