// SPDX-License-Identifier: Apache-2.0
// Descriptors of tensors for bulk copies of boxes, as the host makes them: what the driver keeps in the 128
// bytes of a `CUtensorMap` is its own; here they hold this.
#pragma once

#include <array>
#include <cstdint>

#include "backend/interp/number.h"
#include "ir/tir/tensor_map.h"

namespace mlc::interp {

struct TensorMap {
  static constexpr uint32_t kMagic = 0x70616D74;

  uint32_t magic;
  DLDataType dtype;
  uint8_t rank, swizzle, fill;  // swizzle: rows of 16 << swizzle bytes; fill 1: with NaN
  std::array<uint8_t, 5> steps;
  std::array<uint16_t, 5> box;  // elements of each dimension, the innermost first
  char* data;
  std::array<int64_t, 5> sizes;
  std::array<int64_t, 4> strides;  // in bytes, of all dimensions but the first
};
static_assert(sizeof(TensorMap) <= ir::kTensorMapBytes);

// Where a byte of shared memory lies that a swizzle of rows of 16 << mode bytes moves: units of 16 bytes
// change places by the number of their row among 8, 4 or 2.
constexpr int64_t swizzled(int64_t address, int mode) {
  int64_t rows = (int64_t{1} << mode) - 1;
  return address ^ ((address >> 7 & rows) << 4);
}

}  // namespace mlc::interp
