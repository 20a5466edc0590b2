// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/numpy/array.h"
#include "frontend/script/types/wide_int.h"

#include <cmath>

#include "frontend/script/numpy/loop.h"
#include "ir/core/refusal.h"
#include "ir/core/small_float.h"
#include "ir/target/device_api.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "ambiguous-truth",
         .meaning = "An array of several elements is neither true nor false as a whole.",
         .wrong = R"(import numpy as np
if np.array([1, 0]):
    pass)",
         .right = R"(import numpy as np
if np.array([1, 0]).any():
    pass)"},
        {.name = "axis-out-of-range",
         .kind = "AxisError",
         .message = "axis {} is out of bounds for array of dimension {}",
         .meaning = "An array has as many axes as dimensions, counted from 0, or from -1 at the end.",
         .wrong = R"(import numpy as np
np.zeros((2, 3)).sum(axis=2))",
         .right = R"(import numpy as np
np.zeros((2, 3)).sum(axis=1))"},
        {.name = "bad-axes", .message = "duplicate value in 'axis'"},
        {.name = "bad-shape",
         .message = "can only specify one unknown dimension",
         .meaning = "One dimension at most is inferred, with -1.",
         .wrong = R"(import numpy as np
np.zeros(6).reshape(-1, -1))",
         .right = R"(import numpy as np
np.zeros(6).reshape(2, -1))"},
        {.name = "ragged-array",
         .message = "setting an array element with a sequence. The requested array has an inhomogeneous "
                    "shape after {} dimensions. The detected shape was {} + inhomogeneous part.",
         .meaning = "The rows of an array have one length.",
         .wrong = R"(import numpy as np
np.array([[1, 2], [3]]))",
         .right = R"(import numpy as np
np.array([[1, 2], [3, 4]]))"},
        {.name = "too-many-dimensions",
         .message = "setting an array element with a sequence. The requested array would exceed the maximum "
                    "number of dimension of {}.",
         .meaning = "Lists inside lists make the dimensions of an array, 64 at most.",
         .wrong = R"(import numpy as np
x = 1
for i in range(65):
    x = [x]
np.array(x))",
         .right = R"(import numpy as np
x = 1
for i in range(64):
    x = [x]
np.array(x))"},
    }};
MLC_REFUSALS(numpy_array, refusals);

// ---- small floats ----

BFloat16::BFloat16(float value) {
  uint32_t wide;
  std::memcpy(&wide, &value, sizeof wide);
  if ((wide & 0x7fffffff) > 0x7f800000)
    bits = static_cast<uint16_t>(wide >> 16 | 0x40);
  else
    bits = static_cast<uint16_t>((wide + 0x7fff + (wide >> 16 & 1)) >> 16);
}

const float* narrow_values(size_t format) {
  static const auto& tables = *[] {
    auto* made = new std::array<std::array<float, 256>, kNarrowKinds>;
    for (size_t k = 0; k < kNarrowKinds; ++k) {
      for (uint32_t bits = 0; bits < 256; ++bits) {
        const ir::SmallFloat& row = ir::narrow_formats()[k];
        (*made)[k][bits] = static_cast<float>(ir::decode(row, bits & ((1U << row.bits) - 1)));
      }
    }
    return made;
  }();
  return tables[format].data();
}
uint8_t narrow_bits(size_t format, double value) {
  return static_cast<uint8_t>(ir::encode(ir::narrow_formats()[format], value));
}

// ---- tensors ----

