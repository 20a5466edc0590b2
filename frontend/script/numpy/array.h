// SPDX-License-Identifier: Apache-2.0
// What the files of NumPy share: arrays as typed memory, dtype promotion by NumPy 2's rules, scalars.
#pragma once

#include <cstring>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "frontend/script/core/machine.h"
#include "ir/core/array_text.h"
#include "ir/core/ndarray.h"

namespace mlc::script {

using ir::ApiCall;
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

// A half-precision number in memory (half.cpp).
struct Half {
  uint16_t bits = 0;
  Half() = default;
  explicit Half(float value);
  explicit Half(double value);
  template <class T>
  requires std::is_integral_v<T>
  explicit Half(T value) : Half(static_cast<float>(value)) {}
  operator float() const;
};
// Rows of them by the machine's own conversion; false where it has none.
bool to_half_row(const float* from, uint16_t* to, int64_t n);
bool from_half_row(const uint16_t* from, float* to, int64_t n);
// A bfloat16 in memory: the upper half of a float.
struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value);
  template <class T>
  requires std::is_arithmetic_v<T>
  explicit BFloat16(T value) : BFloat16(static_cast<float>(value)) {}
  operator float() const {
    uint32_t wide = static_cast<uint32_t>(bits) << 16;
    float value;
    std::memcpy(&value, &wide, sizeof value);
    return value;
  }
};
// A float of a byte or less: what the bits of each value are, and the nearest value of a number.
const float* narrow_values(size_t format);  // 256 of them
uint8_t narrow_bits(size_t format, double value);
template <size_t format>
struct Narrow {
  uint8_t bits = 0;
  Narrow() = default;
  template <class T>
  requires std::is_arithmetic_v<T>
  explicit Narrow(T value) : bits(narrow_bits(format, static_cast<double>(value))) {}
  operator float() const { return narrow_values(format)[bits]; }
};
template <class T>
constexpr bool is_narrow = false;
template <size_t format>
constexpr bool is_narrow<Narrow<format>> = true;
template <class T>
constexpr bool is_small_float = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16> || is_narrow<T>;
template <class T>
constexpr bool is_real = std::is_floating_point_v<T> || is_small_float<T>;
// The type that arithmetic on T is done in.
template <class T>
using Compute = std::conditional_t<is_small_float<T>, float, T>;

// The types of elements, in the order in which a ufunc tries its loops.
enum class Kind : uint8_t {
  kBool,
  kInt8,
  kUInt8,
  kInt16,
  kUInt16,
  kInt32,
  kUInt32,
  kInt64,
  kUInt64,
  kFloat16,
  kFloat32,
  kFloat64,
  kBFloat16,
  kNarrow  // the first of ir::narrow_formats(); the others follow
};
constexpr size_t kPlainKinds = 13;  // those with loops of their own
constexpr size_t kNarrowKinds = 11;
constexpr size_t kKinds = kPlainKinds + kNarrowKinds;
constexpr size_t index_of(Kind kind) { return static_cast<size_t>(kind); }
using Elements = std::tuple<bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t,
                            Half, float, double, BFloat16, Narrow<0>, Narrow<1>, Narrow<2>, Narrow<3>,
                            Narrow<4>, Narrow<5>, Narrow<6>, Narrow<7>, Narrow<8>, Narrow<9>, Narrow<10>>;
static_assert(std::tuple_size_v<Elements> == kKinds);

Kind kind_of(DataType dtype);
DataType type_of(Kind kind);

// Calls `visit(T{})` with the C++ type of the elements.
template <class F>
decltype(auto) with_type(DataType dtype, F&& visit) {
  using Result = decltype(visit(bool{}));
  return [&]<size_t... I>(std::index_sequence<I...>)->Result {
    using Visit = Result (*)(F&);
    static constexpr Visit visits[] = {
        [](F& one) -> Result { return one(std::tuple_element_t<I, Elements>{}); }...};
    return visits[index_of(kind_of(dtype))](visit);
  }
  (std::make_index_sequence<kKinds>());
}
// bfloat16 and the floats of a byte or less: types that ml_dtypes adds to NumPy's own.
inline bool is_added_float(DataType dtype) { return dtype.is_floating() && !dtype.is_float(); }
// Row-major memory with a whole number of bytes for each element.
ffi::Tensor make_array(std::span<const int64_t> shape, DataType dtype);
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

Any array_value(ffi::Tensor tensor);                           // np.ndarray
Any view_value(const Any& array, Any view);                    // read-only where the array is
Any element_value(const ffi::Tensor& tensor, int64_t offset);  // a scalar; the offset in elements
Any scalar_or_array(ffi::Tensor tensor);                       // a 0-d result becomes a scalar
Any scalar_value(DataType dtype, double real);                 // a float scalar
Any scalar_value(DataType dtype, int64_t integer);             // an int or bool scalar
ffi::Tensor filled(std::span<const int64_t> shape, DataType dtype, double value);

