// SPDX-License-Identifier: Apache-2.0
// The function that the host calls before a kernel with bulk copies of boxes: it has the driver fill a tensor
// map.
#include <tvm/ffi/reflection/registry.h>

#include <array>

#include "backend/cuda/device.h"
#include "backend/cuda/driver.h"
#include "backend/cuda/module.h"
#include "ir/core/refusal.h"

namespace mlc::cuda_backend {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "bad-tensor-map",
         .kind = "ValueError",
         .message = "no tensor map can be made: {}",
         .meaning = "Bulk copies of boxes ask for sizes and strides that the hardware can count."},
        {.name = "no-tensor-maps",
         .message = "the driver of `{}` makes no tensor maps",
         .help = "a driver for CUDA 12 or later does"},
    }};
MLC_REFUSALS(cuda_tensor_map, refusals);

namespace {

namespace ffi = ir::ffi;

struct ElementType {
  std::string_view name;
  int number;  // the driver's
  int bits;
};
constexpr ElementType element_types[] = {
    {"uint8", 0, 8},     {"int8", 0, 8},           {"float8_e4m3fn", 0, 8}, {"float8_e5m2", 0, 8},
    {"uint16", 1, 16},   {"uint32", 2, 32},        {"int32", 3, 32},        {"uint64", 4, 64},
    {"int64", 5, 64},    {"float16", 6, 16},       {"float32", 7, 32},      {"float64", 8, 64},
    {"bfloat16", 9, 16}, {"float4_e2m1fn", 14, 4},
};

template <class... Args>
[[noreturn]] void bad(fmt::format_string<Args...> why, Args&&... args) {
  throw ir::refuse(refusals["bad-tensor-map"], fmt::format(why, std::forward<Args>(args)...));
}

void encode(ffi::PackedArgs args) {
  size_t at = 0;
  auto next = [&] {
    if (at >= static_cast<size_t>(args.size())) bad("of {} arguments some are missing", args.size());
    return args[static_cast<int>(at++)];
  };
  auto number = [&](std::string_view what, int64_t low, int64_t high) {
    auto value = next().try_cast<int64_t>();
    if (!value || *value < low || *value > high)
      bad("{} is {}, not {} to {}", what, value ? *value : -1, low, high);
    return *value;
  };
  auto map = next().try_cast<void*>();
  auto dtype = next().try_cast<ir::String>();
  const ElementType* type = nullptr;
  for (const ElementType& row : element_types) type = dtype && row.name == ir::view(*dtype) ? &row : type;
  if (!map || *map == nullptr || type == nullptr)
    bad("elements of type {}", dtype ? std::string(*dtype) : "none");
  auto rank = static_cast<size_t>(number("the number of dimensions", 1, 5));
  auto address = next().try_cast<void*>();
  if (!address || reinterpret_cast<uintptr_t>(*address) % 16 != 0)
    bad("the tensor is not aligned to 16 bytes");
  std::array<uint64_t, 5> sizes{}, strides{};
  std::array<uint32_t, 5> box{}, steps{};
  for (size_t i = 0; i < rank; ++i)
    sizes[i] = static_cast<uint64_t>(number(fmt::format("the size of dimension {}", i), 1, int64_t{1} << 32));
  for (size_t i = 0; i + 1 < rank; ++i) {
    int64_t stride = number(fmt::format("the stride of dimension {}", i + 1), 0, (int64_t{1} << 40) - 1);
    if (stride % 16 != 0) bad("the stride of dimension {} is {} bytes, no multiple of 16", i + 1, stride);
    strides[i] = static_cast<uint64_t>(stride);
  }
  for (size_t i = 0; i < rank; ++i)
    box[i] = static_cast<uint32_t>(number(fmt::format("the box in dimension {}", i), 1, 256));
  for (size_t i = 0; i < rank; ++i)
    steps[i] = static_cast<uint32_t>(number(fmt::format("the step in dimension {}", i), 1, 8));
  int interleave = static_cast<int>(number("the interleaving", 0, 2));
  int swizzle = static_cast<int>(number("the swizzle", 0, 3));
  int promotion = static_cast<int>(number("the promotion", 0, 3));
  int fill = static_cast<int>(number("the fill", 0, 1));
  int kind =
      at < static_cast<size_t>(args.size()) ? static_cast<int>(number("the type", 0, 15)) : type->number;
  const Device& gpu = cuda_api().ready(CudaApi::current());
  if (driver().TensorMapEncodeTiled == nullptr)
    throw ir::refuse(refusals["no-tensor-maps"], gpu.limits.device);
  check(driver().TensorMapEncodeTiled(*map, kind, static_cast<unsigned int>(rank), *address, sizes.data(),
                                      strides.data(), box.data(), steps.data(), interleave, swizzle,
                                      promotion, fill),
        "making a tensor map", gpu);
}

}  // namespace

void register_tensor_maps() {
  ffi::reflection::GlobalDef().def_packed("runtime.cuTensorMapEncodeTiled",
                                          [](ffi::PackedArgs args, ffi::Any* result) {
                                            static const ffi::Function encoder = device::for_host(encode);
                                            encoder.CallPacked(args, result);
                                          });
}

}  // namespace mlc::cuda_backend
