// SPDX-License-Identifier: Apache-2.0
// Operators on plain numbers, as far as they cannot fail: the general way answers the rest.
#pragma once

#include "frontend/script/core/raw_value.h"

namespace mlc::script {

template <syntax::BinOperator op>
inline bool int_operator(int64_t a, int64_t b, int64_t& r) {
  using Op = syntax::BinOperator;
  if constexpr (op == Op::kAdd) {
    return !__builtin_add_overflow(a, b, &r);
  } else if constexpr (op == Op::kSub) {
    return !__builtin_sub_overflow(a, b, &r);
  } else if constexpr (op == Op::kMult) {
    return !__builtin_mul_overflow(a, b, &r);
  } else if constexpr (op == Op::kFloorDiv || op == Op::kMod) {
    if (b == 0 || b == -1) return false;
    int64_t quotient, rest;
    if (static_cast<uint64_t>(a | b) >> 32 == 0) {  // half as wide is several times as fast
      quotient = static_cast<uint32_t>(a) / static_cast<uint32_t>(b);
      rest = static_cast<uint32_t>(a) % static_cast<uint32_t>(b);
    } else {
      quotient = a / b;
      rest = a % b;
      if (rest != 0 && (rest ^ b) < 0) {
        --quotient;
        rest += b;
      }
    }
    r = op == Op::kMod ? rest : quotient;
    return true;
  } else if constexpr (op == Op::kBitAnd) {
    r = a & b;
    return true;
  } else if constexpr (op == Op::kBitOr) {
    r = a | b;
    return true;
  } else if constexpr (op == Op::kBitXor) {
    r = a ^ b;
    return true;
  } else {
    return false;
  }
}
template <syntax::BinOperator op>
inline bool float_operator(double a, double b, double& r) {
  using Op = syntax::BinOperator;
  if constexpr (op == Op::kAdd) {
    r = a + b;
  } else if constexpr (op == Op::kSub) {
    r = a - b;
  } else if constexpr (op == Op::kMult) {
    r = a * b;
  } else if constexpr (op == Op::kDiv) {
    if (b == 0) return false;
    r = a / b;
  } else {
    return false;
  }
  return true;
}

// a op b into `out`; false when the general way must answer.
template <syntax::BinOperator op>
[[gnu::always_inline]] inline bool plain_operator(RawValue a, RawValue b, RawValue& out) {
  if (a.type_index == kTVMFFIInt && b.type_index == kTVMFFIInt) {
    int64_t r;
    if (!int_operator<op>(a.v_int64, b.v_int64, r)) return false;
    out = raw_int(r);
    return true;
  }
  double x, y, r;
  if (a.type_index == kTVMFFIFloat) {
    x = a.v_float64;
    if (b.type_index == kTVMFFIFloat) {
      y = b.v_float64;
    } else if (b.type_index == kTVMFFIInt) {
      y = static_cast<double>(b.v_int64);
    } else {
      return false;
    }
  } else if (a.type_index == kTVMFFIInt && b.type_index == kTVMFFIFloat) {
    x = static_cast<double>(a.v_int64);
    y = b.v_float64;
  } else {
    return false;
  }
  if (!float_operator<op>(x, y, r)) return false;
  out = raw_float(r);
  return true;
}
bool plain_operator(syntax::BinOperator op, RawValue a, RawValue b, RawValue& out);

// Which outcomes make a comparison true, four bits each: less, equal, greater, unordered.
constexpr uint32_t kOutcomes =
    0b0010u | 0b1101u << 4 | 0b0001u << 8 | 0b0011u << 12 | 0b0100u << 16 | 0b0110u << 20;
static_assert(static_cast<int>(syntax::CmpOperator::kEq) == 0 &&
              static_cast<int>(syntax::CmpOperator::kNotEq) == 1 &&
              static_cast<int>(syntax::CmpOperator::kLt) == 2 &&
              static_cast<int>(syntax::CmpOperator::kLtE) == 3 &&
              static_cast<int>(syntax::CmpOperator::kGt) == 4 &&
              static_cast<int>(syntax::CmpOperator::kGtE) == 5);

template <class T>
[[gnu::always_inline]] inline int compare_numbers(uint32_t op, T a, T b) {
  uint32_t outcome = a < b ? 0 : a == b ? 1 : a > b ? 2 : 3;
  return static_cast<int>(kOutcomes >> (op * 4 + outcome) & 1);
}
// Of `==`, `!=`, `<`, `<=`, `>`, `>=`: 0, 1, or -1 when the general way must answer.
[[gnu::always_inline]] inline int plain_order(uint32_t op, RawValue a, RawValue b) {
  if (a.type_index == kTVMFFIInt && b.type_index == kTVMFFIInt)
    return compare_numbers(op, a.v_int64, b.v_int64);
  if (a.type_index == kTVMFFIFloat && b.type_index == kTVMFFIFloat)
    return compare_numbers(op, a.v_float64, b.v_float64);
  return -1;
}
// `is`: texts of the same letters and empty tuples are one object.
inline bool is_same(const Any& x, const Any& y) {
  if (x.same_as(y)) return true;
  if (x.type_index() == kTVMFFIArray && y.type_index() == kTVMFFIArray)
    return elements(x).empty() && elements(y).empty();
  return is_str(x) && is_str(y) && text_of(x) == text_of(y);
}
// The same of `is` and `is not` too.
inline int plain_compare(syntax::CmpOperator op, const RawValue& a, const RawValue& b) {
  if (op <= syntax::CmpOperator::kGtE) return plain_order(static_cast<uint32_t>(op), a, b);
  if (op == syntax::CmpOperator::kIs || op == syntax::CmpOperator::kIsNot) {
    const Any& x = borrow(a);
    const Any& y = borrow(b);
    return is_same(x, y) == (op == syntax::CmpOperator::kIs);
  }
  return -1;
}

}  // namespace mlc::script