Shape shape_of(const ffi::Tensor& tensor) { return {tensor.shape().begin(), tensor.shape().end()}; }
Shape strides_of(const ffi::Tensor& tensor) { return {tensor.strides().begin(), tensor.strides().end()}; }
std::string shape_text(std::span<const int64_t> shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? "," : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

Any array_value(ffi::Tensor tensor) { return Any(ir::make<ir::NDArrayNode>(std::move(tensor))); }
Any view_value(const Any& array, Any view) {
  auto* from = as<ir::NDArrayNode>(array);
  auto* to = as<ir::NDArrayNode>(view);
  if (from != nullptr && to != nullptr && !from->writeable &&
      (to->tensor.numel() == 0 || shares_memory(from->tensor, to->tensor)))
    const_cast<ir::NDArrayNode*>(to)->writeable = false;
  return view;
}
void check_writeable(const Any& array, std::string_view role, ir::Span span) {
  auto* node = as<ir::NDArrayNode>(array);
  if (node != nullptr && !node->writeable) raise("ValueError", span, "read-only", "{} is read-only", role);
}
Any scalar_value(DataType dtype, double real) {
  Ref<NumpyScalarNode> made = ir::make<NumpyScalarNode>(dtype);
  auto* scalar = const_cast<NumpyScalarNode*>(made.get());
  if (!dtype.is_floating()) {
    scalar->integer = dtype.is_bool() ? (real != 0 ? 1 : 0) : static_cast<int64_t>(real);
    return Any(made);
  }
  scalar->real = with_type(dtype, [&](auto tag) {
    using T = decltype(tag);
    return static_cast<double>(static_cast<Compute<T>>(static_cast<T>(real)));
  });
  return Any(made);
}
Any scalar_value(DataType dtype, int64_t integer) {
  if (dtype.is_floating()) return scalar_value(dtype, static_cast<double>(integer));
  Ref<NumpyScalarNode> made = ir::make<NumpyScalarNode>(dtype);
  const_cast<NumpyScalarNode*>(made.get())->integer = integer;
  return Any(made);
}
Any element_value(const ffi::Tensor& tensor, int64_t offset) {
  DataType dtype = tensor.dtype();
  return with_type(dtype, [&](auto tag) {
    using T = decltype(tag);
    T value = data_of<T>(tensor)[offset];
    if constexpr (is_real<T>) {
      return scalar_value(dtype, static_cast<double>(static_cast<Compute<T>>(value)));
    } else {
      return scalar_value(dtype, static_cast<int64_t>(value));
    }
  });
}
Any scalar_or_array(ffi::Tensor tensor) {
  return tensor.ndim() == 0 ? element_value(tensor, 0) : array_value(std::move(tensor));
}

ffi::Tensor make_array(std::span<const int64_t> shape, DataType dtype) {
  if (dtype.bits() >= 8) return ir::make_tensor(shape, dtype);
  // A tensor packs such elements; an array does not.
  ffi::Tensor bytes = ir::make_tensor(shape, DataType::UInt(8));
  return view_as(bytes, shape_of(bytes), strides_of(bytes), dtype, 0);
}

ffi::Tensor filled(std::span<const int64_t> shape, DataType dtype, double value) {
  ffi::Tensor tensor = make_array(shape, dtype);
  with_type(dtype, [&](auto tag) {
    using T = decltype(tag);
    for (int64_t i = 0, part = 1 << 22, count = product(shape); i < count; i += part, ir::heed_interrupt())
      std::fill_n(data_of<T>(tensor) + i, std::min(part, count - i), static_cast<T>(value));
  });
  return tensor;
}

ffi::Tensor view_as(const ffi::Tensor& tensor, const Shape& shape, const Shape& strides, DataType dtype,
                    int64_t byte_offset) {
  DLTensor prototype = *tensor.GetDLTensorPtr();
  int64_t none = 0;  // an empty shape must not be null
  prototype.shape = shape.empty() ? &none : const_cast<int64_t*>(shape.data());
  prototype.strides = shape.empty() ? &none : const_cast<int64_t*>(strides.data());
  prototype.ndim = static_cast<int32_t>(shape.size());
  prototype.dtype = dtype;
  prototype.data =
      static_cast<char*>(prototype.data) + static_cast<int64_t>(prototype.byte_offset) + byte_offset;
  prototype.byte_offset = 0;
  TVMFFIObjectHandle out;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITensorCreateUnsafeView(
      ffi::details::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(tensor), &prototype, &out));
  return ffi::Tensor(
      ffi::details::ObjectUnsafe::ObjectPtrFromOwned<ffi::TensorObj>(static_cast<TVMFFIObject*>(out)));
}
ffi::Tensor strided(const ffi::Tensor& tensor, const Shape& shape, const Shape& strides, int64_t offset) {
  return view_as(tensor, shape, strides, tensor.dtype(), offset * DataType(tensor.dtype()).bytes());
}
ffi::Tensor transposed(const ffi::Tensor& tensor, const Shape& order) {
  Shape shape = shape_of(tensor), strides = strides_of(tensor), new_shape, new_strides;
  for (int64_t axis : order) {
    new_shape.push_back(shape[static_cast<size_t>(axis)]);
    new_strides.push_back(strides[static_cast<size_t>(axis)]);
  }
  return strided(tensor, new_shape, new_strides);
}

