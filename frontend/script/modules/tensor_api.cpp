// SPDX-License-Identifier: Apache-2.0
// tvm.runtime.Tensor: made of arrays, copied from and to, seen as arrays; DLPack, by which arrays and tensors
// share memory.
#include "frontend/script/numpy/array.h"
#include "ir/core/refusal.h"
#include "ir/target/device.h"
#include "ir/target/device_api.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{"IndexError",
                                       {
                                           {.name = "axis-out-of-range", .message = "dimension {} of {}"},
                                           {.name = "no-such-attribute",
                                            .kind = "AttributeError",
                                            .message = "'{}' object has no attribute '__dlpack__'"},
                                       }};
MLC_REFUSALS(modules_tensor_api, refusals);

using ffi::Tensor;
using ir::ApiKind;
using ir::ApiRow;
using ir::native;

// What __dlpack__() gives: memory on its way from one library to another. It can be taken once.
struct CapsuleNode final : ffi::Object {
  mutable Any tensor;  // a Tensor; None once it is taken
  bool read_only;
  CapsuleNode(Any tensor, bool read_only) : tensor(std::move(tensor)), read_only(read_only) {}
  MLC_NODE("mlc.script.PyCapsule", CapsuleNode, ffi::Object);
};

namespace {

constexpr std::string_view kTensor = "ffi.Tensor";
constexpr std::string_view kArray = "mlc.np.ndarray";

Any int_tuple(std::span<const int64_t> values) {
  Tuple tuple;
  for (int64_t value : values) tuple.push_back(value);
  return tuple;
}
std::string tuple_text(std::span<const int64_t> shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}
int64_t byte_count(const Tensor& tensor) {
  return static_cast<int64_t>(ffi::GetDataSize(*tensor.GetDLTensorPtr()));
}
// Vectors of several lanes are seen as one more dimension.
Shape array_shape(const Tensor& tensor) {
  Shape shape = shape_of(tensor);
  if (tensor.dtype().lanes > 1) shape.push_back(tensor.dtype().lanes);
  return shape;
}

// The device that an argument names; None: the CPU.
DLDevice device_of(ApiCall& call, const Any& device, size_t index) {
  if (is_none(device)) return {kDLCPU, 0};
  Any known = device;
  if (is_str(device)) {
    try {
      known = ir::parse_device(text_of(device));
    } catch (ir::Error& error) {
      throw std::move(error).at(call.span_of(index));
    }
  }
  auto wanted = known.try_cast<DLDevice>();
  if (!wanted) ir::wrong_argument(call, index, "Device");
  return *wanted;
}
Tensor make_on(ApiCall& call, DLDevice device, const Shape& shape, DataType dtype, size_t index,
               const Any& scope = {}) {
  try {
    return ir::make_tensor_on(device, shape, dtype, is_none(scope) ? "" : text_of(scope));
  } catch (ir::Error& error) {
    throw std::move(error).at(call.span_of(index));
  }
}
bool is_elsewhere(const Tensor& tensor) { return tensor.device().device_type != kDLCPU; }

// ---- values in and out ----

// Two elements of four bits share a byte, the first in its upper half.
void pack_nibbles(const char* from, int64_t count, char* to) {
  for (int64_t i = 0; i < count; i += 2) {
    int high = from[i] & 0xf, low = i + 1 < count ? from[i + 1] & 0xf : 0;
    to[i / 2] = static_cast<char>(high << 4 | low);
  }
}
void unpack_nibbles(const char* from, int64_t count, char* to) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = static_cast<char>(i % 2 == 0 ? from[i / 2] >> 4 & 0xf : from[i / 2] & 0xf);
}

