// SPDX-License-Identifier: Apache-2.0
#include "backend/runtime/tensor.h"

#include <tvm/ffi/container/list.h>
#include <tvm/ffi/error.h>

#include <cstring>

#include "ir/api.h"
#include "ir/given.h"

namespace mlc::runtime {

using ir::Any;
using ir::DataType;
using ir::Error;

namespace {

float float_of_bits(uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, 4);
  return value;
}
uint32_t bits_of_float(float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, 4);
  return bits;
}
double half_to_double(uint16_t half) {
  uint32_t magnitude = static_cast<uint32_t>(half & 0x7fffU) << 13U;
  float value =
      magnitude >= 0x0f800000U ? float_of_bits(magnitude | 0x7f800000U) : float_of_bits(magnitude) * 0x1p112F;
  return (half & 0x8000U) != 0 ? -value : value;
}
uint16_t double_to_half(double wide) {
  auto value = static_cast<float>(wide);
  uint32_t bits = bits_of_float(value);
  uint32_t sign = bits >> 16U & 0x8000U;
  uint32_t magnitude = bits & 0x7fffffffU;
  uint32_t result = 0;
  if (magnitude > 0x7f800000U) {
    result = 0x7e00;
  } else if (magnitude >= 0x477ff000U) {
    result = 0x7c00;
  } else if (magnitude < 0x38800000U) {
    result = bits_of_float(float_of_bits(magnitude) + 0.5F) - 0x3f000000U;
  } else {
    result = (magnitude - 0x38000000U + 0xfffU + (magnitude >> 13U & 1U)) >> 13U;
  }
  return static_cast<uint16_t>(result | sign);
}
uint16_t double_to_bfloat(double wide) {
  auto value = static_cast<float>(wide);
  uint32_t bits = bits_of_float(value);
  if (value != value) return static_cast<uint16_t>((bits | 0x400000U) >> 16U);
  return static_cast<uint16_t>((bits + 0x7fffU + (bits >> 16U & 1U)) >> 16U);
}

// One element as the widest number of its kind; integers keep all 64 bits.
struct Number {
  bool real;
  double value;
  int64_t integer;
};

