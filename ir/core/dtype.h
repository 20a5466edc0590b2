// SPDX-License-Identifier: Apache-2.0
// Scalar and vector data types: four bytes, passed by value.
#pragma once

#include <tvm/ffi/dtype.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace mlc::ir {

// DLPack's data type with the predicates that compilers need. Converts to and from DLDataType, which is what
// node fields and tvm-ffi values hold. Negative lanes mean a scalable vector of -lanes * vscale.
class DataType {
 public:
  constexpr DataType() : value_{kDLOpaqueHandle, 0, 0} {}
  constexpr DataType(DLDataType value) : value_(value) {}  // NOLINT: the two are one thing
  constexpr DataType(int code, int bits, int lanes = 1)
      : value_{static_cast<uint8_t>(code), static_cast<uint8_t>(bits), static_cast<uint16_t>(lanes)} {}
  constexpr operator DLDataType() const { return value_; }  // NOLINT

  static constexpr DataType Int(int bits, int lanes = 1) { return {kDLInt, bits, lanes}; }
  static constexpr DataType UInt(int bits, int lanes = 1) { return {kDLUInt, bits, lanes}; }
  static constexpr DataType Float(int bits, int lanes = 1) { return {kDLFloat, bits, lanes}; }
  static constexpr DataType BFloat16(int lanes = 1) { return {kDLBfloat, 16, lanes}; }
  static constexpr DataType Bool(int lanes = 1) { return {kDLBool, 8, lanes}; }
  static constexpr DataType Handle() { return {kDLOpaqueHandle, 64, 1}; }
  static constexpr DataType Void() { return {kDLOpaqueHandle, 0, 0}; }
  // "float32", "int8x4", "bool", "handle", "void", "float8_e4m3fn", "float32xvscalex4";
  // throws Error unknown-dtype with the nearest name.
  static DataType parse(std::string_view text);

  constexpr int code() const { return value_.code; }
  constexpr int bits() const { return value_.bits; }
  constexpr int lanes() const { return static_cast<int16_t>(value_.lanes); }
  constexpr int bytes() const { return (bits() + 7) / 8; }  // of one lane in memory
  constexpr bool is_scalar() const { return lanes() == 1; }
  constexpr bool is_vector() const { return !is_void() && lanes() != 1; }
  constexpr bool is_scalable() const { return lanes() < -1; }
  constexpr bool is_int() const { return code() == kDLInt; }
  constexpr bool is_uint() const { return code() == kDLUInt; }  // bool is not a uint
  constexpr bool is_bool() const { return code() == kDLBool; }
  constexpr bool is_integral() const { return is_int() || is_uint() || is_bool(); }
  constexpr bool is_bfloat16() const { return code() == kDLBfloat; }
  constexpr bool is_float() const { return code() == kDLFloat; }  // IEEE: float16, 32, 64
  constexpr bool is_floating() const {
    return is_float() || (code() >= kDLBfloat && !is_bool() && code() != kDLComplex);
  }
  constexpr bool is_handle() const { return code() == kDLOpaqueHandle && bits() == 64; }
  constexpr bool is_void() const { return code() == kDLOpaqueHandle && bits() == 0; }

  constexpr DataType element() const { return {code(), bits(), 1}; }
  constexpr DataType with_lanes(int lanes) const { return {code(), bits(), lanes}; }
  constexpr DataType with_bits(int bits) const { return {code(), bits, lanes()}; }

  std::string str() const;
  constexpr bool operator==(DataType other) const {
    return code() == other.code() && bits() == other.bits() && lanes() == other.lanes();
  }

 private:
  DLDataType value_;
};

}  // namespace mlc::ir