bool shares_memory(const ffi::Tensor& a, const ffi::Tensor& b) {
  auto bounds = [](const ffi::Tensor& tensor) {
    Operand operand = operand_of(tensor);
    char *low = operand.data, *high = operand.data + DataType(tensor.dtype()).bytes();
    for (size_t d = 0; d < operand.strides.size(); ++d) {
      int64_t reach = (tensor.size(static_cast<int64_t>(d)) - 1) * operand.strides[d];
      (reach < 0 ? low : high) += reach;
    }
    return std::pair(low, high);
  };
  if (a.numel() == 0 || b.numel() == 0) return false;
  auto [a_low, a_high] = bounds(a);
  auto [b_low, b_high] = bounds(b);
  return a_low < b_high && b_low < a_high;
}

// ---- conversion ----

namespace {

template <class To, class From>
inline To convert(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<To, bool>) {
    return static_cast<Compute<From>>(value) != 0;
  } else if constexpr (is_real<From> && std::is_integral_v<To>) {
    auto real = static_cast<double>(static_cast<Compute<From>>(value));
    if constexpr (is_narrow<From>) {
      // ml_dtypes' own conversion: nan is 0, and what is too large the greatest.
      if (real != real) return 0;
      if (real >= static_cast<double>(std::numeric_limits<To>::max()) && std::isinf(real))
        return std::numeric_limits<To>::max();
      if (std::isinf(real)) return std::numeric_limits<To>::min();
    }
    // As x86 converts: what does not fit becomes the lowest value of the register's width.
    if constexpr (std::is_same_v<To, uint64_t>) {
      if (real >= 9223372036854775808.0 && real < 18446744073709551616.0) return static_cast<To>(real);
    }
    if constexpr (sizeof(To) < 4 || std::is_same_v<To, int32_t>) {
      if (!(real > -2147483649.0 && real < 2147483648.0)) return static_cast<To>(INT32_MIN);
      return static_cast<To>(static_cast<int32_t>(real));
    } else {
      if (!(real >= -9223372036854775808.0 && real < 9223372036854775808.0))
        return static_cast<To>(INT64_MIN);
      return static_cast<To>(static_cast<int64_t>(real));
    }
  } else if constexpr (is_small_float<From>) {
    return static_cast<To>(static_cast<float>(value));
  } else {
    return static_cast<To>(value);
  }
}

template <class To, class From>
void convert_loop(char* const* pointers, int64_t n, const int64_t* steps) {
  const char* from = pointers[1];
  char* to = pointers[0];
  if (steps[0] == sizeof(To) && steps[1] == sizeof(From)) {
    const auto* source = reinterpret_cast<const From*>(from);
    auto* target = reinterpret_cast<To*>(to);
    if constexpr (std::is_same_v<To, Half> && std::is_same_v<From, float>) {
      if (to_half_row(source, &target->bits, n)) return;
    }
    if constexpr (std::is_same_v<To, float> && std::is_same_v<From, Half>) {
      if (from_half_row(&source->bits, target, n)) return;
    }
    for (int64_t i = 0; i < n; ++i) target[i] = convert<To>(source[i]);
    return;
  }
  for (int64_t i = 0; i < n; ++i, from += steps[1], to += steps[0])
    *reinterpret_cast<To*>(to) = convert<To>(*reinterpret_cast<const From*>(from));
}