Any to_array(const Tensor& self) {
  DataType dtype = DataType(self.dtype()).with_lanes(1);
  bool nibbles = dtype.bits() == 4;
  if (dtype == DataType::Int(4)) dtype = DataType::Int(8);
  check_dtype(dtype, {});
  Tensor dense = ir::contiguous(ir::on_cpu(self));
  Tensor array = make_array(array_shape(self), dtype);
  if (nibbles)
    unpack_nibbles(data_of<char>(dense), array.numel(), data_of<char>(array));
  else
    std::memcpy(data_of<char>(array), data_of<char>(dense), static_cast<size_t>(byte_count(dense)));
  return array_value(array);
}

}  // namespace

// The elements as an array has them: unpacked, without lanes.
Tensor plain_tensor(const Tensor& given) {
  Tensor tensor = ir::on_cpu(given);
  DataType dtype = tensor.dtype();
  return dtype.bits() == 4 || dtype.lanes() != 1 ? as<ir::NDArrayNode>(to_array(tensor))->tensor : tensor;
}

namespace {

[[noreturn]] void wrong_size(ApiCall& call, int64_t have, int64_t given) {
  raise("InternalError", call.span, "shape-mismatch",
        "the tensor has {} bytes, and the values that are copied have {}", have, given);
}

void copy_from(ApiCall& call, const Tensor& self, const Any& source, size_t index) {
  Evaluator& evaluator = evaluator_of(call.host);
  if (!self.IsContiguous()) raise("RuntimeError", call.span, "wrong-value", "the tensor is not contiguous");
  if (source.type_index() == kTVMFFITensor) {
    auto given = source.cast<Tensor>();
    Tensor other = is_elsewhere(given) ? given : ir::contiguous(given);
    if (byte_count(other) != byte_count(self)) wrong_size(call, byte_count(self), byte_count(other));
    ir::copy_tensor(*other.GetDLTensorPtr(), *self.GetDLTensorPtr());
    return;
  }
  if (is_elsewhere(self)) {
    Tensor here = ir::make_tensor(shape_of(self), self.dtype());
    copy_from(call, here, source, index);
    ir::copy_tensor(*here.GetDLTensorPtr(), *self.GetDLTensorPtr());
    return;
  }
  DataType dtype = DataType(self.dtype()).with_lanes(1);
  Tensor values;
  if (auto* array = as<ir::NDArrayNode>(source)) {
    values = array->tensor;
  } else {
    if (is_str(source) || is_none(source)) {
      raise("TypeError", call.span_of(index), "wrong-type",
            "array must be an array_like data, type {} is not supported",
            evaluator.repr(evaluator.type_of(source)));
    }
    values = to_tensor(evaluator, source, call.span_of(index),
                       dtype == DataType::Int(4) ? DataType::Int(8) : dtype);
  }
  Shape shape = array_shape(self);
  if (shape_of(values) != shape) {
    raise("ValueError", call.span_of(index), "shape-mismatch",
          "array shape do not match the shape of Tensor {} vs {}", tuple_text(shape_of(values)),
          tuple_text(shape));
  }
  // bfloat16 takes bits, not numbers.
  values =
      row_major(values, dtype.is_bfloat16() || dtype == DataType::Int(4) ? DataType(values.dtype()) : dtype);
  int64_t size = values.numel() * DataType(values.dtype()).bytes();
  if (dtype.code() == kDLFloat4_e2m1fn) {
    pack_nibbles(data_of<char>(values), values.numel(), data_of<char>(self));
    return;
  }
  if (size != byte_count(self)) wrong_size(call, byte_count(self), size);
  std::memcpy(data_of<char>(self), data_of<char>(values), static_cast<size_t>(size));
}

// NumPy's name for the type of an array of these values, which is that of no tensor; "" where it may be one.
std::string foreign_type(Evaluator& evaluator, const Any& value) {
  constexpr size_t kDigits = 21;  // of an integer that stands among texts
  size_t longest = 0;
  bool texts = false, numbers = false, others = is_none(value);
  auto look = [&](const Any& one, auto& self) -> void {
    if (is_str(one)) {
      texts = true;
      longest = std::max(longest, text_of(one).size());
    } else if (one.type_index() == kTVMFFIList || one.type_index() == kTVMFFIArray) {
      for (const Any& each : elements(one)) self(each, self);
    } else if (is_none(one)) {
      others = true;
    } else {
      numbers = true;
    }
  };
  look(value, look);
  if (others) return "object";
  return texts ? fmt::format("<U{}", numbers ? std::max(longest, kDigits) : longest) : "";
}

Any make_tensor_value(ApiCall& call, const Any& value, const Any& device, const Any& scope) {
  DLDevice where = device_of(call, device, 1);
  Any source = value;
  Shape shape;
  DataType dtype;
  if (value.type_index() == kTVMFFITensor) {
    auto tensor = value.cast<Tensor>();
    shape = shape_of(tensor);
    dtype = tensor.dtype();
  } else {
    Evaluator& evaluator = evaluator_of(call.host);
    if (std::string type = foreign_type(evaluator, value); !type.empty()) {
      raise("ValueError", call.span_of(0), "wrong-type", "a tensor cannot be made of '{}' objects",
            is_str(value) || is_none(value) ? type_name_of(evaluator, value)
            : type == "object"              ? "object"
                                            : "str");
    }
    Tensor tensor = to_tensor(evaluator_of(call.host), value, call.span_of(0));
    shape = shape_of(tensor);
    dtype = tensor.dtype();
    source = array_value(tensor);
  }
  Tensor made = make_on(call, where, shape, dtype, 1, scope);
  copy_from(call, made, source, 0);
  return made;
}

DataType tensor_dtype(ApiCall& call, const Any& value, size_t index) {
  if (is_str(value)) {
    try {
      return DataType::parse(text_of(value));
    } catch (ir::Error& error) {
      throw std::move(error).at(call.span_of(index)).kind("ValueError");
    }
  }
  if (value.type_index() == kTVMFFIDataType) return value.cast<DLDataType>();
  return dtype_argument(evaluator_of(call.host), value, call.span_of(index));
}

Any make_empty(ApiCall& call, const Any& extents, const Any& dtype, const Any& device, const Any& scope) {
  DLDevice where = device_of(call, device, 2);
  Evaluator& evaluator = evaluator_of(call.host);
  Shape shape;
  for (const Any& extent : evaluator.elements_of(extents, call.span_of(0))) {
    shape.push_back(index_value(evaluator, extent, call.span_of(0), "shape"));
    if (shape.back() < 0) {
      raise("ValueError", call.span_of(0), "wrong-value", "a shape has the negative extent {}", shape.back());
    }
  }
  return make_on(call, where, shape, tensor_dtype(call, builtin_value_of(dtype), 1), 2, scope);
}

Any copy_to(ApiCall& call, const Tensor& self, const Any& target, const Any& scope) {
  if (target.type_index() == kTVMFFITensor) {
    copy_from(call, target.cast<Tensor>(), Any(self), 0);
    return target;
  }
  if (!target.try_cast<DLDevice>()) {
    Evaluator& evaluator = evaluator_of(call.host);
    raise("ValueError", call.span_of(1), "wrong-type", "Unsupported target type {}",
          evaluator.repr(evaluator.type_of(target)));
  }
  Tensor made = make_on(call, device_of(call, target, 1), shape_of(self), self.dtype(), 1, scope);
  copy_from(call, made, Any(self), 0);
  return made;
}

void set_item(ApiCall& call, const Tensor& self, const Any& index, const Any& value) {
  auto* slice = as<SliceNode>(index);
  if (slice == nullptr || !is_none(slice->start) || !is_none(slice->stop))
    raise("ValueError", call.span_of(1), "wrong-index", "Array only support set from numpy array");
  if (value.type_index() != kTVMFFITensor && !is_array_operand(value)) {
    Evaluator& evaluator = evaluator_of(call.host);
    raise("TypeError", call.span_of(2), "wrong-type", "type {} not supported",
          evaluator.repr(evaluator.type_of(value)));
  }
  copy_from(call, self, value, 2);
}

Any create_view(ApiCall& call, const Tensor& self, const Any& extents, const Any& dtype_value,
                int64_t offset) {
  Evaluator& evaluator = evaluator_of(call.host);
  Shape shape;
  for (const Any& extent : evaluator.elements_of(extents, call.span_of(1)))
    shape.push_back(index_value(evaluator, extent, call.span_of(1), "shape"));
  DataType dtype =
      is_none(dtype_value) ? DataType(self.dtype()) : tensor_dtype(call, builtin_value_of(dtype_value), 2);
  bool negative = std::any_of(shape.begin(), shape.end(), [](int64_t extent) { return extent < 0; });
  int64_t size = (product(shape) * dtype.bits() * dtype.lanes() + 7) / 8;
  if (negative || offset < 0)
    raise("ValueError", call.span, "shape-mismatch", "a view has no extent and no offset below 0");
  if (offset + size > byte_count(self)) {
    raise("ValueError", call.span, "shape-mismatch",
          "a view of shape {} and data type {} takes the bytes {} to {}, but the tensor has {} bytes",
          tuple_text(shape), dtype.str(), offset, offset + size, byte_count(self));
  }
  Shape strides(shape.size());
  int64_t step = 1;
  for (size_t d = shape.size(); d-- > 0; step *= shape[d]) strides[d] = step;
  return view_as(self, shape, strides, dtype, offset);
}

// ---- DLPack ----

}  // namespace

