// SPDX-License-Identifier: Apache-2.0
// Making arrays; dtype objects; constants of the numpy module.
#include <cmath>
#include <cstring>

#include "frontend/script/numpy/loop.h"
#include "frontend/script/numpy/rows.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "negative-dimension",
         .message = "negative dimensions are not allowed",
         .meaning = "The extents of an array are not negative.",
         .wrong = R"(import numpy as np
np.zeros((2, -1)))",
         .right = R"(import numpy as np
np.zeros((2, 1)))"},
        {.name = "zero-step", .kind = "ZeroDivisionError", .message = "division by zero"},
    }};
MLC_REFUSALS(numpy_create, refusals);

using ir::ApiKind;
using ir::ApiRow;
using ir::native;

namespace {

Any full(ApiCall& call, const Any& shape, double value, const Any& dtype, size_t dtype_index) {
  DataType type = dtype_or(call, dtype, dtype_index, DataType::Float(64));
  Shape dims = shape_argument(evaluator_of(call.host), shape, call.span_of(0));
  for (int64_t d : dims) {
    if (d < 0) raise(refusals["negative-dimension"], call.span_of(0));
  }
  return array_value(filled(dims, type, value));
}
void copy_filling(const ffi::Tensor& target, const ffi::Tensor& values, ir::Span span) {
  std::optional<Shape> common = common_shape(shape_of(target), shape_of(values));
  if (common != shape_of(target)) {
    raise("ValueError", span, "shape-mismatch", "could not broadcast input array from shape {} into shape {}",
          shape_text(shape_of(values)), shape_text(shape_of(target)));
  }
  copy_into(target, values);
}
Any like(ApiCall& call, const Any& array, const Any& value, const Any& dtype, const Any& shape_value) {
  Evaluator& evaluator = evaluator_of(call.host);
  ffi::Tensor tensor = to_tensor(evaluator, array, call.span_of(0));
  Operand source = operand_of(tensor);
  DataType type = is_none(dtype) ? DataType(tensor.dtype()) : dtype_argument(evaluator, dtype, call.span);
  ffi::Tensor result =
      is_none(shape_value)
          ? make_in_order(
                shape_of(tensor),
                memory_order(static_cast<size_t>(tensor.ndim()), std::span<const Operand>(&source, 1)), type)
          : make_array(shape_argument(evaluator, shape_value, call.span), type);
  copy_filling(result, to_tensor(evaluator, value, call.span_of(1), type), call.span);
  return array_value(result);
}

// copy: True always, None where needed, False never.
Any array_from(ApiCall& call, const Any& object, const Any& dtype, const Any& copy, int64_t least_dims,
               std::string_view order = "K") {
  Evaluator& evaluator = evaluator_of(call.host);
  DataType type = is_none(dtype) ? DataType::Void() : dtype_argument(evaluator, dtype, call.span_of(1));
  ffi::Tensor tensor = to_tensor(evaluator, object, call.span_of(0), type);
  auto* array = as<ir::NDArrayNode>(object);
  bool shared = (array != nullptr && tensor.same_as(array->tensor)) ||
                (object.type_index() == kTVMFFITensor && tensor.same_as(object.cast<ffi::Tensor>()));
  if (is_bool(copy) && raw_int(copy) == 0 && !shared) {
    raise("ValueError", call.span, "wrong-value",
          "a copy is needed for this array, and copy=False forbids it: np.asarray(obj) copies where it must");
  }
  bool wanted = is_bool(copy) && raw_int(copy) != 0;
  if (order == "F") {
    Shape back;
    for (int64_t d = tensor.ndim(); d-- > 0;) back.push_back(d);
    tensor = transposed(row_major(transposed(tensor, back), tensor.dtype(), wanted && shared), back);
  } else if (order == "C") {
    tensor = row_major(tensor, tensor.dtype(), wanted && shared);
  } else if (wanted && shared) {
    tensor = cast_to(tensor, tensor.dtype(), true);
  }
  if (tensor.ndim() < least_dims) {
    Shape shape = shape_of(tensor), strides = strides_of(tensor);
    auto more = static_cast<size_t>(least_dims - tensor.ndim());
    shape.insert(shape.begin(), more, 1);
    strides.insert(strides.begin(), more, 0);
    tensor = strided(tensor, shape, strides);
  }
  return array_value(tensor);
}

Any frombuffer(ApiCall& call, const Any& buffer, const Any& dtype, int64_t count, int64_t offset) {
  DataType type = dtype_or(call, dtype, 1, DataType::Float(64));
  std::string bytes;
  if (auto* array = as<ir::NDArrayNode>(buffer)) {
    ffi::Tensor dense = row_major(array->tensor, array->tensor.dtype());
    bytes.assign(data_of<char>(dense), static_cast<size_t>(dense.numel() * DataType(dense.dtype()).bytes()));
  } else if (auto text = buffer.try_cast<ffi::Bytes>()) {
    bytes.assign(text->data(), text->size());
  } else {
    raise("TypeError", call.span_of(0), "wrong-type", "a bytes-like object is required, not '{}'",
          type_name_of(evaluator_of(call.host), buffer));
  }
  auto size = static_cast<int64_t>(bytes.size());
  if (offset < 0 || offset > size) {
    raise("ValueError", call.span, "wrong-value",
          "offset must be non-negative and no greater than buffer length ({})", size);
  }
  if (count < 0) {
    if ((size - offset) % type.bytes() != 0)
      raise("ValueError", call.span, "wrong-value", "buffer size must be a multiple of element size");
    count = (size - offset) / type.bytes();
  } else if (count * type.bytes() > size - offset) {
    raise("ValueError", call.span, "wrong-value", "buffer is smaller than requested size");
  }
  int64_t dims[] = {count};
  ffi::Tensor tensor = make_array(dims, type);
  std::memcpy(tensor.data_ptr(), bytes.data() + offset, static_cast<size_t>(count * type.bytes()));
  return array_value(tensor);
}

Any as_strided(ApiCall& call, const Any& value, const Any& shape_value, const Any& strides_value) {
  Evaluator& evaluator = evaluator_of(call.host);
  ffi::Tensor tensor = to_tensor(evaluator, value, call.span_of(0));
  Shape shape =
      is_none(shape_value) ? shape_of(tensor) : shape_argument(evaluator, shape_value, call.span_of(1));
  Shape strides = strides_of(tensor);
  int64_t bytes = DataType(tensor.dtype()).bytes();
  if (!is_none(strides_value)) {
    strides = shape_argument(evaluator, strides_value, call.span_of(2));
    for (int64_t& stride : strides) {
      if (stride % bytes != 0)
        raise("ValueError", call.span_of(2), "wrong-value",
              "a stride of {} bytes is not a multiple of the element's {}", stride, bytes);
      stride /= bytes;
    }
  }
  if (shape.size() != strides.size())
    raise("ValueError", call.span, "shape-mismatch", "shape and strides must have the same length");
  // Nothing outside the tensor's own memory may be reached: offsets are checked against what it spans now.
  auto reach = [](const Shape& extents, const Shape& steps) {
    int64_t low = 0, high = 0;
    for (size_t d = 0; d < extents.size(); ++d)
      (steps[d] < 0 ? low : high) += std::max<int64_t>(extents[d] - 1, 0) * steps[d];
    return std::pair(low, high);
  };
  auto [low, high] = reach(shape_of(tensor), strides_of(tensor));
  auto [new_low, new_high] = reach(shape, strides);
  if (product(shape) > 0 && (new_low < low || new_high > high))
    raise("ValueError", call.span, "wrong-value", "the view reaches outside the array's memory");
  return array_value(strided(tensor, shape, strides));
}

Any arange(ApiCall& call, const Any& start_or_stop, const Any& stop, const Any& step, const Any& dtype) {
  Evaluator& evaluator = evaluator_of(call.host);
  Any first = is_none(stop) ? Any(int64_t{0}) : plain_number(start_or_stop);
  Any last = plain_number(is_none(stop) ? start_or_stop : stop);
  Any by = is_none(step) ? Any(int64_t{1}) : plain_number(step);
  bool real = is_float(first) || is_float(last) || is_float(by);
  auto number = [&](const Any& value, size_t i) {
    if (is_float(value)) return raw_float(value);
    return static_cast<double>(index_value(evaluator, value, call.span_of(i), "arange"));
  };
  double a = number(first, 0), b = number(last, 1), s = number(by, 2);
  if (s == 0) raise(refusals["zero-step"], call.span_of(2));
  auto count = static_cast<int64_t>(std::max(0.0, std::ceil((b - a) / s)));
  DataType type = dtype_or(call, dtype, 3, real ? DataType::Float(64) : DataType::Int(64));
  int64_t dims[] = {count};
  ffi::Tensor tensor = make_array(dims, type);
  with_type(type, [&](auto tag) {
    using T = decltype(tag);
    // As NumPy fills: the second element minus the first is the step, in the array's own type.
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      T begin = static_cast<T>(a), delta = static_cast<T>(a + s) - begin;
      for (int64_t i = 0; i < count; ++i) data_of<T>(tensor)[i] = begin + static_cast<T>(i) * delta;
      if (count > 1) data_of<T>(tensor)[1] = static_cast<T>(a + s);
    } else {
      for (int64_t i = 0; i < count; ++i) {
        data_of<T>(tensor)[i] = real ? static_cast<T>(a + static_cast<double>(i) * s)
                                     : static_cast<T>(static_cast<int64_t>(a) + i * static_cast<int64_t>(s));
      }
    }
  });
  return array_value(tensor);
}