void copy_walk(const ffi::Tensor& target, const Operand& source, DataType from) {
  Operand operands[] = {operand_of(target), source};
  Walk walk(shape_of(target), operands);
  with_type(from, [&](auto from_tag) {
    using From = decltype(from_tag);
    with_type(target.dtype(), [&](auto to_tag) { walk.run_in_parts(convert_loop<decltype(to_tag), From>); });
  });
}

}  // namespace

ffi::Tensor cast_to(const ffi::Tensor& tensor, DataType dtype, bool copy) {
  DataType from = tensor.dtype();
  if (from == dtype && !copy) return tensor;
  Shape shape = shape_of(tensor);
  Operand source = operand_of(tensor);
  ffi::Tensor result =
      make_in_order(shape, memory_order(shape.size(), std::span<const Operand>(&source, 1)), dtype);
  copy_walk(result, source, from);
  return result;
}

ffi::Tensor row_major(const ffi::Tensor& tensor, DataType dtype, bool copy) {
  if (DataType(tensor.dtype()) == dtype && !copy && tensor.IsContiguous()) return tensor;
  ffi::Tensor result = make_array(shape_of(tensor), dtype);
  copy_walk(result, operand_of(tensor), tensor.dtype());
  return result;
}

void copy_into(const ffi::Tensor& target, const ffi::Tensor& values) {
  copy_walk(target, operand_of(values, shape_of(target)), values.dtype());
}

ffi::Tensor broadcast_to(const ffi::Tensor& tensor, std::span<const int64_t> shape) {
  Shape own = shape_of(tensor), strides = strides_of(tensor);
  Shape wide(shape.size(), 0);
  size_t shift = shape.size() - own.size();
  for (size_t i = 0; i < own.size(); ++i)
    wide[shift + i] = own[i] == 1 && shape[shift + i] != 1 ? 0 : strides[i];
  return tensor.as_strided(ffi::Shape(shape.begin(), shape.end()), ffi::Shape(wide.begin(), wide.end()));
}

std::optional<Shape> common_shape(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < result.size(); ++i) {
    int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return std::nullopt;
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return result;
}
Shape broadcast_shapes(const Shape& a, const Shape& b, ir::Span span) {
  std::optional<Shape> common = common_shape(a, b);
  if (!common) {
    raise("ValueError", span, "shape-mismatch", "operands could not be broadcast together with shapes {} {} ",
          shape_text(a), shape_text(b));
  }
  return *common;
}

// The strides that show the same memory in another shape, where that is possible.
static std::optional<Shape> reshaped_strides(const ffi::Tensor& tensor, const Shape& shape) {
  Shape old_shape, old_strides, strides(shape.size(), 1);
  for (int64_t d = 0; d < tensor.ndim(); ++d) {
    if (tensor.size(d) == 1) continue;
    old_shape.push_back(tensor.size(d));
    old_strides.push_back(tensor.stride(d));
  }
  size_t i = 0, j = 0;
  while (i < old_shape.size() || j < shape.size()) {
    size_t i_end = i, j_end = j;
    int64_t old_count = 1, new_count = 1;
    if (i < old_shape.size()) old_count = old_shape[i_end++];
    if (j < shape.size()) new_count = shape[j_end++];
    while (old_count != new_count) {
      if (old_count < new_count) {
        if (i_end == old_shape.size()) return std::nullopt;
        old_count *= old_shape[i_end++];
      } else {
        if (j_end == shape.size()) return std::nullopt;
        new_count *= shape[j_end++];
      }
    }
    for (size_t k = i; k + 1 < i_end; ++k) {
      if (old_strides[k] != old_shape[k + 1] * old_strides[k + 1]) return std::nullopt;
    }
    int64_t step = i_end > i ? old_strides[i_end - 1] : 1;
    for (size_t k = j_end; k-- > j;) {
      strides[k] = step;
      step *= shape[k];
    }
    i = i_end;
    j = j_end;
  }
  return strides;
}

