// SPDX-License-Identifier: Apache-2.0
#include "backend/interp/number.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "ir/core/error.h"
#include "ir/core/refusal.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "interpret-unsupported", .message = "the interpreter has no numbers of type `{}`"},
    }};
MLC_REFUSALS(interp_number, refusals);

namespace {

using ir::DataType;
using ir::SmallFloat;

// A small float: its bits are read and written by its format.
template <uint8_t code, class Bits>
Number small_float() {
  static const SmallFloat& format = code == kDLFloat    ? ir::half_format
                                    : code == kDLBfloat ? ir::bfloat_format
                                                        : *ir::narrow_format(DataType(code, 8));
  return {format.dtype(),
          true,
          false,
          static_cast<int>(sizeof(Bits)),
          +[](const char* at) {
            Bits bits;
            std::memcpy(&bits, at, sizeof bits);
            return Lane{.f = ir::decode(format, bits)};
          },
          +[](char* at, Lane value) {
            Bits bits = static_cast<Bits>(ir::encode(format, value.f));
            std::memcpy(at, &bits, sizeof bits);
          }};
}

template <class T>
Number native_number(DataType type) {
  return {type,
          std::is_floating_point_v<T>,
          std::is_unsigned_v<T>,
          static_cast<int>(sizeof(T)),
          +[](const char* at) {
            T value;
            std::memcpy(&value, at, sizeof value);
            if constexpr (std::is_floating_point_v<T>)
              return Lane{.f = static_cast<double>(value)};
            else
              return Lane{.i = static_cast<int64_t>(value)};
          },
          +[](char* at, Lane lane) {
            T value;
            if constexpr (std::is_floating_point_v<T>)
              value = static_cast<T>(lane.f);
            else
              value = static_cast<T>(lane.i);
            std::memcpy(at, &value, sizeof value);
          }};
}

// Numbers of 128 bits are moved by instructions of kernels, and nothing computes with them.
Number opaque_number(DataType type) {
  return {type,
          false,
          type.is_uint(),
          16,
          +[](const char*) -> Lane { throw ir::refuse(refusals["interpret-unsupported"], "uint128"); },
          +[](char*, Lane) { throw ir::refuse(refusals["interpret-unsupported"], "uint128"); }};
}

const std::vector<Number>& numbers() {
  static const std::vector<Number> rows = [] {
    std::vector<Number> all = {
        native_number<int8_t>(DataType::Int(8)),     native_number<int16_t>(DataType::Int(16)),
        native_number<int32_t>(DataType::Int(32)),   native_number<int64_t>(DataType::Int(64)),
        native_number<uint8_t>(DataType::UInt(8)),   native_number<uint16_t>(DataType::UInt(16)),
        native_number<uint32_t>(DataType::UInt(32)), native_number<uint64_t>(DataType::UInt(64)),
        native_number<uint8_t>(DataType::Bool()),
        native_number<uint8_t>(DataType::UInt(1)),  // a lane of a mask
        native_number<uint64_t>(DataType::Handle()), native_number<float>(DataType::Float(32)),
        native_number<double>(DataType::Float(64)),  small_float<kDLFloat, uint16_t>(),
        small_float<kDLBfloat, uint16_t>(),          small_float<kDLFloat8_e3m4, uint8_t>(),
        small_float<kDLFloat8_e4m3, uint8_t>(),      small_float<kDLFloat8_e4m3b11fnuz, uint8_t>(),
        small_float<kDLFloat8_e4m3fn, uint8_t>(),    small_float<kDLFloat8_e4m3fnuz, uint8_t>(),
        small_float<kDLFloat8_e5m2, uint8_t>(),      small_float<kDLFloat8_e5m2fnuz, uint8_t>(),
        small_float<kDLFloat8_e8m0fnu, uint8_t>(),   opaque_number(DataType::UInt(128)),
        opaque_number(DataType::Int(128)),
    };
    return all;
  }();
  return rows;
}

}  // namespace

const Number& number_of(DataType type) {
  for (const Number& row : numbers()) {
    if (row.type == type.element()) return row;
  }
  throw ir::refuse(refusals["interpret-unsupported"], type.element().str());
}

Lane convert(const Number& from, const Number& to, Lane value) {
  if (from.bytes > 8 || to.bytes > 8)
    throw ir::refuse(refusals["interpret-unsupported"], (from.bytes > 8 ? from : to).type.str());
  // To bfloat16 and floats of 8 bits by way of float32, as NumPy and TVM do it.
  if (to.floating && to.bytes <= 2 && !to.type.is_float() && (from.bytes > 4 || !from.floating)) {
    static const Number& single = number_of(DataType::Float(32));
    return {.f = to.round(convert(from, single, value).f)};
  }
  if (from.floating && to.floating) return {.f = to.round(value.f)};
  if (to.floating) {
    // A double holds 53 bits: a wide integer goes to float32 in one rounding, not two.
    auto converted = [&](auto integer) {
      double wide = static_cast<double>(integer);
      return Lane{.f = to.bytes == 4 ? static_cast<double>(static_cast<float>(integer)) : to.round(wide)};
    };
    return from.is_unsigned ? converted(static_cast<uint64_t>(value.i)) : converted(value.i);
  }
  if (!from.floating) return {.i = to.wrap(value.i)};
  if (to.type.is_bool()) return {.i = value.f != 0};
  constexpr double two63 = 9223372036854775808.0;
  if (to.is_unsigned && value.f >= two63 && value.f < 2 * two63) {
    return {.i = to.wrap(static_cast<int64_t>(static_cast<uint64_t>(value.f)))};
  }
  // Out of range is undefined in the IR; this is what x86 does.
  if (!(value.f >= -two63 && value.f < two63)) return {.i = to.wrap(std::numeric_limits<int64_t>::min())};
  return {.i = to.wrap(static_cast<int64_t>(value.f))};
}

}  // namespace mlc::interp