#define MLC_NP_CONSTANT(name, text, value)                                      \
  ApiRow {                                                                      \
    ApiKind::kValue, "numpy", name, text, [](ApiCall&) -> Any { return value; } \
  }

// A fresh array of one value, and one in the shape of another.
template <int value>
Any fresh(ApiCall& call) {
  return full(call, call.args[0], value, call.args[1], 1);
}
template <int64_t value>
Any fresh_like(ApiCall& call) {
  return like(call, call.args[0], value, call.args[1], call.args[4]);
}
Any as_array(ApiCall& call) {
  const Any& order = call.args[2];
  return array_from(call, call.args[0], call.args[1], call.args[4], 0, is_str(order) ? text_of(order) : "K");
}

const ApiRow create_table[] = {
    {ApiKind::kFunction, "numpy",
     "array(object, dtype=None, copy=True, order='K', subok=False, ndmin=0, like=None)",
     "An array of these values.",
     native([](ApiCall& call, Any object, Any dtype, Any copy, Any order, bool, int64_t ndmin, Any) {
       return array_from(call, object, dtype, copy, ndmin, is_str(order) ? text_of(order) : "K");
     })},
    {ApiKind::kFunction, "numpy", "asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None)",
     "The value as an array, without a copy where it is one.", as_array},
    {ApiKind::kFunction, "numpy",
     "asanyarray(a, dtype=None, order=None, *, device=None, copy=None, like=None)",
     "The value as an array, without a copy where it is one.", as_array},
    {ApiKind::kFunction, "numpy", "ascontiguousarray(a, dtype=None, *, like=None)",
     "The value as a row-major array.", native([](ApiCall& call, Any object, Any dtype, Any) {
       return array_from(call, object, dtype, nullptr, 1, "C");
     })},
    {ApiKind::kFunction, "numpy", "asfortranarray(a, dtype=None, *, like=None)",
     "The value as an array whose first index is fastest in memory.",
     native([](ApiCall& call, Any object, Any dtype, Any) {
       return array_from(call, object, dtype, nullptr, 1, "F");
     })},
    {ApiKind::kFunction, "numpy", "copy(a, order='K', subok=False)", "A copy of the array.",
     native([](ApiCall& call, Any object, std::string order, bool) {
       return array_from(call, object, nullptr, true, 0, order);
     })},
    {ApiKind::kFunction, "numpy", "frombuffer(buffer, dtype=None, count=-1, offset=0)",
     "The bytes as an array.", native(calls<frombuffer>)},
    {ApiKind::kFunction, "numpy.lib.stride_tricks",
     "as_strided(x, shape=None, strides=None, subok=False, writeable=True)",
     "The memory seen with other strides, within its bounds.",
     native([](ApiCall& call, Any x, Any shape, Any strides, bool, bool) {
       return as_strided(call, x, shape, strides);
     })},
    {ApiKind::kFunction, "numpy", "zeros(shape, dtype=None, order='C', *, device=None, like=None)",
     "An array of zeros.", fresh<0>},
    {ApiKind::kFunction, "numpy", "ones(shape, dtype=None, order='C', *, device=None, like=None)",
     "An array of ones.", fresh<1>},
    {ApiKind::kFunction, "numpy", "empty(shape, dtype=None, order='C', *, device=None, like=None)",
     "An array without values of note (zeros).", fresh<0>},
    {ApiKind::kFunction, "numpy", "full(shape, fill_value, dtype=None, order='C', *, device=None, like=None)",
     "An array of one value.",
     native([](ApiCall& call, Any shape, Any value, Any dtype, std::string, Any, Any) {
       Evaluator& evaluator = evaluator_of(call.host);
       DataType type = dtype_or(call, dtype, 2, DataType::Void());
       ffi::Tensor one = to_tensor(evaluator, value, call.span_of(1), type);
       ffi::Tensor result = make_array(shape_argument(evaluator, shape, call.span_of(0)), one.dtype());
       copy_filling(result, one, call.span);
       return array_value(result);
     })},
    {ApiKind::kFunction, "numpy",
     "zeros_like(a, dtype=None, order='K', subok=True, shape=None, *, device=None)",
     "Zeros of the same shape.", fresh_like<0>},
    {ApiKind::kFunction, "numpy",
     "ones_like(a, dtype=None, order='K', subok=True, shape=None, *, device=None)", "Ones of the same shape.",
     fresh_like<1>},
    {ApiKind::kFunction, "numpy",
     "empty_like(prototype, dtype=None, order='K', subok=True, shape=None, *, device=None)",
     "An array of the same shape (zeros).", fresh_like<0>},
    {ApiKind::kFunction, "numpy",
     "full_like(a, fill_value, dtype=None, order='K', subok=True, shape=None, *, device=None)",
     "One value in the same shape.",
     native([](ApiCall& call, Any array, Any value, Any dtype, std::string, bool, Any shape, Any) {
       return like(call, array, value, dtype, shape);
     })},
    {ApiKind::kFunction, "numpy", "arange(start, stop=None, step=None, dtype=None)", "Evenly spaced values.",
     native(calls<arange>)},
    {ApiKind::kClass, "numpy", "ndarray(shape, dtype=None)", "The type of arrays.", fresh<0>, kNdarray,
     "numpy.ndarray"},
    MLC_NP_CONSTANT("pi", "The ratio of a circle's circumference to its diameter.", 3.141592653589793),
    MLC_NP_CONSTANT("e", "Euler's number.", 2.718281828459045),
    MLC_NP_CONSTANT("inf", "Infinity.", HUGE_VAL),
    MLC_NP_CONSTANT("nan", "Not a number.", static_cast<double>(NAN)),
    MLC_NP_CONSTANT("True_", "True as a scalar.", scalar_value(DataType::Bool(), int64_t{1})),
    MLC_NP_CONSTANT("False_", "False as a scalar.", scalar_value(DataType::Bool(), int64_t{0})),
    MLC_NP_CONSTANT("__version__", "The version of NumPy whose results these are.", str_value("2.4.6")),
    MLC_NP_CONSTANT("newaxis", "None, as an index: a new dimension.", Any(nullptr)),
};

}  // namespace

std::span<const ir::ApiRow> np_create_rows() { return create_table; }

}  // namespace mlc::script