// Any array-like value (array, tensor, scalar, number, nested lists) as a tensor; `dtype` void: found from
// the values.
ffi::Tensor to_tensor(Evaluator& evaluator, const Any& value, ir::Span span,
                      DataType dtype = DataType::Void());
// The same values in another type, in the same order of memory; the tensor itself when nothing changes (and
// `copy` is false).
ffi::Tensor cast_to(const ffi::Tensor& tensor, DataType dtype, bool copy = false);
// The same row-major.
ffi::Tensor row_major(const ffi::Tensor& tensor, DataType dtype, bool copy = false);
// The tensor seen as a larger shape (strides of zero).
ffi::Tensor broadcast_to(const ffi::Tensor& tensor, std::span<const int64_t> shape);
std::optional<Shape> common_shape(const Shape& a, const Shape& b);
Shape broadcast_shapes(const Shape& a, const Shape& b, ir::Span span);
ffi::Tensor reshape_to(const ffi::Tensor& tensor, Shape shape, ir::Span span);

// ---- dtype.cpp ----

// `lenient`: as ufuncs choose their loops, where an added float meets a type that it has no promotion with.
DataType promote(DataType a, DataType b, ir::Span span = {}, bool lenient = false);
enum class Casting : uint8_t { kNo, kEquiv, kSafe, kSameKind, kUnsafe };
bool can_cast(DataType from, DataType to, Casting casting);
std::string_view casting_name(Casting casting);
Casting casting_argument(const Any& value, ir::Span span);
bool is_weak(const Any& value);  // a Python number, which takes the other operand's type
// The common type of operands, weak ones considered; `weak_only`: only Python numbers were there.
DataType result_type(Evaluator& evaluator, std::span<const Any> operands, ir::Span span,
                     bool lenient = false);
// What the elements of an array-like value have in common; void for an empty list.
DataType element_type(Evaluator& evaluator, const Any& value, ir::Span span);
DataType dtype_argument(Evaluator& evaluator, const Any& value,
                        ir::Span span);  // np.float32, "float32", float, ...
// The same where None means `otherwise`.
DataType dtype_or(ApiCall& call, const Any& value, size_t index, DataType otherwise);
Any dtype_class_value(DataType dtype);  // np.float32
Any dtype_value(DataType dtype);        // dtype('float32')
std::string dtype_char(DataType dtype);
inline bool is_list_like(const Any& value) {
  return value.type_index() == kTVMFFIList || value.type_index() == kTVMFFIArray ||
         value.type_index() == kTVMFFIShape || as<RangeNode>(value) != nullptr;
}

Shape shape_argument(Evaluator& evaluator, const Any& value, ir::Span span);
int64_t axis_argument(Evaluator& evaluator, const Any& value, int64_t ndim, ir::Span span);
// Which dimensions an axis argument names: None all of them.
std::vector<bool> axes_argument(Evaluator& evaluator, const Any& axis, int64_t ndim, ir::Span span);

Evaluator& evaluator_of(ir::Host& host);
std::optional<std::string> ufunc_text(const Any& value);  // "<ufunc 'add'>"

// A view of any part of the memory as any type; the offset may lead backwards where strides are negative.
ffi::Tensor view_as(const ffi::Tensor& tensor, const Shape& shape, const Shape& strides, DataType dtype,
                    int64_t byte_offset);
// A view: shape and strides in elements, from an element of the tensor.
ffi::Tensor strided(const ffi::Tensor& tensor, const Shape& shape, const Shape& strides, int64_t offset = 0);
ffi::Tensor transposed(const ffi::Tensor& tensor, const Shape& order);
// Copies values, converted and broadcast, into a tensor of any strides.
void copy_into(const ffi::Tensor& target, const ffi::Tensor& values);
bool shares_memory(const ffi::Tensor& a, const ffi::Tensor& b);
// A result as a scalar or array, or written to the array given as `out`.
Any into_out(const ffi::Tensor& result, const Any& out, ir::Span span);
// Positions of the elements that are not zero, one array per dimension.
std::vector<ffi::Tensor> nonzero_positions(const ffi::Tensor& tensor);

// Raises ValueError where the array may not be written.
void check_writeable(const Any& array, std::string_view role, ir::Span span);

std::span<const ir::ApiRow> np_create_rows();
std::span<const ir::ApiRow> np_dtype_rows();
std::span<const ir::ApiRow> np_shape_rows();
std::span<const ir::ApiRow> np_ufunc_rows();
std::span<const ir::ApiRow> np_join_rows();
std::span<const ir::ApiRow> np_sort_rows();
std::span<const ir::ApiRow> np_linalg_rows();
std::span<const ir::ApiRow> np_reduce_rows();
std::span<const ir::ApiRow> np_random_rows();
std::span<const ir::ApiRow> np_refused_rows();

}  // namespace mlc::script
