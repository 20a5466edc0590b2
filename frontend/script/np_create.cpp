// SPDX-License-Identifier: Apache-2.0
// Making arrays; dtype objects; constants of the numpy module.
#include <cmath>

#include "frontend/script/np_array.h"

namespace mlc::script {

using ir::ApiKind;
using ir::ApiRow;
using ir::native;

namespace {

Any full(ApiCall& call, const Any& shape, double value, const Any& dtype, size_t dtype_index) {
  DataType type = dtype_or(call, dtype, dtype_index, DataType::Float(64));
  Shape dims = shape_argument(evaluator_of(call.host), shape, call.span_of(0));
  for (int64_t d : dims) {
    if (d < 0)
      raise("ValueError", call.span_of(0), "negative-dimension", "negative dimensions are not allowed");
  }
  return array_value(filled(dims, type, value));
}
Any like(ApiCall& call, const Any& array, double value, const Any& dtype) {
  ffi::Tensor tensor = to_tensor(evaluator_of(call.host), array, call.span_of(0));
  return array_value(filled(shape_of(tensor), dtype_or(call, dtype, 1, tensor.dtype()), value));
}

Any make_array(ApiCall& call, const Any& object, const Any& dtype, bool copy, int64_t least_dims) {
  Evaluator& evaluator = evaluator_of(call.host);
  DataType type = is_none(dtype) ? DataType::Void() : dtype_argument(evaluator, dtype, call.span_of(1));
  ffi::Tensor tensor = to_tensor(evaluator, object, call.span_of(0), type);
  bool shared = as<ir::NDArrayNode>(object) != nullptr || object.type_index() == kTVMFFITensor;
  if (copy && shared) tensor = cast_to(tensor, tensor.dtype(), true);
  while (tensor.ndim() < least_dims) {
    Shape shape = shape_of(tensor);
    shape.insert(shape.begin(), 1);
    tensor = reshape_to(tensor, shape, call.span);
  }
  return array_value(tensor);
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
  if (s == 0) raise("ZeroDivisionError", call.span_of(2), "zero-step", "division by zero");
  auto count = static_cast<int64_t>(std::max(0.0, std::ceil((b - a) / s)));
  DataType type = dtype_or(call, dtype, 3, real ? DataType::Float(64) : DataType::Int(64));
  int64_t dims[] = {count};
  ffi::Tensor tensor = ir::make_tensor(dims, type);
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

Any linspace(ApiCall& call, double start, double stop, int64_t count, bool endpoint, const Any& dtype) {
  if (count < 0) {
    raise("ValueError", call.span_of(2), "negative-count", "Number of samples, {}, must be non-negative.",
          count);
  }
  int64_t dims[] = {count};
  ffi::Tensor tensor = ir::make_tensor(dims, DataType::Float(64));
  auto* data = data_of<double>(tensor);
  int64_t steps = endpoint ? count - 1 : count;
  double delta = stop - start;
  double step = delta / static_cast<double>(steps);
  for (int64_t i = 0; i < count; ++i) {
    double at = steps > 0 ? (step == 0 ? static_cast<double>(i) / static_cast<double>(steps) * delta
                                       : static_cast<double>(i) * step)
                          : static_cast<double>(i) * delta;
    data[i] = at + start;
  }
  if (endpoint && count > 1) data[count - 1] = stop;
  return array_value(cast_to(tensor, dtype_or(call, dtype, 4, DataType::Float(64))));
}

Any eye(ApiCall& call, int64_t n, const Any& m, int64_t k, const Any& dtype) {
  int64_t columns = is_none(m) ? n : index_value(evaluator_of(call.host), m, call.span_of(1), "M");
  DataType type = dtype_or(call, dtype, 3, DataType::Float(64));
  int64_t dims[] = {n, columns};
  ffi::Tensor tensor = filled(dims, type, 0);
  with_type(type, [&](auto tag) {
    using T = decltype(tag);
    for (int64_t i = 0; i < n; ++i) {
      if (i + k >= 0 && i + k < columns) data_of<T>(tensor)[i * columns + i + k] = static_cast<T>(1.0);
    }
  });
  return array_value(tensor);
}

#define MLC_NP_CONSTANT(name, text, value)                                      \
  ApiRow {                                                                      \
    ApiKind::kValue, "numpy", name, text, [](ApiCall&) -> Any { return value; } \
  }

const ApiRow rows[] = {
    {ApiKind::kFunction, "numpy", "array(object, dtype=None, copy=True, ndmin=0)",
     "An array of these values.", native([](ApiCall& call, Any object, Any dtype, bool copy, int64_t ndmin) {
       return make_array(call, object, dtype, copy, ndmin);
     })},
    {ApiKind::kFunction, "numpy", "asarray(a, dtype=None)",
     "The value as an array, without a copy where it is one.",
     native([](ApiCall& call, Any object, Any dtype) { return make_array(call, object, dtype, false, 0); })},
    {ApiKind::kFunction, "numpy", "ascontiguousarray(a, dtype=None)", "The value as a row-major array.",
     native([](ApiCall& call, Any object, Any dtype) {
       Any array = make_array(call, object, dtype, false, 1);
       return array_value(ir::contiguous(as<ir::NDArrayNode>(array)->tensor));
     })},
    {ApiKind::kFunction, "numpy", "copy(a)", "A copy of the array.",
     native([](ApiCall& call, Any object) { return make_array(call, object, nullptr, true, 0); })},
    {ApiKind::kFunction, "numpy", "from_dlpack(x)", "A tensor's memory as an array.",
     native([](ApiCall& call, Any object) { return make_array(call, object, nullptr, false, 0); })},
    {ApiKind::kFunction, "numpy", "zeros(shape, dtype=None)", "An array of zeros.",
     native([](ApiCall& call, Any shape, Any dtype) { return full(call, shape, 0, dtype, 1); })},
    {ApiKind::kFunction, "numpy", "ones(shape, dtype=None)", "An array of ones.",
     native([](ApiCall& call, Any shape, Any dtype) { return full(call, shape, 1, dtype, 1); })},
    {ApiKind::kFunction, "numpy", "empty(shape, dtype=None)", "An array without values of note (zeros).",
     native([](ApiCall& call, Any shape, Any dtype) { return full(call, shape, 0, dtype, 1); })},
    {ApiKind::kFunction, "numpy", "full(shape, fill_value, dtype=None)", "An array of one value.",
     native([](ApiCall& call, Any shape, Any value, Any dtype) {
       Evaluator& evaluator = evaluator_of(call.host);
       DataType type = dtype_or(call, dtype, 2, DataType::Void());
       ffi::Tensor one = to_tensor(evaluator, value, call.span_of(1), type);
       return array_value(
           ir::contiguous(broadcast_to(one, shape_argument(evaluator, shape, call.span_of(0)))));
     })},
    {ApiKind::kFunction, "numpy", "zeros_like(a, dtype=None)", "Zeros of the same shape.",
     native([](ApiCall& call, Any array, Any dtype) { return like(call, array, 0, dtype); })},
    {ApiKind::kFunction, "numpy", "ones_like(a, dtype=None)", "Ones of the same shape.",
     native([](ApiCall& call, Any array, Any dtype) { return like(call, array, 1, dtype); })},
    {ApiKind::kFunction, "numpy", "empty_like(a, dtype=None)", "An array of the same shape (zeros).",
     native([](ApiCall& call, Any array, Any dtype) { return like(call, array, 0, dtype); })},
    {ApiKind::kFunction, "numpy", "full_like(a, fill_value, dtype=None)", "One value in the same shape.",
     native([](ApiCall& call, Any array, double value, Any dtype) {
       ffi::Tensor tensor = to_tensor(evaluator_of(call.host), array, call.span_of(0));
       return array_value(filled(shape_of(tensor), dtype_or(call, dtype, 2, tensor.dtype()), value));
     })},
    {ApiKind::kFunction, "numpy", "arange(start, stop=None, step=None, dtype=None)", "Evenly spaced values.",
     native([](ApiCall& call, Any start, Any stop, Any step, Any dtype) {
       return arange(call, start, stop, step, dtype);
     })},
    {ApiKind::kFunction, "numpy", "linspace(start, stop, num=50, endpoint=True, dtype=None)",
     "So many values from start to stop.",
     native([](ApiCall& call, double start, double stop, int64_t count, bool endpoint, Any dtype) {
       return linspace(call, start, stop, count, endpoint, dtype);
     })},
    {ApiKind::kFunction, "numpy", "eye(N, M=None, k=0, dtype=None)", "Ones on a diagonal.",
     native([](ApiCall& call, int64_t n, Any m, int64_t k, Any dtype) { return eye(call, n, m, k, dtype); })},
    {ApiKind::kFunction, "numpy", "identity(n, dtype=None)", "The identity matrix.",
     native([](ApiCall& call, int64_t n, Any dtype) { return eye(call, n, nullptr, 0, dtype); })},
    {ApiKind::kClass, "numpy", "ndarray(shape, dtype=None)", "The type of arrays.",
     native([](ApiCall& call, Any shape, Any dtype) { return full(call, shape, 0, dtype, 1); }),
     "mlc.np.ndarray", "numpy.ndarray"},
    MLC_NP_CONSTANT("pi", "The ratio of a circle's circumference to its diameter.", 3.141592653589793),
    MLC_NP_CONSTANT("e", "Euler's number.", 2.718281828459045),
    MLC_NP_CONSTANT("inf", "Infinity.", HUGE_VAL),
    MLC_NP_CONSTANT("nan", "Not a number.", static_cast<double>(NAN)),
    MLC_NP_CONSTANT("newaxis", "None, as an index: a new dimension.", Any(nullptr)),
};

}  // namespace

std::span<const ir::ApiRow> np_create_rows() { return rows; }

}  // namespace mlc::script