ffi::Tensor reshape_to(const ffi::Tensor& tensor, Shape shape, ir::Span span) {
  int64_t size = tensor.numel();
  int64_t unknown = -1, rest = 1;
  Shape asked = shape;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0) {
      if (unknown >= 0) raise(refusals["bad-shape"], span);
      unknown = static_cast<int64_t>(i);
    } else {
      rest *= shape[i];
    }
  }
  if (unknown >= 0) shape[static_cast<size_t>(unknown)] = rest == 0 ? 0 : size / rest;
  if (product(shape) != size || (unknown >= 0 && rest == 0)) {
    raise("ValueError", span, "shape-mismatch", "cannot reshape array of size {} into shape {}", size,
          shape_text(asked));
  }
  if (size > 0) {
    if (auto strides = reshaped_strides(tensor, shape)) return strided(tensor, shape, *strides);
  }
  ffi::Tensor compact = row_major(tensor, tensor.dtype());
  Shape strides(shape.size());
  int64_t step = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step *= shape[i];
  }
  return strided(compact, shape, strides);
}

// ---- nested lists ----

namespace {

[[noreturn]] void inhomogeneous(const Shape& shape, size_t depth, ir::Span span) {
  Shape known_part(shape.begin(), shape.begin() + static_cast<ptrdiff_t>(depth));
  raise(refusals["ragged-array"], span, depth, shape_text(known_part));
}

constexpr size_t kMostDimensions = 64;  // NumPy's

void find_shape(const Any& value, Shape& shape) {
  if (auto* array = as<ir::NDArrayNode>(value)) {
    for (int64_t extent : array->tensor.shape()) shape.push_back(extent);
  } else if (value.type_index() == kTVMFFITensor) {
    for (int64_t extent : value.cast<ffi::Tensor>().shape()) shape.push_back(extent);
  } else if (value.type_index() == kTVMFFIList || value.type_index() == kTVMFFIArray) {
    std::span<Any> all = elements(value);
    shape.push_back(static_cast<int64_t>(all.size()));
    if (shape.size() > kMostDimensions) {
      raise(refusals["too-many-dimensions"], {}, kMostDimensions);
    }
    if (!all.empty()) find_shape(all[0], shape);
  } else if (auto* range = as<RangeNode>(value)) {
    shape.push_back(range->size());
  } else if (value.type_index() == kTVMFFIShape) {
    shape.push_back(static_cast<int64_t>(value.cast<ffi::Shape>().size()));
  }
}
// Shortens the shape to the dimensions that all parts agree on.
void check_shape(const Any& value, const Shape& shape, size_t depth, size_t& agreed) {
  if (value.type_index() == kTVMFFIList || value.type_index() == kTVMFFIArray) {
    std::span<Any> all = elements(value);
    if (depth >= agreed) return;
    if (static_cast<int64_t>(all.size()) != shape[depth]) {
      agreed = depth;
      return;
    }
    for (const Any& element : all) {
      Shape own;
      find_shape(element, own);
      if (own.empty() != (depth + 1 == shape.size())) agreed = std::min(agreed, depth + 1);
      check_shape(element, shape, depth + 1, agreed);
    }
    return;
  }
  Shape own;
  find_shape(value, own);
  for (size_t i = 0; i < own.size() && depth + i < agreed; ++i) {
    if (own[i] != shape[depth + i]) agreed = depth + i;
  }
}

template <class T>
void store_value(Evaluator& evaluator, const Any& value, T*& target, DataType dtype, ir::Span span) {
  if (auto* wide = as_wide(value)) {
    if constexpr (std::is_same_v<T, uint64_t>) {
      if (std::optional<uint64_t> fits = unsigned_of(value)) {
        *target++ = *fits;
        return;
      }
    }
    if constexpr (std::is_integral_v<T>)
      raise("OverflowError", span, "integer-overflow", "Python integer {} out of bounds for {}",
            whole_text(value), dtype.str());
    *target++ = convert<T>(double_of(*wide));
    return;
  }
  if (is_int(value)) {
    int64_t integer = raw_int(value);
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      if (static_cast<int64_t>(static_cast<T>(integer)) != integer ||
          (std::is_unsigned_v<T> && integer < 0)) {
        raise("OverflowError", span, "integer-overflow", "Python integer {} out of bounds for {}", integer,
              dtype.str());
      }
    }
    *target++ = convert<T>(integer);
    return;
  }
  if (is_float(value)) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      double real = raw_float(value);
      if (std::isnan(real)) raise("ValueError", span, "wrong-value", "cannot convert float NaN to integer");
      if (std::isinf(real))
        raise("OverflowError", span, "integer-overflow", "cannot convert float infinity to integer");
      real = std::trunc(real);
      constexpr auto least = static_cast<double>(std::numeric_limits<T>::min());
      constexpr auto greatest = static_cast<double>(std::numeric_limits<T>::max());
      if (real < least || real > greatest || (sizeof(T) == 8 && real == greatest)) {
        raise("OverflowError", span, "integer-overflow", "Python integer {:.0f} out of bounds for {}", real,
              dtype.str());
      }
    }
    *target++ = convert<T>(raw_float(value));
    return;
  }
  if (is_bool(value)) {
    *target++ = convert<T>(raw_int(value) != 0);
    return;
  }
  if (value.type_index() == kTVMFFIList || value.type_index() == kTVMFFIArray) {
    for (const Any& element : elements(value)) store_value(evaluator, element, target, dtype, span);
    return;
  }
  if (is_list_like(value)) {
    for (const Any& element : evaluator.elements_of(value))
      store_value(evaluator, element, target, dtype, span);
    return;
  }
  if (auto* scalar = as<NumpyScalarNode>(value)) {
    DataType own = scalar->dtype;
    if (own.is_floating())
      *target++ = convert<T>(scalar->real);
    else if (own.is_uint())
      *target++ = convert<T>(static_cast<uint64_t>(scalar->integer));
    else
      *target++ = convert<T>(scalar->integer);
    return;
  }
  auto* array = as<ir::NDArrayNode>(value);
  ffi::Tensor same = row_major(array ? array->tensor : ir::on_cpu(value.cast<ffi::Tensor>()), dtype);
  target = std::copy_n(data_of<T>(same), same.numel(), target);
}

}  // namespace

