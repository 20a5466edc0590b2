// SPDX-License-Identifier: Apache-2.0
// How one lane of every data type is held, stored, and rounded.
#pragma once

#include <bit>
#include <cstdint>

#include "ir/core/dtype.h"
#include "ir/core/small_float.h"

namespace mlc::interp {

// One scalar: integers and bools in `i`, normalised to their width (sign- or zero-extended; uint64 as its
// bit pattern), floating values of every width in `f`, addresses in `i`.
union Lane {
  int64_t i;
  double f;
};

// What memory and arithmetic need to know of an element type.
struct Number {
  ir::DataType type;  // one lane
  bool floating = false;
  bool is_unsigned = false;  // uint and bool
  int bytes = 0;
  Lane (*load)(const char*) = nullptr;
  void (*store)(char*, Lane) = nullptr;

  double round(double value) const { return ir::round_to(type, value); }
  // Two's complement at the width of the type.
  int64_t wrap(int64_t value) const {
    int bits = type.bits();
    if (type.is_bool()) return value != 0;
    if (bits >= 64) return value;
    uint64_t low = static_cast<uint64_t>(value) << (64 - bits);
    return is_unsigned ? static_cast<int64_t>(low >> (64 - bits)) : static_cast<int64_t>(low) >> (64 - bits);
  }
};

// Scalable vectors have `vscale` times the lanes of their type: two here, so that what counts on one
// piece shows.
constexpr int kVscale = 2;
// Lanes that a value of the type has; one for void.
constexpr int lane_count(ir::DataType type) {
  if (type.is_scalable()) return -type.lanes() * kVscale;
  return type.is_void() ? 1 : type.lanes();
}

// Throws Error interpret-unsupported for types that have no row (sub-byte and complex types).
const Number& number_of(ir::DataType type);

// The value of `from` as a `to`: integers wrap, floats round, floats to integers truncate.
Lane convert(const Number& from, const Number& to, Lane value);

}  // namespace mlc::interp