// The array's memory as another library may write it.
Tensor exported_tensor(const ir::NDArrayNode& array, ir::Span span) {
  if (is_added_float(array.tensor.dtype())) {
    raise("BufferError", span, "unsupported-dtype",
          "DLPack only supports signed/unsigned integers, float and complex dtypes.");
  }
  if (!array.writeable) {
    raise("BufferError", span, "read-only",
          "Cannot export readonly array since signalling readonly is unsupported by DLPack (supported by "
          "newer DLPack version).");
  }
  return array.tensor;
}

namespace {

Any exported(ApiCall& call, const Any& value, bool read_only_allowed) {
  if (value.type_index() == kTVMFFITensor) return Any(ir::make<CapsuleNode>(value, false));
  auto* array = as<ir::NDArrayNode>(value);
  if (array->writeable || !read_only_allowed) exported_tensor(*array, call.span);
  return Any(ir::make<CapsuleNode>(Any(array->tensor), !array->writeable));
}

Any export_array(ApiCall& call, const Any& self, const Any& stream, const Any& max_version, const Any& copy) {
  if (!is_none(stream)) raise("RuntimeError", call.span, "wrong-value", "NumPy only supports stream=None.");
  bool versioned = max_version.type_index() == kTVMFFIArray && !elements(max_version).empty() &&
                   is_int(elements(max_version)[0]) && raw_int(elements(max_version)[0]) >= 1;
  if (is_bool(copy) && raw_int(copy) != 0) {
    Tensor tensor = as<ir::NDArrayNode>(self)->tensor;
    return exported(call, array_value(row_major(tensor, tensor.dtype(), true)), versioned);
  }
  return exported(call, self, versioned);
}

// The capsule that an object offers; None where it offers none.
Any capsule_of(ApiCall& call, const Any& value, bool read_only_allowed) {
  if (value.type_index() == kTVMFFITensor || as<ir::NDArrayNode>(value))
    return exported(call, value, read_only_allowed);
  Any method;
  if (as<InstanceNode>(value) == nullptr ||
      !evaluator_of(call.host).find_attribute(value, Symbol("__dlpack__"), method))
    return nullptr;
  return evaluator_of(call.host).call(method, {}, {}, call.span);
}

Any from_dlpack(ApiCall& call, const Any& value) {
  Any capsule = as<CapsuleNode>(value) ? value : capsule_of(call, value, false);
  auto* node = as<CapsuleNode>(capsule);
  if (node == nullptr || is_none(node->tensor)) {
    raise("TypeError", call.span_of(0), "wrong-type",
          "Expect from_dlpack to take either a compatible tensor or PyCapsule");
  }
  auto tensor = node->tensor.cast<Tensor>();
  if (!is_elsewhere(tensor) && tensor.numel() > 0 &&
      reinterpret_cast<uintptr_t>(data_of<char>(tensor)) % 64 != 0)
    raise("RuntimeError", call.span, "wrong-value", "FromDLPack: Data is not aligned to 64 bytes.");
  if (!tensor.IsContiguous())
    raise("RuntimeError", call.span, "wrong-value", "FromDLPack: Tensor is not contiguous.");
  node->tensor = nullptr;
  return tensor;
}

Any numpy_from_dlpack(ApiCall& call, const Any& value, const Any& device, const Any& copy) {
  if (!is_none(device) && !(is_str(device) && text_of(device) == "cpu")) {
    raise("ValueError", call.span, "wrong-value",
          "Device not understood. Only \"cpu\" is allowed, but received: {}",
          evaluator_of(call.host).str(device));
  }
  Any capsule = capsule_of(call, value, true);
  auto* node = as<CapsuleNode>(capsule);
  if (node == nullptr) {
    raise(refusals["no-such-attribute"], call.span_of(0), type_name_of(evaluator_of(call.host), value));
  }
  auto tensor = node->tensor.cast<Tensor>();
  check_dtype(tensor.dtype(), call.span_of(0));
  if (is_elsewhere(tensor))
    raise("RuntimeError", call.span_of(0), "wrong-value", "an array is on the CPU, and the tensor on {}",
          ir::device_text(tensor.device()));
  node->tensor = nullptr;
  if (is_bool(copy) && raw_int(copy) != 0) return array_value(row_major(tensor, tensor.dtype(), true));
  Any array = array_value(tensor);
  const_cast<ir::NDArrayNode*>(as<ir::NDArrayNode>(array))->writeable = !node->read_only;
  return array;
}

constexpr char kExport[] = "__dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None)";

const ApiRow tensor_api_table[] = {
    {ApiKind::kFunction, "tvm.runtime", "tensor(arr, device=None, mem_scope=None)",
     "A tensor with the values of an array, a tensor, or nested lists of numbers; always a copy.",
     native(calls<make_tensor_value>)},
    {ApiKind::kFunction, "tvm.runtime", "empty(shape, dtype='float32', device=None, mem_scope=None)",
     "A tensor whose values are not set.", native(calls<make_empty>)},
    {ApiKind::kFunction, "tvm.runtime", "from_dlpack(ext_tensor)",
     "A tensor on the memory of an array: contiguous, and aligned to 64 bytes.", native(calls<from_dlpack>)},
    {ApiKind::kFunction, "numpy", "from_dlpack(x, *, device=None, copy=None)",
     "A tensor's memory as an array.", native(calls<numpy_from_dlpack>)},
    {ApiKind::kClass, "tvm.runtime", "Tensor()", "Numbers in memory that compiled functions read and write.",
     [](ApiCall& call) -> Any {
       raise("TypeError", call.span, "not-constructible",
             "tensors are made by `tvm.runtime.tensor` and `tvm.runtime.empty`");
     },
     kTensor, "tvm.runtime._tensor.Tensor"},
    {ApiKind::kProperty, kTensor, "shape", "The extents.",
     native([](Tensor self) { return int_tuple(shape_of(self)); })},
    {ApiKind::kProperty, kTensor, "strides", "Elements from one index to the next.",
     native([](Tensor self) { return int_tuple(strides_of(self)); })},
    {ApiKind::kProperty, kTensor, "dtype", "The type of an element.",
     native([](Tensor self) { return self.dtype(); })},
    {ApiKind::kProperty, kTensor, "ndim", "The number of dimensions.",
     native([](Tensor self) { return static_cast<int64_t>(self.ndim()); })},
    {ApiKind::kProperty, kTensor, "device", "Where the memory is.",
     native([](Tensor self) { return self.GetDLTensorPtr()->device; })},
    {ApiKind::kMethod, kTensor, "numel()", "The number of elements.",
     native([](Tensor self) { return self.numel(); })},
    {ApiKind::kMethod, kTensor, "size(dim)", "The extent of a dimension.",
     native([](ApiCall& call, Tensor self, int64_t dim) {
       if (dim < -self.ndim() || dim >= self.ndim())
         raise(refusals["axis-out-of-range"], call.span_of(1), dim, self.ndim());
       return self.size(dim < 0 ? dim + self.ndim() : dim);
     })},
    {ApiKind::kMethod, kTensor, "is_contiguous()", "Row-major without gaps?",
     native([](Tensor self) { return self.IsContiguous(); })},
    {ApiKind::kMethod, kTensor, "data_ptr()", "The address of the first element.", native([](Tensor self) {
       return static_cast<int64_t>(reinterpret_cast<intptr_t>(data_of<char>(self)));
     })},
    {ApiKind::kMethod, kTensor, "same_as(other)", "Is it the same object?",
     native([](Tensor self, Any other) {
       return other.type_index() == kTVMFFITensor && other.cast<Tensor>().same_as(self);
     })},
    {ApiKind::kMethod, kTensor, "numpy()", "The values as an np.ndarray, a copy.", native(calls<to_array>)},
    {ApiKind::kMethod, kTensor, "asnumpy()", "The older name of numpy().", native(calls<to_array>)},
    {ApiKind::kMethod, kTensor, "copyfrom(source_array)",
     "Takes over the values of an array of the same shape.",
     native([](ApiCall& call, Tensor self, Any source) {
       copy_from(call, self, source, 1);
       return self;
     })},
    {ApiKind::kMethod, kTensor, "copyto(target, mem_scope=None)",
     "Copies the values into a tensor, or to a device.", native(calls<copy_to>)},
    {ApiKind::kMethod, kTensor, "__setitem__(in_slice, value)", "Takes over values: `tensor[:] = array`.",
     native([](ApiCall& call, Tensor self, Any index, Any value) { set_item(call, self, index, value); })},
    {ApiKind::kMethod, kTensor, "_create_view(shape, dtype=None, relative_byte_offset=0)",
     "The memory seen with another shape and type.", native(calls<create_view>)},
    {ApiKind::kMethod, kTensor, kExport, "The memory as a DLPack capsule.",
     native([](ApiCall& call, Tensor self, Any, Any, Any, Any) { return exported(call, Any(self), true); })},
    {ApiKind::kMethod, kTensor, "__dlpack_device__()", "DLPack's number of the device's type, and its index.",
     native([](Tensor self) {
       DLDevice device = self.GetDLTensorPtr()->device;
       int64_t numbers[] = {device.device_type, device.device_id};
       return int_tuple(numbers);
     })},
    {ApiKind::kMethod, kArray, kExport, "The memory as a DLPack capsule.",
     native([](ApiCall& call, Any self, Any stream, Any max_version, Any, Any copy) {
       return export_array(call, self, stream, max_version, copy);
     })},
    {ApiKind::kMethod, kArray, "__dlpack_device__()", "DLPack's number of the CPU, and its index.",
     native([](Any) {
       int64_t numbers[] = {kDLCPU, 0};
       return int_tuple(numbers);
     })},
};

}  // namespace

std::span<const ir::ApiRow> tensor_rows() { return tensor_api_table; }

}  // namespace mlc::script