ffi::Tensor to_tensor(Evaluator& evaluator, const Any& value, ir::Span span, DataType dtype) {
  if (auto* array = as<ir::NDArrayNode>(value))
    return dtype.is_void() ? array->tensor : cast_to(array->tensor, dtype);
  if (value.type_index() == kTVMFFITensor) {
    ffi::Tensor tensor = ir::on_cpu(value.cast<ffi::Tensor>());
    check_dtype(tensor.dtype(), span);
    return dtype.is_void() ? tensor : cast_to(tensor, dtype);
  }
  if (is_object(value) && !is_list_like(value) && !is_str(value) && as<NumpyScalarNode>(value) == nullptr) {
    // Sets, generators and the like are objects for NumPy; what offers an array is taken at its word.
    Any method;
    if (as<InstanceNode>(value) && evaluator.find_attribute(value, Symbol("__array__"), method))
      return to_tensor(evaluator, evaluator.call(method, {}, {}, span), span, dtype);
    for (std::string_view name : {"numpy", "asnumpy"}) {
      if (!as<InstanceNode>(value) && evaluator.find_attribute(value, Symbol(name), method))
        return to_tensor(evaluator, evaluator.call(method, {}, {}, span), span, dtype);
    }
  }
  DataType found = element_type(evaluator, value, span);
  if (dtype.is_void()) dtype = found.is_void() ? DataType::Float(64) : found;
  Shape shape;
  find_shape(value, shape);
  size_t agreed = shape.size();
  check_shape(value, shape, 0, agreed);
  if (agreed < shape.size() || (agreed == 0 && !shape.empty())) inhomogeneous(shape, agreed, span);
  ffi::Tensor tensor = make_array(shape, dtype);
  with_type(dtype, [&](auto tag) {
    auto* target = data_of<decltype(tag)>(tensor);
    store_value(evaluator, value, target, dtype, span);
  });
  return tensor;
}

