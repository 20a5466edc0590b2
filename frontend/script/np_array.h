// SPDX-License-Identifier: Apache-2.0
// What the files of NumPy share: arrays as typed memory, dtype promotion by NumPy 2's rules, scalars.
#pragma once

#include <span>
#include <vector>

#include "frontend/script/machine.h"
#include "ir/array_text.h"
#include "ir/ndarray.h"

namespace mlc::script {

using ir::DataType;
using Shape = std::vector<int64_t>;

// np.float32(1.5): a scalar with a dtype. Computes like a 0-d array, prints like a number.
struct NumpyScalarNode final : ffi::Object {
  DLDataType dtype;
  union {
    int64_t integer;  // bool, ints; uint64 by its bits
    double real;
  };
  explicit NumpyScalarNode(DataType dtype) : dtype(dtype), integer(0) {}
  MLC_NODE("mlc.np.generic", NumpyScalarNode, ffi::Object);
};

// dtype('float32'), also what np.float32 is. Calling one converts.
struct NumpyDTypeNode final : ffi::Object {
  DLDataType dtype;
  bool is_class;  // np.float32 rather than np.dtype("float32")
  NumpyDTypeNode(DataType dtype, bool is_class) : dtype(dtype), is_class(is_class) {}
  MLC_NODE("mlc.np.dtype", NumpyDTypeNode, ffi::Object);
};

// A half-precision number in memory.
struct Half {
  uint16_t bits = 0;
  Half() = default;
  Half(double value);  // NOLINT: a number
  operator double() const;
};

// Calls `visit(T{})` with the C++ type of the elements.
template <class F>
decltype(auto) with_type(DataType dtype, F&& visit) {
  if (dtype.is_bool()) return visit(bool{});
  if (dtype.is_float()) {
    if (dtype.bits() == 16) return visit(Half{});
    if (dtype.bits() == 32) return visit(float{});
    return visit(double{});
  }
  if (dtype.is_int()) {
    switch (dtype.bits()) {
      case 8:
        return visit(int8_t{});
      case 16:
        return visit(int16_t{});
      case 32:
        return visit(int32_t{});
      default:
        return visit(int64_t{});
    }
  }
  switch (dtype.bits()) {
    case 8:
      return visit(uint8_t{});
    case 16:
      return visit(uint16_t{});
    case 32:
      return visit(uint32_t{});
    default:
      return visit(uint64_t{});
  }
}
void check_dtype(DataType dtype, ir::Span span);  // refuses those that NumPy's part here does not have

inline int64_t product(std::span<const int64_t> shape) {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  return n;
}
Shape shape_of(const ffi::Tensor& tensor);
Shape strides_of(const ffi::Tensor& tensor);             // in elements
std::string shape_text(std::span<const int64_t> shape);  // "(2,3)" as in NumPy's messages
template <class T>
T* data_of(const ffi::Tensor& tensor) {
  return reinterpret_cast<T*>(static_cast<char*>(tensor.data_ptr()) + tensor.byte_offset());
}

Any array_value(ffi::Tensor tensor);                // np.ndarray
Any scalar_or_array(ffi::Tensor tensor);            // a 0-d result becomes a scalar
Any scalar_value(DataType dtype, double real);      // a float scalar
Any scalar_value(DataType dtype, int64_t integer);  // an int or bool scalar
ffi::Tensor filled(std::span<const int64_t> shape, DataType dtype, double value);

// Any array-like value (array, tensor, scalar, number, nested lists) as a tensor; `dtype` void: found from
// the values.
ffi::Tensor to_tensor(Evaluator& evaluator, const Any& value, ir::Span span,
                      DataType dtype = DataType::Void());
// The same values in another type, row-major; the tensor itself when nothing changes (and `copy` is false).
ffi::Tensor cast_to(const ffi::Tensor& tensor, DataType dtype, bool copy = false);
// The tensor seen as a larger shape (strides of zero).
ffi::Tensor broadcast_to(const ffi::Tensor& tensor, std::span<const int64_t> shape);
Shape broadcast_shapes(const Shape& a, const Shape& b, ir::Span span);
ffi::Tensor reshape_to(const ffi::Tensor& tensor, Shape shape, ir::Span span);

DataType promote(DataType a, DataType b);
bool is_weak(const Any& value);  // a Python number, which takes the other operand's type
// The common type of operands, weak ones considered.
DataType result_type(Evaluator& evaluator, std::span<const Any> operands, ir::Span span);
DataType dtype_argument(Evaluator& evaluator, const Any& value,
                        ir::Span span);  // np.float32, "float32", float, ...
Shape shape_argument(Evaluator& evaluator, const Any& value, ir::Span span);
int64_t axis_argument(Evaluator& evaluator, const Any& value, int64_t ndim, ir::Span span);

Evaluator& evaluator_of(ir::Host& host);

// Walks all elements of `tensor` in row-major order; visit(offset in elements).
template <class F>
void each_offset(const ffi::Tensor& tensor, F&& visit) {
  Shape shape = shape_of(tensor), strides = strides_of(tensor);
  int64_t count = product(shape);
  if (count == 0) return;
  size_t n = shape.size();
  if (n == 0) {
    visit(int64_t{0});
    return;
  }
  std::vector<int64_t> index(n, 0);
  int64_t offset = 0;
  int64_t inner = shape[n - 1], step = strides[n - 1];
  for (;;) {
    int64_t at = offset;
    for (int64_t i = 0; i < inner; ++i, at += step) visit(at);
    size_t d = n - 1;
    for (;;) {
      if (d == 0) return;
      --d;
      offset += strides[d];
      if (++index[d] < shape[d]) break;
      offset -= shape[d] * strides[d];
      index[d] = 0;
    }
  }
}

std::span<const ir::ApiRow> np_create_rows();
std::span<const ir::ApiRow> np_shape_rows();
std::span<const ir::ApiRow> np_math_rows();
std::span<const ir::ApiRow> np_reduce_rows();
std::span<const ir::ApiRow> np_random_rows();
std::span<const ir::ApiRow> np_testing_rows();

}  // namespace mlc::script