template <class T>
T read_as(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

Number read(const char* at, DLDataType dtype) {
  auto integer = [](int64_t value) { return Number{false, static_cast<double>(value), value}; };
  auto real = [](double value) { return Number{true, value, 0}; };
  switch (dtype.code << 8 | dtype.bits) {
    case kDLInt << 8 | 8:
      return integer(read_as<int8_t>(at));
    case kDLInt << 8 | 16:
      return integer(read_as<int16_t>(at));
    case kDLInt << 8 | 32:
      return integer(read_as<int32_t>(at));
    case kDLInt << 8 | 64:
      return integer(read_as<int64_t>(at));
    case kDLBool << 8 | 8:
    case kDLUInt << 8 | 8:
      return integer(read_as<uint8_t>(at));
    case kDLUInt << 8 | 16:
      return integer(read_as<uint16_t>(at));
    case kDLUInt << 8 | 32:
      return integer(read_as<uint32_t>(at));
    case kDLUInt << 8 | 64:
      return integer(static_cast<int64_t>(read_as<uint64_t>(at)));
    case kDLFloat << 8 | 16:
      return real(half_to_double(read_as<uint16_t>(at)));
    case kDLFloat << 8 | 32:
      return real(read_as<float>(at));
    case kDLFloat << 8 | 64:
      return real(read_as<double>(at));
    case kDLBfloat << 8 | 16:
      return real(float_of_bits(static_cast<uint32_t>(read_as<uint16_t>(at)) << 16U));
    default:
      throw Error("unsupported-dtype", "elements of type {} cannot be converted", DataType(dtype).str());
  }
}

template <class T>
void write_as(char* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

void write(char* at, DLDataType dtype, const Number& number) {
  int64_t integer = number.real ? static_cast<int64_t>(number.value) : number.integer;
  switch (dtype.code << 8 | dtype.bits) {
    case kDLInt << 8 | 8:
    case kDLUInt << 8 | 8:
      return write_as(at, static_cast<int8_t>(integer));
    case kDLInt << 8 | 16:
    case kDLUInt << 8 | 16:
      return write_as(at, static_cast<int16_t>(integer));
    case kDLInt << 8 | 32:
    case kDLUInt << 8 | 32:
      return write_as(at, static_cast<int32_t>(integer));
    case kDLInt << 8 | 64:
    case kDLUInt << 8 | 64:
      return write_as(at, integer);
    case kDLBool << 8 | 8:
      return write_as(at, static_cast<uint8_t>(number.value != 0));
    case kDLFloat << 8 | 16:
      return write_as(at, double_to_half(number.value));
    case kDLFloat << 8 | 32:
      return write_as(at, static_cast<float>(number.value));
    case kDLFloat << 8 | 64:
      return write_as(at, number.value);
    case kDLBfloat << 8 | 16:
      return write_as(at, double_to_bfloat(number.value));
    default:
      throw Error("unsupported-dtype", "elements of type {} cannot be converted", DataType(dtype).str());
  }
}

std::span<const Any> items_of(const Any& value, bool& is_sequence) {
  is_sequence = true;
  if (auto* list = value.as<ir::ffi::ListObj>()) return {list->begin(), list->size()};
  if (auto* tuple = value.as<ir::ffi::ArrayObj>()) return {tuple->begin(), tuple->size()};
  is_sequence = false;
  return {};
}

// Collects the numbers of a nest in row-major order; all lists of one depth must be equally long.
void flatten(const Any& value, size_t depth, std::vector<int64_t>& shape, std::vector<Any>& numbers) {
  bool is_sequence = false;
  std::span<const Any> items = items_of(value, is_sequence);
  if (!is_sequence) {
    if (depth != shape.size())
      throw Error("ragged-list", "the lists of a tensor must be nested equally deep");
    numbers.push_back(value);
    return;
  }
  if (depth == shape.size()) {
    if (!numbers.empty()) throw Error("ragged-list", "the lists of a tensor must be nested equally deep");
    shape.push_back(static_cast<int64_t>(items.size()));
  } else if (shape[depth] != static_cast<int64_t>(items.size())) {
    throw Error("ragged-list", "a list has {} elements where others have {}", items.size(), shape[depth]);
  }
  for (const Any& item : items) flatten(item, depth + 1, shape, numbers);
}

std::vector<int64_t> shape_of(const Tensor& tensor) {
  return {tensor.GetDLTensorPtr()->shape, tensor.GetDLTensorPtr()->shape + tensor.GetDLTensorPtr()->ndim};
}

}  // namespace

void call_entry(TVMFFISafeCallType entry, ir::ffi::PackedArgs args, Any* result) {
  const auto* given = reinterpret_cast<const TVMFFIAny*>(args.data());
  if (entry(nullptr, given, args.size(), reinterpret_cast<TVMFFIAny*>(result)) == 0) return;
  ir::ffi::Error raised = ir::ffi::details::MoveFromSafeCallRaised();
  std::string kind(raised.kind());
  std::string message(raised.message());
  constexpr std::string_view where = "\n  in a call of ";
  size_t at = message.find(where);
  std::string call = at == std::string::npos ? "" : message.substr(at + where.size());
  Error error("call-failed", "{}", message.substr(0, at));
  std::move(error).kind(kind);
  if (!call.empty()) std::move(error).note("the call is of " + call);
  throw error;
}

Tensor tensor_from(const Any& value) {
  std::optional<Tensor> source = ir::given<Tensor>(value);
  if (auto array = ir::given<ir::NDArray>(value)) source = (*array)->tensor;
  if (source) {
    Tensor copy = ir::make_tensor(shape_of(*source), source->GetDLTensorPtr()->dtype);
    copy_tensor(*source, copy);
    return copy;
  }
  std::vector<int64_t> shape;
  std::vector<Any> numbers;
  flatten(value, 0, shape, numbers);
  bool any_float = numbers.empty();
  bool all_bool = !numbers.empty();
  for (const Any& number : numbers) {
    int32_t index = number.type_index();
    any_float = any_float || index == kTVMFFIFloat;
    all_bool = all_bool && index == kTVMFFIBool;
    if (index != kTVMFFIFloat && index != kTVMFFIInt && index != kTVMFFIBool) {
      throw Error("wrong-type", "a tensor is made of numbers, not of {}", ir::type_name(number))
          .kind("TypeError");
    }
  }
  DataType dtype = any_float ? DataType::Float(64) : all_bool ? DataType::Bool() : DataType::Int(64);
  Tensor made = ir::make_tensor(shape, dtype);
  auto* at = static_cast<char*>(made.data_ptr());
  for (const Any& number : numbers) {
    bool real = number.type_index() == kTVMFFIFloat;
    int64_t integer = real ? 0 : number.cast<int64_t>();
    write(at, dtype, {real, real ? number.cast<double>() : static_cast<double>(integer), integer});
    at += dtype.bytes();
  }
  return made;
}

void copy_tensor(const Tensor& from, const Tensor& to) {
  if (shape_of(from) != shape_of(to)) {
    throw Error("shape-mismatch", "a tensor of shape {} cannot be copied into one of shape {}",
                shape_text(from), shape_text(to));
  }
  Tensor source = ir::contiguous(from);
  if (!to.IsContiguous()) throw Error("not-contiguous", "the tensor that is copied into must be contiguous");
  const char* in =
      static_cast<const char*>(source.GetDLTensorPtr()->data) + source.GetDLTensorPtr()->byte_offset;
  char* out = static_cast<char*>(to.GetDLTensorPtr()->data) + to.GetDLTensorPtr()->byte_offset;
  if (DataType(source.GetDLTensorPtr()->dtype) == DataType(to.GetDLTensorPtr()->dtype)) {
    std::memcpy(out, in, ir::ffi::GetDataSize(*to.GetDLTensorPtr()));
    return;
  }
  int64_t count = to.numel();
  int in_bytes = DataType(source.GetDLTensorPtr()->dtype).bytes();
  int out_bytes = DataType(to.GetDLTensorPtr()->dtype).bytes();
  for (int64_t i = 0; i < count; ++i)
    write(out + i * out_bytes, to.GetDLTensorPtr()->dtype,
          read(in + i * in_bytes, source.GetDLTensorPtr()->dtype));
}

std::string shape_text(const Tensor& tensor) {
  std::string text = "(";
  for (int i = 0; i < tensor.GetDLTensorPtr()->ndim; ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", tensor.GetDLTensorPtr()->shape[i]);
  return text + (tensor.GetDLTensorPtr()->ndim == 1 ? ",)" : ")");
}

namespace {

constexpr std::pair<std::string_view, DLDeviceType> device_names[] = {{"cpu", kDLCPU},
                                                                      {"cuda", kDLCUDA},
                                                                      {"opencl", kDLOpenCL},
                                                                      {"rocm", kDLROCM},
                                                                      {"metal", kDLMetal},
                                                                      {"vulkan", kDLVulkan},
                                                                      {"vpi", kDLVPI},
                                                                      {"ext_dev", kDLExtDev},
                                                                      {"hexagon", kDLHexagon},
                                                                      {"webgpu", kDLWebGPU},
                                                                      // what the code for a device is called
                                                                      {"llvm", kDLCPU},
                                                                      {"c", kDLCPU},
                                                                      {"gpu", kDLCUDA},
                                                                      {"cl", kDLOpenCL}};

}  // namespace

std::string device_text(DLDevice device) {
  for (const auto& [name, type] : device_names) {
    if (type == device.device_type) return fmt::format("{}:{}", name, device.device_id);
  }
  return fmt::format("device({}):{}", static_cast<int>(device.device_type), device.device_id);
}

DLDevice parse_device(std::string_view text, int64_t index) {
  std::string_view name = text.substr(0, text.find_first_of(": "));
  if (size_t colon = text.find(':'); colon != std::string_view::npos) {
    index = 0;
    for (char c : text.substr(colon + 1)) {
      if (c < '0' || c > '9' || index > 1000) throw Error("unknown-device", "`{}` is no device", text);
      index = index * 10 + (c - '0');
    }
  }
  std::vector<std::string> known;
  for (const auto& [one, type] : device_names) {
    if (one == name) return {type, static_cast<int32_t>(index)};
    known.emplace_back(one);
  }
  throw Error("unknown-device", "there is no device `{}`", text)
      .help(fmt::format("there are {}{}", fmt::join(known, ", "), ir::did_you_mean(name, known)));
}

}  // namespace mlc::runtime