// ---- arguments ----

Shape shape_argument(Evaluator& evaluator, const Any& value, ir::Span span) {
  Shape shape;
  if (is_list_like(value) || as<ir::NDArrayNode>(value)) {
    for (const Any& dim : evaluator.elements_of(value))
      shape.push_back(index_value(evaluator, dim, span, "shape"));
  } else {
    shape.push_back(index_value(evaluator, value, span, "shape"));
  }
  return shape;
}
int64_t axis_argument(Evaluator& evaluator, const Any& value, int64_t ndim, ir::Span span) {
  int64_t axis = index_value(evaluator, value, span, "axis");
  if (axis < -ndim || axis >= ndim) {
    raise(refusals["axis-out-of-range"], span, axis, ndim);
  }
  return axis < 0 ? axis + ndim : axis;
}
std::vector<bool> axes_argument(Evaluator& evaluator, const Any& axis, int64_t ndim, ir::Span span) {
  std::vector<bool> named(static_cast<size_t>(ndim), is_none(axis));
  if (is_none(axis)) return named;
  std::vector<Any> axes;
  if (is_list_like(axis))
    axes = evaluator.elements_of(axis);
  else
    axes.push_back(axis);
  for (const Any& each : axes) {
    auto at = static_cast<size_t>(axis_argument(evaluator, each, ndim, span));
    if (named[at]) raise(refusals["bad-axes"], span);
    named[at] = true;
  }
  return named;
}

Evaluator& evaluator_of(ir::Host& host) {
  auto* evaluator = dynamic_cast<Evaluator*>(&host);
  MLC_CHECK(evaluator != nullptr, "np is called without a script");
  return *evaluator;
}

// ---- what the evaluator asks ----

bool is_array_operand(const Any& value) { return as<ir::NDArrayNode>(value) || as<NumpyScalarNode>(value); }

bool array_truth(const Any& value, ir::Span span) {
  if (auto* scalar = as<NumpyScalarNode>(value)) {
    return DataType(scalar->dtype).is_floating() ? scalar->real != 0 : scalar->integer != 0;
  }
  const ffi::Tensor& tensor = as<ir::NDArrayNode>(value)->tensor;
  if (tensor.numel() == 0) {
    raise_as(
        refusals["ambiguous-truth"], span,
        "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not "
        "empty.");
  }
  if (tensor.numel() != 1) {
    raise_as(refusals["ambiguous-truth"], span,
             "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()");
  }
  return data_of<bool>(cast_to(tensor, DataType::Bool()))[0];
}

Any call_numpy(Evaluator& evaluator, std::string_view path, const Arguments& args) {
  const ir::Api* api = ir::ApiRegistry::global().find(path);
  MLC_CHECK(api != nullptr, "`{}` is not registered", path);
  return evaluator.call(evaluator.state().api_value(api), args.positional, args.keywords, args.span,
                        args.spans);
}

}  // namespace mlc::script
