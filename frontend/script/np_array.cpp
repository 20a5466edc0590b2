// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/np_array.h"

#include <cmath>
#include <cstring>

namespace mlc::script {

Half::Half(double value) {
  // To float first with sticky rounding would round twice; the double's bits are rounded directly.
  uint64_t raw;
  std::memcpy(&raw, &value, sizeof raw);
  auto sign = static_cast<uint16_t>(raw >> 48 & 0x8000);
  int64_t exponent = static_cast<int64_t>(raw >> 52 & 0x7ff) - 1023;
  uint64_t mantissa = raw & 0xfffffffffffffULL;
  if (exponent == 1024) {
    bits = static_cast<uint16_t>(sign | 0x7c00 | (mantissa != 0 ? 0x200 : 0));
    return;
  }
  if (exponent > 15) {
    bits = sign | 0x7c00;
    return;
  }
  int shift = 42;
  uint64_t whole = mantissa | (uint64_t{1} << 52);
  uint16_t base;
  if (exponent < -14) {
    if (exponent < -25) {
      bits = sign;
      return;
    }
    shift += static_cast<int>(-14 - exponent);
    base = static_cast<uint16_t>(whole >> shift);
  } else {
    base = static_cast<uint16_t>((exponent + 15) << 10 | static_cast<int64_t>(mantissa >> shift));
  }
  uint64_t rest = whole & ((uint64_t{1} << shift) - 1);
  uint64_t middle = uint64_t{1} << (shift - 1);
  if (rest > middle || (rest == middle && (base & 1) != 0)) ++base;
  bits = sign | base;
}
Half::operator double() const {
  int exponent = bits >> 10 & 0x1f;
  int mantissa = bits & 0x3ff;
  double value;
  if (exponent == 0x1f) {
    value = mantissa != 0 ? NAN : HUGE_VAL;
  } else if (exponent == 0) {
    value = std::ldexp(mantissa, -24);
  } else {
    value = std::ldexp(mantissa + 1024, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

void check_dtype(DataType dtype, ir::Span span) {
  bool known_type = dtype.lanes() == 1 &&
                    (dtype.is_bool() || (dtype.is_float() && dtype.bits() >= 16) ||
                     ((dtype.is_int() || dtype.is_uint()) && dtype.bits() % 8 == 0 && dtype.bits() >= 8));
  if (!known_type)
    raise("TypeError", span, "unsupported-dtype", "data type '{}' is not understood by np", dtype.str());
}

Shape shape_of(const ffi::Tensor& tensor) { return {tensor.shape().begin(), tensor.shape().end()}; }
Shape strides_of(const ffi::Tensor& tensor) { return {tensor.strides().begin(), tensor.strides().end()}; }
std::string shape_text(std::span<const int64_t> shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? "," : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

Any array_value(ffi::Tensor tensor) { return Any(ir::make<ir::NDArrayNode>(std::move(tensor))); }
Any scalar_value(DataType dtype, double real) {
  Ref<NumpyScalarNode> made = ir::make<NumpyScalarNode>(dtype);
  if (dtype.is_float()) {
    const_cast<NumpyScalarNode*>(made.get())->real = dtype.bits() == 32   ? static_cast<float>(real)
                                                     : dtype.bits() == 16 ? static_cast<double>(Half(real))
                                                                          : real;
  } else {
    const_cast<NumpyScalarNode*>(made.get())->integer = static_cast<int64_t>(real);
  }
  return Any(made);
}
Any scalar_value(DataType dtype, int64_t integer) {
  if (dtype.is_float()) return scalar_value(dtype, static_cast<double>(integer));
  Ref<NumpyScalarNode> made = ir::make<NumpyScalarNode>(dtype);
  const_cast<NumpyScalarNode*>(made.get())->integer = integer;
  return Any(made);
}
namespace {
Any element_scalar(const ffi::Tensor& tensor, int64_t offset) {
  DataType dtype = tensor.dtype();
  return with_type(dtype, [&](auto tag) {
    using T = decltype(tag);
    T value = data_of<T>(tensor)[offset];
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, Half>) {
      return scalar_value(dtype, static_cast<double>(value));
    } else {
      return scalar_value(dtype, static_cast<int64_t>(value));
    }
  });
}
}  // namespace
Any scalar_or_array(ffi::Tensor tensor) {
  return tensor.ndim() == 0 ? element_scalar(tensor, 0) : array_value(std::move(tensor));
}

ffi::Tensor filled(std::span<const int64_t> shape, DataType dtype, double value) {
  ffi::Tensor tensor = ir::make_tensor(shape, dtype);
  int64_t count = product(shape);
  with_type(dtype, [&](auto tag) {
    using T = decltype(tag);
    std::fill_n(data_of<T>(tensor), count, static_cast<T>(value));
  });
  return tensor;
}

namespace {

template <class To, class From>
inline To convert(From value) {
  constexpr bool from_float =
      std::is_same_v<From, float> || std::is_same_v<From, double> || std::is_same_v<From, Half>;
  if constexpr (std::is_same_v<To, bool>) {
    return static_cast<double>(value) != 0;
  } else if constexpr (from_float && std::is_integral_v<To>) {
    double real = static_cast<double>(value);
    // As x86 converts: what does not fit becomes the lowest int64.
    if (!(real >= -9223372036854775808.0 && real < 9223372036854775808.0)) {
      if (std::is_same_v<To, uint64_t> && real >= 0 && real < 18446744073709551616.0)
        return static_cast<To>(real);
      return static_cast<To>(INT64_MIN);
    }
    return static_cast<To>(static_cast<int64_t>(real));
  } else if constexpr (std::is_same_v<To, Half>) {
    return Half(static_cast<double>(value));
  } else if constexpr (std::is_same_v<From, Half>) {
    return static_cast<To>(static_cast<double>(value));
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace

ffi::Tensor cast_to(const ffi::Tensor& tensor, DataType dtype, bool copy) {
  DataType from = tensor.dtype();
  if (from == dtype && tensor.IsContiguous() && !copy) return tensor;
  Shape shape = shape_of(tensor);
  ffi::Tensor result = ir::make_tensor(shape, dtype);
  if (from == dtype && tensor.IsContiguous()) {
    std::memcpy(result.data_ptr(), data_of<char>(tensor),
                static_cast<size_t>(product(shape)) * static_cast<size_t>(dtype.bytes()));
    return result;
  }
  with_type(from, [&](auto from_tag) {
    using From = decltype(from_tag);
    with_type(dtype, [&](auto to_tag) {
      using To = decltype(to_tag);
      const From* source = data_of<From>(tensor);
      To* target = data_of<To>(result);
      each_offset(tensor, [&](int64_t at) { *target++ = convert<To>(source[at]); });
    });
  });
  return result;
}

ffi::Tensor broadcast_to(const ffi::Tensor& tensor, std::span<const int64_t> shape) {
  Shape own = shape_of(tensor), strides = strides_of(tensor);
  Shape wide(shape.size(), 0);
  size_t shift = shape.size() - own.size();
  for (size_t i = 0; i < own.size(); ++i)
    wide[shift + i] = own[i] == 1 && shape[shift + i] != 1 ? 0 : strides[i];
  return tensor.as_strided(ffi::Shape(shape.begin(), shape.end()), ffi::Shape(wide.begin(), wide.end()));
}

Shape broadcast_shapes(const Shape& a, const Shape& b, ir::Span span) {
  Shape result(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < result.size(); ++i) {
    int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) {
      raise("ValueError", span, "shape-mismatch",
            "operands could not be broadcast together with shapes {} {} ", shape_text(a), shape_text(b));
    }
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

ffi::Tensor reshape_to(const ffi::Tensor& tensor, Shape shape, ir::Span span) {
  int64_t size = tensor.numel();
  int64_t unknown = -1, rest = 1;
  Shape asked = shape;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1) {
      if (unknown >= 0) raise("ValueError", span, "bad-shape", "can only specify one unknown dimension");
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
  ffi::Tensor compact = ir::contiguous(tensor);
  Shape strides(shape.size());
  int64_t step = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step *= shape[i];
  }
  return compact.as_strided(ffi::Shape(shape.begin(), shape.end()),
                            ffi::Shape(strides.begin(), strides.end()));
}

// ---- dtypes ----

DataType promote(DataType a, DataType b) {
  if (a == b) return a;
  if (a.is_bool()) return b;
  if (b.is_bool()) return a;
  if (a.is_float() && b.is_float()) return a.bits() > b.bits() ? a : b;
  if (a.is_float() || b.is_float()) {
    DataType real = a.is_float() ? a : b;
    DataType integer = a.is_float() ? b : a;
    int needed = integer.bits() <= 8 ? 16 : integer.bits() <= 16 ? 32 : 64;
    return DataType::Float(std::max(real.bits(), needed));
  }
  if (a.is_int() == b.is_int()) return a.bits() > b.bits() ? a : b;
  DataType with_sign = a.is_int() ? a : b;
  DataType without = a.is_int() ? b : a;
  if (with_sign.bits() > without.bits()) return with_sign;
  return without.bits() >= 64 ? DataType::Float(64) : DataType::Int(without.bits() * 2);
}

bool is_weak(const Any& value) { return is_int(value) || is_float(value); }

namespace {

// Which type the elements of nested lists ask for together.
void scan(Evaluator& evaluator, const Any& value, DataType& found, bool& some, ir::Span span) {
  auto add = [&](DataType dtype) {
    found = some ? promote(found, dtype) : dtype;
    some = true;
  };
  if (is_bool(value)) return add(DataType::Bool());
  if (is_int(value)) return add(DataType::Int(64));
  if (is_float(value)) return add(DataType::Float(64));
  if (auto* array = as<ir::NDArrayNode>(value)) return add(array->tensor.dtype());
  if (auto* scalar = as<NumpyScalarNode>(value)) return add(scalar->dtype);
  if (value.type_index() == kTVMFFITensor) return add(value.cast<ffi::Tensor>().dtype());
  if (value.type_index() == kTVMFFIList || value.type_index() == kTVMFFIArray || as<RangeNode>(value)) {
    for (const Any& element : evaluator.elements_of(value)) scan(evaluator, element, found, some, span);
    return;
  }
  raise("TypeError", span, "not-an-array", "an array cannot be made of '{}' objects",
        type_name_of(evaluator, value));
}

void find_shape(Evaluator& evaluator, const Any& value, Shape& shape, size_t depth, ir::Span span) {
  auto inhomogeneous = [&] {
    raise("ValueError", span, "ragged-array",
          "setting an array element with a sequence. The requested array has an inhomogeneous shape after {} "
          "dimensions",
          depth);
  };
  Shape own;
  if (auto* array = as<ir::NDArrayNode>(value)) own = shape_of(array->tensor);
  bool list = value.type_index() == kTVMFFIList || value.type_index() == kTVMFFIArray || as<RangeNode>(value);
  if (list) {
    std::vector<Any> all = evaluator.elements_of(value);
    shape.push_back(static_cast<int64_t>(all.size()));
    Shape inner;
    for (size_t i = 0; i < all.size(); ++i) {
      Shape each;
      find_shape(evaluator, all[i], each, depth + 1, span);
      if (i == 0)
        inner = each;
      else if (each != inner)
        inhomogeneous();
    }
    shape.insert(shape.end(), inner.begin(), inner.end());
    return;
  }
  shape.insert(shape.end(), own.begin(), own.end());
}

template <class T>
void store_value(Evaluator& evaluator, const Any& value, T*& target, DataType dtype, ir::Span span) {
  if (value.type_index() == kTVMFFIList || value.type_index() == kTVMFFIArray || as<RangeNode>(value)) {
    for (const Any& element : evaluator.elements_of(value))
      store_value(evaluator, element, target, dtype, span);
    return;
  }
  if (auto* array = as<ir::NDArrayNode>(value)) {
    ffi::Tensor same = cast_to(array->tensor, dtype);
    const T* source = data_of<T>(same);
    for (int64_t i = 0; i < same.numel(); ++i) *target++ = source[i];
    return;
  }
  Any plain = plain_number(value);
  if (is_float(plain)) {
    *target++ = convert<T>(raw_float(plain));
  } else {
    int64_t integer = raw_int(plain);
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      if (is_int(value) && static_cast<int64_t>(static_cast<T>(integer)) != integer) {
        raise("OverflowError", span, "integer-overflow", "Python integer {} out of bounds for {}", integer,
              dtype.str());
      }
      if (is_int(value) && std::is_unsigned_v<T> && integer < 0) {
        raise("OverflowError", span, "integer-overflow", "Python integer {} out of bounds for {}", integer,
              dtype.str());
      }
    }
    *target++ = convert<T>(integer);
  }
}

}  // namespace

ffi::Tensor to_tensor(Evaluator& evaluator, const Any& value, ir::Span span, DataType dtype) {
  if (auto* array = as<ir::NDArrayNode>(value))
    return dtype.is_void() ? array->tensor : cast_to(array->tensor, dtype);
  if (value.type_index() == kTVMFFITensor) {
    auto tensor = value.cast<ffi::Tensor>();
    return dtype.is_void() ? tensor : cast_to(tensor, dtype);
  }
  if (dtype.is_void()) {
    bool some = false;
    dtype = DataType::Float(64);
    scan(evaluator, value, dtype, some, span);
  } else {
    DataType ignored;
    bool some = false;
    scan(evaluator, value, ignored, some, span);
  }
  Shape shape;
  find_shape(evaluator, value, shape, 1, span);
  ffi::Tensor tensor = ir::make_tensor(shape, dtype);
  with_type(dtype, [&](auto tag) {
    auto* target = data_of<decltype(tag)>(tensor);
    store_value(evaluator, value, target, dtype, span);
  });
  return tensor;
}

DataType result_type(Evaluator& evaluator, std::span<const Any> operands, ir::Span span) {
  DataType found;
  bool some = false;
  for (const Any& operand : operands) {
    if (!is_weak(operand)) scan(evaluator, operand, found, some, span);
  }
  for (const Any& operand : operands) {
    if (!is_weak(operand)) continue;
    bool real = is_float(operand);
    if (!some) {
      found = real ? DataType::Float(64) : DataType::Int(64);
      some = true;
    } else if (real && !found.is_float()) {
      found = DataType::Float(64);
    } else if (!real && found.is_bool()) {
      found = DataType::Int(64);
    }
  }
  return found;
}

DataType dtype_argument(Evaluator& evaluator, const Any& value, ir::Span span) {
  DataType dtype;
  if (auto* node = as<NumpyDTypeNode>(value)) {
    dtype = node->dtype;
  } else if (value.type_index() == kTVMFFIDataType) {
    dtype = value.cast<DLDataType>();
  } else if (is_str(value)) {
    std::string text(text_of(value));
    static const std::unordered_map<std::string, std::string> short_names = {
        {"f2", "float16"},    {"f4", "float32"}, {"f8", "float64"},   {"i1", "int8"},
        {"i2", "int16"},      {"i4", "int32"},   {"i8", "int64"},     {"u1", "uint8"},
        {"u2", "uint16"},     {"u4", "uint32"},  {"u8", "uint64"},    {"f", "float32"},
        {"d", "float64"},     {"e", "float16"},  {"?", "bool"},       {"b1", "bool"},
        {"float", "float64"}, {"int", "int64"},  {"half", "float16"}, {"single", "float32"},
        {"double", "float64"}};
    if (!text.empty() && (text[0] == '<' || text[0] == '=' || text[0] == '|')) text.erase(0, 1);
    auto found = short_names.find(text);
    dtype = DataType::parse(found == short_names.end() ? text : found->second);
  } else if (auto* cls = as<ClassNode>(value)) {
    if (cls == types().real.get())
      dtype = DataType::Float(64);
    else if (cls == types().integer.get())
      dtype = DataType::Int(64);
    else if (cls == types().boolean.get())
      dtype = DataType::Bool();
    else
      raise("TypeError", span, "unsupported-dtype", "Cannot interpret '{}' as a data type",
            evaluator.repr(value));
  } else {
    raise("TypeError", span, "unsupported-dtype", "Cannot interpret '{}' as a data type",
          evaluator.repr(value));
  }
  check_dtype(dtype, span);
  return dtype;
}

Shape shape_argument(Evaluator& evaluator, const Any& value, ir::Span span) {
  Shape shape;
  if (value.type_index() == kTVMFFIList || value.type_index() == kTVMFFIArray ||
      value.type_index() == kTVMFFIShape || as<ir::NDArrayNode>(value)) {
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
    raise("AxisError", span, "axis-out-of-range", "axis {} is out of bounds for array of dimension {}", axis,
          ndim);
  }
  return axis < 0 ? axis + ndim : axis;
}

Evaluator& evaluator_of(ir::Host& host) {
  auto* evaluator = dynamic_cast<Evaluator*>(&host);
  MLC_CHECK(evaluator != nullptr, "np is called without a script");
  return *evaluator;
}

// ---- scalars and what the evaluator asks ----

Any plain_number(const Any& value) {
  auto* scalar = as<NumpyScalarNode>(value);
  if (scalar == nullptr) return value;
  DataType dtype = scalar->dtype;
  if (dtype.is_float()) return scalar->real;
  if (dtype.is_bool()) return scalar->integer != 0;
  return scalar->integer;
}

bool is_array_operand(const Any& value) { return as<ir::NDArrayNode>(value) || as<NumpyScalarNode>(value); }

std::optional<std::string> numpy_scalar_text(const Any& value, bool repr) {
  if (auto* scalar = as<NumpyScalarNode>(value)) {
    DataType dtype = scalar->dtype;
    std::string text = dtype.is_float()  ? ir::shortest_float(scalar->real, dtype.bits())
                       : dtype.is_bool() ? (scalar->integer != 0 ? "True" : "False")
                       : dtype.is_uint() ? std::to_string(static_cast<uint64_t>(scalar->integer))
                                         : std::to_string(scalar->integer);
    if (!repr) return text;
    if (dtype.is_bool()) return "np." + text + "_";
    return "np." + dtype.str() + "(" + text + ")";
  }
  if (auto* dtype = as<NumpyDTypeNode>(value)) {
    std::string name = DataType(dtype->dtype).str();
    if (dtype->is_class) return "<class 'numpy." + name + "'>";
    return repr ? "dtype('" + name + "')" : name;
  }
  return std::nullopt;
}

std::string numpy_type_name(const Any& value) {
  if (auto* scalar = as<NumpyScalarNode>(value)) return "numpy." + DataType(scalar->dtype).str();
  if (as<ir::NDArrayNode>(value)) return "numpy.ndarray";
  if (auto* dtype = as<NumpyDTypeNode>(value)) return dtype->is_class ? "type" : "numpy.dtypes.DType";
  return value.GetTypeKey();
}

bool array_truth(const Any& value, ir::Span span) {
  if (auto* scalar = as<NumpyScalarNode>(value)) {
    return DataType(scalar->dtype).is_float() ? scalar->real != 0 : scalar->integer != 0;
  }
  const ffi::Tensor& tensor = as<ir::NDArrayNode>(value)->tensor;
  if (tensor.numel() != 1) {
    raise("ValueError", span, "ambiguous-truth",
          "The truth value of an array with {} is ambiguous. Use a.any() or a.all()",
          tensor.numel() == 0 ? "no elements" : "more than one element");
  }
  return data_of<bool>(cast_to(tensor, DataType::Bool()))[0];
}

Any call_numpy(Evaluator& evaluator, std::string_view path, const Arguments& args) {
  const ir::Api* api = ir::ApiRegistry::global().find(path);
  MLC_CHECK(api != nullptr, "`{}` is not registered", path);
  return evaluator.call(evaluator.state().api_value(api), args.positional, args.keywords, args.span,
                        args.spans);
}

bool numpy_attribute(Evaluator& evaluator, const Any& object, Symbol name, Any& out) {
  if (auto* dtype = as<NumpyDTypeNode>(object)) {
    std::string_view text = name.str();
    DataType type = dtype->dtype;
    if (text == "name" || text == "__name__")
      out = str_value(type.str());
    else if (text == "itemsize")
      out = static_cast<int64_t>(type.bytes());
    else if (text == "kind")
      out = str_value(type.is_float() ? "f" : type.is_int() ? "i" : type.is_bool() ? "b" : "u");
    else if (text == "type")
      out = Any(ir::make<NumpyDTypeNode>(type, true));
    else
      return false;
    return true;
  }
  auto* scalar = as<NumpyScalarNode>(object);
  if (scalar == nullptr) return false;
  // A scalar has the attributes and methods of an array of no dimensions.
  Any array = array_value(to_tensor(evaluator, object, {}));
  const ir::Api* api = ir::ApiRegistry::global().method(array.type_index(), name.str());
  if (api == nullptr) return false;
  return evaluator.find_attribute(array, name, out);
}

}  // namespace mlc::script
